import AuthStateFoundation
import AuthStateStorage

/// One SQL statement with its parameters, or several without any: a transaction of its own, or with others that change one row each.
struct Statement: Sendable {
    /// A value for `$1`, `$2` and so on.
    enum Parameter: Sendable {
        /// A `bytea`.
        case bytes([UInt8])
        /// Anything else, as text.
        case text(String)
    }

    /// The purpose of a statement, which decides the error of a failure.
    enum Purpose: Sendable { case reading, writing }

    let purpose: Purpose
    let sql: String
    let parameters: [Parameter]
    /// The columns of each row of the result.
    let columns: Int
    /// The most bytes of rows that are read, see `Row.size`: an archive, or a list of states.
    var maximumSize = StateFile.sizeLimit + 65_536
    /// Whether these are several statements, whose rows are not read.
    var isScript = false
    /// The key of the only row that it changes: it may share a transaction with changes of other rows.
    var row: KeyHash?
    /// Statements that are sent with it, as a transaction of their own that follows; their failures are not reported.
    var afterwards: [Statement] = []

    /// Several statements.
    init(script sql: String) { (purpose, self.sql, parameters, columns, isScript) = (.writing, sql, [], 0, true) }

    init(_ purpose: Purpose, _ sql: String, _ parameters: Parameter..., columns: Int = 0) {
        (self.columns, self.purpose, self.sql, self.parameters) = (columns, purpose, sql, parameters)
    }

    /// A statement that changes one row; its key is `$1`.
    init(changing row: KeyHash, _ sql: String, _ parameters: Parameter..., columns: Int = 0) {
        (self.columns, purpose, self.sql, self.parameters) = (columns, .writing, sql, [.bytes(row.bytes)] + parameters)
        self.row = row
    }
}

extension Statement.Parameter {
    /// An `interval`.
    static func interval(_ duration: Duration) -> Self { .text("\(Int(duration / .milliseconds(1))) milliseconds") }
}

/// A row of a result: raw bytes for `bytea`, UTF-8 for `text`, nil for NULL.
struct Row: Sendable {
    let columns: [[UInt8]?]

    /// The bytes that count of it: those of its values, and what it takes in memory besides.
    var size: Int { columns.reduce(64) { $0 + ($1?.count ?? 0) + 64 } }

    /// A column as text; empty when it is NULL. Every row has the columns of its statement.
    func text(_ index: Int) -> String { String(decoding: columns[index] ?? [], as: UTF8.self) }

    /// A column as bytes.
    func data(_ index: Int) -> Data? { columns[index].map { Data($0) } }
}

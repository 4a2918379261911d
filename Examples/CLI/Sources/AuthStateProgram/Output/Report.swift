public import AuthStateKit

/// The result of a command: the same facts for programs and for people.
public struct Report: Sendable {
    /// For `--json`; null prints nothing.
    var json: JSONValue
    /// For standard output, when `--json` is not given.
    var data: [UInt8]
    /// For a user, on standard error.
    var note: String?
    /// How the program ends.
    var status: ExitReason
    /// The program that takes the place of this one when everything else is done.
    var replacement: Replacement?

    /// The report of a command that has printed its result while it ran.
    public static let printed = Report(json: .null)

    /// The report of a command that another program goes on with.
    init(replacedBy replacement: Replacement) {
        self = .printed
        self.replacement = replacement
    }

    /// A report whose data are bytes, printed as they are.
    init(json: JSONValue, data: [UInt8], note: String? = nil, status: ExitReason = .done) {
        (self.json, self.data, self.note, self.status) = (json, data, note, status)
    }

    /// A report whose data are lines of text; a line break in one of them, which a provider wrote, begins no line.
    public init(json: JSONValue, lines: [String] = [], note: String? = nil, status: ExitReason = .done) {
        let text = lines.map { $0.printable(.max) + "\n" }.joined()
        self.init(json: json, data: Array(text.utf8), note: note, status: status)
    }
}

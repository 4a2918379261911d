import AuthStateJOSE
import AuthStateKit
import Foundation

/// A line that a worker prints.
enum WorkerEvent: Codable {
    /// Another token than before, by its fingerprint.
    case token(String)
    /// Another failure than before.
    case failed(AuthStateError)
    /// The end.
    case ended(WorkerSummary)

    /// A token's name, which is not the token.
    static func fingerprint(_ token: String) -> String {
        ((try? SHA2.sha256(token.utf8)).map { Base64URL.encode($0) } ?? "").prefix(12).description
    }

    /// Prints the line at once, so that it is there when the worker is killed.
    func print() {
        guard var line = try? JSONEncoder().encode(self) else { return }
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
    }
}

/// The counts of a worker.
struct WorkerSummary: Codable {
    var uses = 0
    var failures = 0
    var renewals = 0
    var unsaved = 0
    /// Saves that a power failure could have undone.
    var undurable = 0
    /// Calls on the files of a database.
    var databaseCalls = 0
    /// The state's error, if it is in error.
    var error: AuthStateError?
    /// Microseconds from the request to the answer of the first renewal, from there until another process would find it,
    /// and from there until a power failure cannot undo it.
    var answering: Double?
    var keeping: Double?
    var lasting: Double?
}

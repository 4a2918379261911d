public import AuthStateKit
import AuthStatePlatform
import Synchronization

/// The two streams: data on standard output, everything for a user on standard error.
public final class Console: Sendable {
    /// Whether standard output carries one JSON object.
    let isJSON: Bool
    /// Whether a user reads standard error as it is written.
    let isInteractive: Bool

    private let statusLine = Mutex("")
    /// Writes the messages of a program that serves others; nil for one that waits until they are read.
    private let messages: MessageQueue?

    /// - Parameter isServing: Whether the program serves others, which messages that are not read must not hold up.
    init(isJSON: Bool, isInteractive: Bool = isatty(STDERR_FILENO) == 1, isServing: Bool = false) {
        self.isJSON = isJSON
        self.isInteractive = isInteractive && !isJSON
        messages = isServing ? MessageQueue { Self.write($0, to: STDERR_FILENO) } : nil
    }

    /// Waits a moment for messages that are not written yet.
    func finish() { messages?.finish() }

    /// Writes a message for the user.
    public func note(_ text: String) {
        if let messages { return messages.post(text.plain + "\n") }
        statusLine.withLock { line in
            Self.write((line.isEmpty ? "" : Self.erased) + text.plain + "\n" + line, to: STDERR_FILENO)
        }
    }

    /// Asks a question that only "y" or "yes" answers with yes; the answer is no without a terminal, and when the task is cancelled.
    func confirms(_ question: String) -> Bool {
        guard isInteractive, isatty(STDIN_FILENO) == 1 else { return false }
        // An answer is not older than its question.
        tcflush(STDIN_FILENO, TCIFLUSH)
        Self.write("\(question.plain) [y/N] ", to: STDERR_FILENO)
        let line = (try? InputFile.nextBytes()) ?? []
        return ["y\n", "yes\n"].contains(String(decoding: line, as: UTF8.self).lowercased())
    }

    /// Replaces the line that changes in place; does nothing without a terminal.
    func setStatusLine(_ text: String) {
        guard isInteractive else { return }
        statusLine.withLock { line in
            Self.write(Self.erased + text, to: STDERR_FILENO)
            line = text
        }
    }

    /// Prints a line of data ahead of the result; a program that reads JSON gets the result alone. Returns whether it was written,
    /// and tells the user otherwise.
    func print(_ line: String) -> Bool { isJSON || output(Array((line.plain + "\n").utf8)) }

    /// Prints the result of a command. Returns whether all of it was written, and tells the user otherwise.
    @discardableResult
    public func show(_ report: Report) -> Bool {
        if let note = report.note { self.note(note) }
        return report.json == .null || output(isJSON ? report.json.printed + [0x0A] : report.data)
    }

    /// Prints an error: one line for a user, an object for a program. An object that cannot be written becomes a line.
    public func show(_ error: AuthStateError) {
        if isJSON, output(JSONValue.object(["error": error.json]).printed + [0x0A]) { return }
        note("authstate: \(error)")
    }

    private func output(_ bytes: [UInt8]) -> Bool {
        if writeAll(bytes, to: STDOUT_FILENO) { return true }
        note("authstate: The output cannot be written: \(String(cString: strerror(errno))).")
        return false
    }

    private static let erased = "\r\u{1B}[K"

    private static func write(_ text: String, to descriptor: Int32) { _ = writeAll(Array(text.utf8), to: descriptor) }
}

/// The reason why a JSON document was refused: the failed check and its place, never the content of the document.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The check that failed, in plain words.
    public let message: String
    /// The offset, in bytes from the start of the document, at which it failed.
    public let offset: Int

    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// The message and the byte offset.
    public var description: String { "\(message) at byte \(offset)" }
}

public import AuthStateFoundation
public import AuthStateJOSE

/// The body of a request that is read as it is sent: a large file, or the body of another request that is passed on.
///
/// ```swift
/// let body = StreamedBody(count: file.count) { try file.read(upToCount: 1 << 16) }
/// let answer = try await transport.stream(TransportRequest(method: .put, url: url), sending: body)
/// ```
///
/// It is read once, so the request is never repeated.
public struct StreamedBody: Sendable, Redacted {
    /// The number of bytes; nil when it is not known: HTTP/1.1 sends the body in chunks then.
    public var count: Int?
    let read: @Sendable () async throws -> Data?

    /// Makes a body from a function.
    ///
    /// - Parameters:
    ///   - count: The number of bytes; nil when it is not known.
    ///   - read: Returns the next piece; nil at the end. Its error ends the exchange, and is the result of it. When the rest is not
    ///     wanted, its task is cancelled, and it is called once more if no call is in progress.
    public init(count: Int? = nil, read: @escaping @Sendable () async throws -> Data?) {
        (self.count, self.read) = (count, read)
    }

    /// Reads the body as a whole. Throws `TransportError` with `.invalidRequest` for more than so many bytes, or
    /// another number than `count`; the source's error.
    func collected(upTo maximumBytes: Int) async throws -> Data {
        var body = Data()
        while let piece = try await read() {
            guard piece.count <= maximumBytes - body.count else {
                throw TransportError(
                    .invalidRequest, "This transport sends no body of more than \(maximumBytes >> 20) MiB.",
                    requestMayHaveBeenSent: false)
            }
            body.append(piece)
        }
        guard count == nil || count == body.count else { throw Self.otherCount(mayHaveBeenSent: false) }
        return body
    }

    /// Returns the failure of a body that ends before or after the announced number of bytes.
    static func otherCount(mayHaveBeenSent: Bool) -> TransportError {
        TransportError(
            .invalidRequest, "The body has another length than was announced.", requestMayHaveBeenSent: mayHaveBeenSent)
    }

    /// The length: the body can hold secrets.
    public var description: String { count.map { "a body of \($0) bytes" } ?? "a body of unknown length" }
}

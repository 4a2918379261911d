public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// An answer whose body is read as it comes: server-sent events, long polls, large files.
///
/// ```swift
/// let answer = try await authState.stream(TransportRequest(url: events))
/// for try await piece in answer { parser.read(piece) }
/// ```
///
/// The transport reads ahead a little and then waits for the reader: memory does not grow with the body. Dropping the answer,
/// and its iterators, ends the exchange; so does the cancellation of the task that reads.
public struct StreamedResponse: Sendable, AsyncSequence, Redacted {
    /// The status code.
    public var status: Int
    /// The header fields of the final answer.
    public var headers: TransportHeaders
    /// Returns the next piece, of so many bytes but for the last one.
    private let read: @Sendable (Int) async throws -> Data?
    private let readTrailers: @Sendable () -> TransportHeaders

    /// The fields behind the body (RFC 9110, section 6.5); empty before its end, and where the transport does not tell them.
    public var trailers: TransportHeaders { readTrailers() }

    /// Receives the interim answers (1xx; RFC 9110, section 15.2) to streams that the task asks for, on a thread of the transport;
    /// nil drops them. libcurl tells them, URLSession does not.
    @TaskLocal public static var onInterim: (@Sendable (TransportResponse) -> Void)?

    /// Makes an answer from a function.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields.
    ///   - trailers: Returns the fields behind the body, after its end.
    ///   - read: Returns the next piece of the body, decompressed; nil at its end.
    public init(
        status: Int, headers: TransportHeaders = [:], trailers: @escaping @Sendable () -> TransportHeaders = { [:] },
        read: @escaping @Sendable () async throws -> Data?
    ) {
        self.init(status: status, headers: headers, trailers: trailers, readingAtLeast: { _ in try await read() })
    }

    init(
        status: Int, headers: TransportHeaders, trailers: @escaping @Sendable () -> TransportHeaders = { [:] },
        readingAtLeast read: @escaping @Sendable (Int) async throws -> Data?
    ) {
        (self.status, self.headers, self.read, readTrailers) = (status, headers, read, trailers)
    }

    /// Makes an answer whose body has come already.
    public init(_ response: TransportResponse) {
        let body = Lock<Data?>(response.body.isEmpty ? nil : response.body)
        self.init(status: response.status, headers: response.headers) { body.withLock { $0.take() } }
    }

    /// Reads what is left of the body, as a whole.
    ///
    /// - Throws: `TransportError` with `.responseTooLarge` for more than so many bytes, and as an iterator does.
    public func collected(upTo maximumBytes: Int) async throws -> TransportResponse {
        var response = TransportResponse(status: status, headers: headers)
        while let piece = try await read(Swift.min(maximumBytes - response.body.count, .max - 1) + 1) {
            guard piece.count <= maximumBytes - response.body.count else {
                throw TransportError(
                    .responseTooLarge, "The answer has more than \(maximumBytes) bytes.", requestMayHaveBeenSent: true)
            }
            if response.body.isEmpty, piece.startIndex == 0 {
                response.body = piece
            } else {
                response.body.append(piece)
            }
        }
        return response
    }

    /// Makes an iterator. All iterators read the one body: each piece goes to one of them.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }

    /// Reads the body, piece by piece.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let read: @Sendable (Int) async throws -> Data?

        /// Returns the next piece of the body, of any size but zero; nil at its end.
        ///
        /// - Throws: `TransportError` when the connection breaks; `CancellationError`.
        public mutating func next() async throws -> Data? { try await read(1) }
    }

    /// The status: the body can hold tokens.
    public var description: String { "HTTP \(status), a stream" }
}

import AuthStateKit
import AuthStatePlatform
import AuthStateTransport

/// The body of a request.
enum ProxyBody: Sendable {
    /// One that is kept, and can be sent twice.
    case whole(Data)
    /// One that is sent as it comes, once.
    case streamed(StreamedBody)
}

/// A body on its way from the task that reads the program's connection to the one that sends it: a piece for each that is asked
/// for.
struct ProxyUpload: Sendable {
    /// An element for each piece that is wanted; it ends when no more are.
    let asked: AsyncStream<Void>
    private let ask: AsyncStream<Void>.Continuation
    private let pieces: AsyncThrowingStream<Data, any Error>
    private let sink: AsyncThrowingStream<Data, any Error>.Continuation

    /// Begins with what has come already.
    init(_ beginning: Data) {
        (asked, ask) = AsyncStream.makeStream()
        (pieces, sink) = AsyncThrowingStream.makeStream()
        sink.yield(beginning)
        sink.onTermination = { [ask] _ in ask.finish() }
    }

    /// Returns the body for the transport.
    ///
    /// - Parameter count: The number of bytes; nil when it is not known.
    func body(count: Int?) -> StreamedBody {
        StreamedBody(count: count) { [ask, pieces] in
            ask.yield()
            var iterator = pieces.makeAsyncIterator()
            return try await iterator.next()
        }
    }

    /// Gives a piece that was asked for.
    func give(_ piece: Data) { sink.yield(piece) }

    /// Ends the body.
    func finish(throwing error: (any Error)? = nil) { sink.finish(throwing: error) }
}

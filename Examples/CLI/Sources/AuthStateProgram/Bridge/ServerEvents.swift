import AuthStateKit
import MCPClient

/// The events of an answer, as they come.
struct ServerEvents: Sendable {
    private var pieces: StreamedResponse.AsyncIterator
    private var parser = EventStreamParser()
    private var ready: ArraySlice<EventStreamParser.Event> = []
    /// What the part of the stream before this answer said.
    private var resumedID: String?
    private var resumedRetry: Duration?
    /// The number of the stream's last parts that brought nothing, this one among them.
    private(set) var empty = 1
    /// The number of those that also ended at once.
    private(set) var idle = 1
    private let begun = ContinuousClock.now

    /// The time after which a part of a stream without events has ended for its length, and not at once.
    private static let quietTime = Duration.seconds(10)
    /// The most bytes of one event.
    private static let limit = 64 << 20

    init(_ response: StreamedResponse) { pieces = response.makeAsyncIterator() }

    /// The events of an answer that goes on with a stream.
    init(_ response: StreamedResponse, resuming former: ServerEvents) {
        self.init(response)
        (resumedID, resumedRetry) = (former.lastEventID, former.retry)
        (empty, idle) = (former.empty + 1, former.idle + 1)
    }

    /// Returns the next event; nil at the end of the stream.
    ///
    /// - Throws: `TransportError`, also for an event that is too large; `CancellationError`.
    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> EventStreamParser.Event? {
        defer { if begun.duration(to: .now) > Self.quietTime { idle = 0 } }
        while ready.isEmpty {
            guard let piece = try await pieces.next() else { return nil }
            ready = parser.read(piece)[...]
            if parser.waitingBytes > Self.limit {
                throw TransportError(
                    .responseTooLarge, "An event has more than \(Self.limit) bytes.", requestMayHaveBeenSent: true)
            }
        }
        let event = ready.removeFirst()
        if !event.bytes.isEmpty { (empty, idle) = (0, 0) }
        return event
    }

    /// The event to go on behind when the stream broke; nil where the server numbers none.
    var lastEventID: String? { parser.lastEventID.map { $0.isEmpty ? nil : $0 } ?? resumedID }

    /// The time to wait before the stream is asked for again.
    var retry: Duration? { parser.retry.map { .milliseconds(min($0, 3_600_000)) } ?? resumedRetry }
}

extension StreamedResponse {
    /// The media type without parameters, in lower case; nil where there is none.
    var mediaType: String? { TransportResponse(status: status, headers: headers).mediaType }

    /// Whether it is a stream of events.
    var hasEvents: Bool { (200..<300).contains(status) && mediaType == "text/event-stream" }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The body of an answer between a transport and its reader; the transport pauses while the reader is behind.
final class BodyPipe: Sendable {
    private let state = Lock(State())

    /// The bytes that may wait for the reader before the transport pauses.
    static let limit = 256 << 10

    private static let isRead = TransportError(
        .invalidRequest, "The body is being read by another task already.", requestMayHaveBeenSent: true)

    private struct State {
        var ahead = Data()
        var isPaused = false
        var end: Result<Void, any Error>?
        var trailers: TransportHeaders = [:]
        var reader: CheckedContinuation<Data?, any Error>?
        /// Lets a paused transport go on.
        var resume: (@Sendable () -> Void)?
    }

    /// Sets how a paused transport goes on.
    func onRoom(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

    /// Whether the transport may go on: a reader can make room while the transport is about to pause.
    var hasRoom: Bool { state.withLock { !$0.isPaused } }

    /// Whether the exchange has ended, so that there is nothing to cancel.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Takes a piece, which is not empty; false asks the transport to pause until there is room.
    func take(_ piece: Data) -> Bool {
        let (reader, ahead, isPaused) = state.withLock { state in
            guard state.end == nil else { return (CheckedContinuation<Data?, any Error>?.none, Data(), false) }
            if state.ahead.isEmpty { state.ahead = piece } else { state.ahead.append(piece) }
            if let reader = state.reader.take() {
                defer { state.ahead = Data() }
                return (reader, state.ahead, false)
            }
            state.isPaused = state.ahead.count >= Self.limit
            return (nil, Data(), state.isPaused)
        }
        reader?.resume(returning: ahead)
        return !isPaused
    }

    /// The fields behind the body; empty before its end.
    var trailers: TransportHeaders {
        get { state.withLock { $0.trailers } }
        set { state.withLock { $0.trailers = newValue } }
    }

    /// Ends the body; the reader gets what has come, then the end or the failure.
    func finish(_ end: Result<Void, any Error>) {
        let reader: CheckedContinuation<Data?, any Error>? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = end
            state.resume = nil
            // One that waits has nothing left to read.
            return state.reader.take()
        }
        reader?.resume(with: end.map { nil })
    }

    /// Returns all that has come, waiting for some; nil at the end.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let (outcome, resume): (Result<Data?, any Error>?, (@Sendable () -> Void)?) = state.withLock { state in
                guard state.ahead.isEmpty else {
                    defer { (state.ahead, state.isPaused) = (Data(), false) }
                    return (.success(state.ahead), state.isPaused ? state.resume : nil)
                }
                if let end = state.end { return (end.map { nil }, nil) }
                if state.reader != nil { return (.failure(Self.isRead), nil) }
                state.reader = continuation
                return (nil, nil)
            }
            resume?()
            if let outcome { continuation.resume(with: outcome) }
        }
    }
}

/// What a reader holds of an exchange: cancelled with its last reference.
final class BodyReader: Sendable {
    private let pipe: BodyPipe
    private let cancel: @Sendable () -> Void

    init(_ pipe: BodyPipe, cancel: @escaping @Sendable () -> Void) { (self.pipe, self.cancel) = (pipe, cancel) }

    deinit { if !pipe.hasEnded { cancel() } }

    /// Returns the next piece; cancels the exchange when the task is cancelled.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await pipe.next()
        } onCancel: {
            pipe.finish(.failure(CancellationError()))
            cancel()
        }
    }
}

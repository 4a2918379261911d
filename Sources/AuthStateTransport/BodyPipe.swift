import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The body of an answer between a transport and its reader; the transport pauses while the reader is behind.
final class BodyPipe: Sendable {
    private let state = Lock(State())

    /// The number of bytes that the transport reads ahead, while no reader waits, before it pauses.
    static let limit = 256 << 10

    private static let isRead = TransportError(
        .invalidRequest, "The body is being read by another task already.", requestMayHaveBeenSent: true)

    private struct State {
        var ahead = Data()
        var isPaused = false
        var end: Result<Void, any Error>?
        var trailers: TransportHeaders = [:]
        var reader: CheckedContinuation<Data?, any Error>?
        /// The number of bytes that the reader waits for.
        var wanted = 0
        /// Lets a paused transport go on.
        var resume: (@Sendable () -> Void)?
    }

    /// Sets how a paused transport goes on.
    func onRoom(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

    /// Whether the transport may go on: a reader can make room while the transport is about to pause.
    var hasRoom: Bool { state.withLock { !$0.isPaused } }

    /// Whether the exchange has ended, so that there is nothing to cancel.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Takes a piece, which is not empty; false asks the transport to pause until there is room, once: each pause of a task of
    /// URLSession wants an end of its own.
    func take(_ piece: Data) -> Bool {
        take { ahead in if ahead.isEmpty { ahead = piece } else { ahead.append(piece) } }
    }

    /// Takes a copy of a piece, as `take(_:)` does.
    func take(copying piece: UnsafeRawBufferPointer) -> Bool { take { $0.append(contentsOf: piece) } }

    private func take(_ append: (inout Data) -> Void) -> Bool {
        let (reader, ahead, isPaused) = state.withLock { state in
            guard state.end == nil else { return (CheckedContinuation<Data?, any Error>?.none, Data(), false) }
            append(&state.ahead)
            guard state.reader == nil else {
                guard state.ahead.count >= state.wanted else { return (nil, Data(), false) }
                defer { state.ahead = Data() }
                return (state.reader.take(), state.ahead, false)
            }
            let wasPaused = state.isPaused
            state.isPaused = state.ahead.count >= Self.limit
            return (nil, Data(), state.isPaused && !wasPaused)
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
        let (reader, ahead): (CheckedContinuation<Data?, any Error>?, Data) = state.withLock { state in
            guard state.end == nil else { return (nil, Data()) }
            state.end = end
            state.resume = nil
            guard state.reader != nil else { return (nil, Data()) }
            defer { state.ahead = Data() }
            return (state.reader.take(), state.ahead)
        }
        reader?.resume(with: ahead.isEmpty ? end.map { nil } : .success(ahead))
    }

    /// Returns all that has come, waiting for so many bytes, or for the end; nil at the end.
    func next(atLeast wanted: Int) async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let (outcome, resume): (Result<Data?, any Error>?, (@Sendable () -> Void)?) = state.withLock { state in
                if state.reader != nil { return (.failure(Self.isRead), nil) }
                let hasAll = state.ahead.count >= max(1, wanted) || state.end != nil
                defer { state.isPaused = false }
                let resume = state.isPaused ? state.resume : nil
                guard hasAll else {
                    (state.reader, state.wanted) = (continuation, wanted)
                    return (nil, resume)
                }
                guard !state.ahead.isEmpty else { return (state.end?.map { nil }, nil) }
                defer { state.ahead = Data() }
                return (.success(state.ahead), resume)
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

    /// Returns the next piece, of so many bytes but for the last one; cancels the exchange when the task is cancelled.
    func next(atLeast wanted: Int) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await pipe.next(atLeast: wanted)
        } onCancel: {
            pipe.finish(.failure(CancellationError()))
            cancel()
        }
    }
}

import AuthStateFoundation
import AuthStateJOSE

/// The body of a request between its source and a transport: the source waits while the transport has a piece left.
final class UploadPipe: Sendable {
    /// The number of bytes; nil when it is not known.
    let count: Int?
    private let state = Lock(State())

    private struct State {
        var piece = Data()
        var total = 0
        var hasEnded = false
        /// No piece is wanted: the server has answered, or the exchange is over.
        var isStopped = false
        /// The transport waits for a piece.
        var isStarved = false
        /// The time since which the server has not taken what there is.
        var waiting = ContinuousClock.now
        var source: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?

        /// Notes that there is something to take; returns whether the transport waits for it.
        mutating func feed() -> Bool {
            guard isStarved else { return false }
            (isStarved, waiting) = (false, .now)
            return true
        }
    }

    init(count: Int?) { self.count = count }

    /// What a transport finds when it asks for bytes.
    enum Supply: Equatable { case bytes(Int), later, end }

    /// Reads the body to its end, or until the exchange is over.
    ///
    /// - Parameters:
    ///   - wake: Called when a transport that has found nothing can ask again.
    ///   - fail: Called with the source's error, which ends the exchange.
    func start(
        _ body: StreamedBody, wake: @escaping @Sendable () -> Void, fail: @escaping @Sendable (any Error) -> Void
    ) {
        let task = Task {
            do {
                while !Task.isCancelled, let piece = try await body.read() { try await put(piece, wake) }
                // A source learns by a cancelled call that it is asked no more.
                if Task.isCancelled { _ = try await body.read() }
                if try end() { wake() }
            } catch {
                // The end of a source that was cancelled because the server has answered is no failure of the exchange.
                if !self.isStopped { fail(error) }
            }
        }
        let isStopped = state.withLock { state in
            if !state.isStopped, !state.hasEnded { state.task = task }
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    func take(into buffer: UnsafeMutableRawBufferPointer) -> Supply {
        let (supply, source): (Supply, CheckedContinuation<Void, Never>?) = state.withLock { state in
            // A body that was stopped has no end: it would look whole.
            if state.isStopped { return (.later, nil) }
            guard !state.piece.isEmpty else {
                state.isStarved = !state.hasEnded
                return (state.hasEnded ? .end : .later, nil)
            }
            let count = min(buffer.count, state.piece.count)
            buffer.copyBytes(from: state.piece.prefix(count))
            state.piece = state.piece.dropFirst(count)
            state.waiting = .now
            return (.bytes(count), state.piece.isEmpty ? state.source.take() : nil)
        }
        source?.resume()
        return supply
    }

    /// Whether the reading has ended before the end of the body.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Whether the transport waits for a piece that has not come.
    var isStarved: Bool { state.withLock { $0.isStarved } }

    /// The time at which a server that takes nothing, or does not answer, has used its time; a source may take any.
    func deadline(_ timeout: Duration) -> ContinuousClock.Instant {
        state.withLock { $0.isStarved ? .now : $0.waiting } + timeout
    }

    func stop() {
        let (source, task) = state.withLock { state in
            (state.isStopped, state.isStarved) = (true, false)
            return (state.source.take(), state.task.take())
        }
        task?.cancel()
        source?.resume()
    }

    /// Hands a piece over, and returns when it was taken, or no piece is wanted.
    private func put(_ piece: Data, _ wake: () -> Void) async throws {
        guard !piece.isEmpty else { return }
        let isWaiting = try state.withLock { state in
            state.total += piece.count
            if let count, state.total > count { throw StreamedBody.otherCount(mayHaveBeenSent: true) }
            state.piece = piece
            return state.feed()
        }
        if isWaiting { wake() }
        await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                if !state.isStopped, !state.piece.isEmpty { state.source = continuation }
                return state.source == nil
            }
            if isTaken { continuation.resume() }
        }
    }

    /// Notes the end; returns whether the transport waits for it.
    private func end() throws -> Bool {
        try state.withLock { state in
            if state.isStopped { return false }
            if let count, state.total != count { throw StreamedBody.otherCount(mayHaveBeenSent: true) }
            state.hasEnded = true
            state.task = nil
            return state.feed()
        }
    }
}

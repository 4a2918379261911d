import AuthStatePlatform
import Dispatch
import Synchronization

/// The lines that come in at a descriptor, read on a thread of its own: no faster than they are taken.
struct LineInput: AsyncSequence, Sendable {
    /// A line without its end.
    enum Line: Sendable, Equatable {
        case whole([UInt8])
        /// A line of more bytes than are kept.
        case tooLong
    }

    let descriptor: Int32
    /// The most bytes of a line.
    var limit = 64 << 20

    func makeAsyncIterator() -> Iterator {
        // A semaphore may not end below the value that it began with.
        let taken = DispatchSemaphore(value: 0)
        taken.signal()
        let (chunks, feed) = AsyncStream<[UInt8]>.makeStream()
        let descriptor = descriptor
        let thread = DispatchQueue(label: "authstate.input")
        thread.async {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                taken.wait()
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR {
                    taken.signal()
                    continue
                }
                guard count > 0 else { return feed.finish() }
                feed.yield(Array(buffer[..<count]))
            }
        }
        return Iterator(chunks: chunks.makeAsyncIterator(), taken: taken, limit: limit)
    }

    /// Reads the lines; ends when the task is cancelled.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: AsyncStream<[UInt8]>.AsyncIterator
        fileprivate let taken: DispatchSemaphore
        fileprivate let limit: Int
        private var rest: [UInt8] = []
        private var start = 0
        private var isTooLong = false

        fileprivate init(chunks: AsyncStream<[UInt8]>.AsyncIterator, taken: DispatchSemaphore, limit: Int) {
            (self.chunks, self.taken, self.limit) = (chunks, taken, limit)
        }

        mutating func next() async -> Line? {
            var searched = start
            while true {
                if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer {
                        start = end + 1
                        isTooLong = false
                    }
                    if isTooLong || end - start > limit { return .tooLong }
                    return .whole(Array(rest[start..<end]))
                }
                rest.removeFirst(start)
                start = 0
                if rest.count > limit { (rest, isTooLong) = ([], true) }
                searched = rest.count
                guard let chunk = await chunks.next() else {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : .whole(rest)
                }
                taken.signal()
                rest += chunk
            }
        }
    }
}

/// Writes lines to a descriptor, whole and one after the other, on a thread of its own.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "authstate.output")

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, and returns when it is written.
    ///
    /// - Throws: `CancellationError` where the reader has gone.
    func write(_ line: [UInt8]) async throws {
        let isWritten = await withCheckedContinuation { continuation in
            queue.async { [descriptor] in
                continuation.resume(returning: writeAll(line + [UInt8(ascii: "\n")], to: descriptor))
            }
        }
        if !isWritten { throw CancellationError() }
    }
}

/// Callers that wait for a value under a key; one that is cancelled waits no longer.
final class Waiters<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let waiting = Mutex<[Key: CheckedContinuation<Value, any Error>]>([:])

    /// Waits for the value of a key; the caller waits when its actor is free again.
    ///
    /// - Parameter start: Called once the caller waits.
    nonisolated(nonsending) func value(for key: Key, after start: () -> Void = {}) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let other = waiting.withLock { $0.updateValue(continuation, forKey: key) }
                other?.resume(throwing: CancellationError())
                if Task.isCancelled { resume(key, with: .failure(CancellationError())) } else { start() }
            }
        } onCancel: {
            resume(key, with: .failure(CancellationError()))
        }
    }

    /// Ends the wait for a key; returns whether a caller waited.
    @discardableResult
    func resume(_ key: Key, with result: Result<Value, any Error>) -> Bool {
        guard let continuation = waiting.withLock({ $0.removeValue(forKey: key) }) else { return false }
        continuation.resume(with: result)
        return true
    }

    /// Ends the wait of all callers.
    func resumeAll(with result: Result<Value, any Error>) {
        let all = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for continuation in all.values { continuation.resume(with: result) }
    }
}

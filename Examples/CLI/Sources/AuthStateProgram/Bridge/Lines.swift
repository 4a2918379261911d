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

/// Writes lines to a descriptor, whole and in order: short ones at once where there is room, others on a thread of its own.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "authstate.output")
    /// The number of lines that wait for the thread.
    private let waiting = Mutex(0)

    /// A pipe that can be written to takes so many bytes without a wait (POSIX).
    private static let room = Int(PIPE_BUF)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, and returns when it is written.
    ///
    /// - Throws: `CancellationError` where the reader has gone.
    func write(_ line: [UInt8]) async throws {
        let bytes = line + [UInt8(ascii: "\n")]
        let isWrittenAtOnce = waiting.withLock { waiting -> Bool? in
            if waiting == 0, bytes.count <= Self.room, hasRoom { return writeAll(bytes, to: descriptor) }
            waiting += 1
            return nil
        }
        let isWritten: Bool
        if let isWrittenAtOnce {
            isWritten = isWrittenAtOnce
        } else {
            isWritten = await withCheckedContinuation { continuation in
                queue.async { [self] in
                    let isWritten = writeAll(bytes, to: descriptor)
                    waiting.withLock { $0 -= 1 }
                    continuation.resume(returning: isWritten)
                }
            }
        }
        if !isWritten { throw CancellationError() }
    }

    private var hasRoom: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
    }
}

import AuthStateKit
import AuthStatePlatform
import Dispatch
import Synchronization

/// The lines that come in at a descriptor, read on a thread of its own: no faster than they are taken.
///
/// A line is the memory that the system wrote it to; one that came behind another is copied, so that it keeps no other's memory.
struct LineInput: AsyncSequence, Sendable {
    /// A line without its end.
    enum Line: Sendable, Equatable {
        case whole(Data)
        /// A line of more bytes than are kept.
        case tooLong
    }

    let descriptor: Int32
    /// The most bytes of a line.
    var limit = 64 << 20

    func makeAsyncIterator() -> Iterator {
        // A semaphore may not end below the value that it began with. One chunk is read ahead: the thread waits for the host, and needs
        // no wake of the program's.
        let taken = DispatchSemaphore(value: 0)
        for _ in 0..<2 { taken.signal() }
        let (chunks, feed) = AsyncStream<Data>.makeStream()
        let (descriptor, limit) = (descriptor, limit)
        let thread = DispatchQueue(label: "authstate.input")
        thread.async {
            while true {
                taken.wait()
                guard let chunk = readChunk(from: descriptor, atMost: limit + 1) else { return feed.finish() }
                feed.yield(chunk)
            }
        }
        return Iterator(chunks: chunks.makeAsyncIterator(), taken: taken, limit: limit)
    }

    /// Reads the lines; ends when the task is cancelled.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: AsyncStream<Data>.AsyncIterator
        fileprivate let taken: DispatchSemaphore
        fileprivate let limit: Int
        /// What was read and not returned.
        private var chunk = Data()
        /// The beginning of a line whose end is in a later chunk.
        private var beginning = Data()
        private var isTooLong = false

        fileprivate init(chunks: AsyncStream<Data>.AsyncIterator, taken: DispatchSemaphore, limit: Int) {
            (self.chunks, self.taken, self.limit) = (chunks, taken, limit)
        }

        mutating func next() async -> Line? {
            while true {
                if let end = chunk.firstIndex(ofByte: UInt8(ascii: "\n")) {
                    add(chunk[..<end])
                    chunk = chunk[(end + 1)...]
                    return takeLine()
                }
                add(chunk)
                chunk = Data()
                guard let next = await chunks.next() else {
                    return beginning.isEmpty && !isTooLong ? nil : takeLine()
                }
                taken.signal()
                chunk = next
            }
        }

        private mutating func add(_ piece: Data) {
            isTooLong = isTooLong || beginning.count + piece.count > limit
            if isTooLong { beginning = Data() } else { beginning.add(piece) }
        }

        private mutating func takeLine() -> Line {
            defer { (beginning, isTooLong) = (Data(), false) }
            return isTooLong ? .tooLong : .whole(beginning)
        }
    }
}

/// Reads what has come at a descriptor, until it has the end of a line, or more bytes than a line may have; nil at the end.
private func readChunk(from descriptor: Int32, atMost limit: Int) -> Data? {
    var room = min(1 << 16, limit)
    guard var memory = malloc(room) else { return nil }
    var end = 0
    while true {
        let count = read(descriptor, memory + end, room - end)
        if count < 0, errno == EINTR || errno == EAGAIN {
            isReady(descriptor, for: POLLIN)
            continue
        }
        guard count > 0 else { break }
        let hasLine = memchr(memory + end, Int32(UInt8(ascii: "\n")), count) != nil
        end += count
        if hasLine || end == limit { break }
        if end == room {
            room = min(room * 2, limit)
            guard let larger = realloc(memory, room) else { break }
            memory = larger
        }
    }
    // The rest of the memory goes back.
    guard end > 0, let kept = realloc(memory, end) else {
        free(memory)
        return nil
    }
    return Data(bytesNoCopy: kept, count: end, deallocator: .free)
}

/// Writes lines to a descriptor, whole and in order: at once as long as there is room, the rest on a thread of its own.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "authstate.output")
    /// The number of lines that wait for the thread.
    private let waiting = Mutex(0)

    /// Whether a descriptor that can be written to has room for `room` bytes: that of a terminal may have less.
    private let tellsRoom: Bool

    /// A pipe that can be written to takes so many bytes without a wait (POSIX).
    private static let room = Int(PIPE_BUF)
    /// The most bytes that are written at once: other lines wait meanwhile, without a turn of the thread.
    private static let most = 1 << 16

    private enum Progress: Equatable {
        /// So many bytes of the line and its end are written; more would have to wait.
        case written(Int)
        case done
        /// The reader has gone.
        case failed
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        tellsRoom = kind == S_IFIFO || kind == S_IFSOCK
    }

    /// Writes a line, and returns when it is written.
    ///
    /// - Throws: `CancellationError` where the reader has gone.
    func write(_ line: Data) async throws {
        let isWritten = await withCheckedContinuation { continuation in
            // Handed to the thread under the lock, so that no other line comes between the parts of this one.
            let progress = waiting.withLock { waiting in
                let progress = waiting == 0 && tellsRoom ? write(line, from: 0, waits: false) : .written(0)
                guard case .written(let start) = progress else { return progress }
                waiting += 1
                queue.async { [self] in
                    let isWritten = write(line, from: start, waits: true) == .done
                    self.waiting.withLock { $0 -= 1 }
                    continuation.resume(returning: isWritten)
                }
                return progress
            }
            switch progress {
            case .written: break
            case .done: continuation.resume(returning: true)
            case .failed: continuation.resume(returning: false)
            }
        }
        if !isWritten { throw CancellationError() }
    }

    private func write(_ line: Data, from start: Int, waits: Bool) -> Progress {
        var written = start
        while written <= line.count {
            let mayWrite = waits || written < Self.most && isReady(descriptor, for: POLLOUT, milliseconds: 0)
            if !mayWrite { return .written(written) }
            let count = writePart(of: line, from: written, atMost: waits ? .max : Self.room)
            if count < 0, errno == EINTR || errno == EAGAIN {
                if waits { isReady(descriptor, for: POLLOUT) }
                continue
            }
            guard count > 0 else { return .failed }
            written += count
        }
        return .done
    }

    /// Writes a line and its end from a byte on, in one call and without a copy.
    private func writePart(of line: Data, from start: Int, atMost limit: Int) -> Int {
        line.withUnsafeBytes { line in
            var end = UInt8(ascii: "\n")
            return withUnsafeMutableBytes(of: &end) { end in
                let rest = UnsafeMutableRawBufferPointer(mutating: .init(rebasing: line[start...].prefix(limit)))
                let parts = [
                    iovec(iov_base: rest.baseAddress, iov_len: rest.count),
                    iovec(iov_base: end.baseAddress, iov_len: rest.count < limit ? 1 : 0),
                ]
                return writev(descriptor, parts, 2)
            }
        }
    }
}

extension Data {
    /// The first place of a byte, by the C library's search; nil where there is none.
    func firstIndex(ofByte byte: UInt8) -> Index? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return startIndex + (UnsafeRawPointer(found) - start)
        }
    }

    /// Appends bytes; those at the beginning of their memory are not copied where there were none.
    fileprivate mutating func add(_ piece: Data) {
        if piece.isEmpty { return }
        if isEmpty { self = piece.startIndex == 0 ? piece : piece.withUnsafeBytes { Data($0) } } else { append(piece) }
    }
}

import AuthStateJOSE
import AuthStateKit
import AuthStatePlatform
import AuthStateProgram
import Synchronization

/// A file with one JSON object for each request with the key: never a header, a query or a body.
final class ProxyAudit: Sendable {
    /// The end of a request.
    struct End: Sendable, Equatable {
        /// The reason.
        enum Reason: String, Sendable {
            /// The answer was sent.
            case whole
            /// The program left before it had the whole answer.
            case program
            /// The API's answer broke off.
            case api
            /// The proxy was ended.
            case proxy
        }

        /// The status; nil where the program left before there was an answer: the API may have done what it was asked for.
        var status: Int?
        /// The bytes of the answer's body that were sent.
        var bytes = 0
        var reason = Reason.program
        /// Whether the user has confirmed the request; nil when the user was not asked.
        var isConfirmed: Bool?
    }

    private let path: String
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32
        /// The lines that could not be written yet.
        var waiting: [UInt8] = []
        /// Whether the path leads to the open file.
        func isOpen(at path: String) -> Bool {
            var (own, named) = (stat(), stat())
            return descriptor >= 0 && fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
                && own.st_dev == named.st_dev && own.st_ino == named.st_ino
        }

        /// Writes the lines that wait, and keeps those that the file does not take whole; returns whether there are none left.
        mutating func write() -> Bool {
            var rest = waiting[...]
            let isWhole = writeAll(&rest, to: descriptor)
            let end = waiting[..<rest.startIndex].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            var status = stat()
            // A line that is begun is taken back: the file may be emptied, or moved away, before there is room for the rest. One that
            // may only grow keeps the beginning, and the line is continued.
            let isTaken =
                rest.startIndex == end
                || fstat(descriptor, &status) == 0
                    && ftruncate(descriptor, status.st_size - off_t(rest.startIndex - end)) == 0
            waiting.removeFirst(isTaken ? end : rest.startIndex)
            return isWhole
        }
    }

    /// Opens the file, or makes one that its owner alone can read, and writes that the proxy begins.
    ///
    /// - Throws: `AuthStateError` of kind usage when it cannot be written.
    init(_ path: String, for upstream: ProxyUpstream, at time: Date = Date()) throws {
        self.path = path
        state = Mutex(State(descriptor: Self.open(path)))
        guard append(["event": "start", "time": Self.text(time), "upstream": .string("\(upstream)")]) else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The file of --audit cannot be written.",
                expected: "a regular file, and room for it", received: path)
        }
    }

    deinit { state.withLock { if $0.descriptor >= 0 { _ = close($0.descriptor) } } }

    /// Whether requests may be passed on: all lines are written.
    var canWrite: Bool { append(nil) }

    /// Writes a line; returns whether that, and all before it, was done. A line that cannot be written is kept.
    func note(_ method: String, _ path: String, _ end: End, at time: Date = Date()) -> Bool {
        var line: [String: JSONValue] = [
            "time": Self.text(time), "method": .string(method), "path": .string(path),
            "status": end.status.map { .number(JSONNumber(Int64($0))) } ?? .null,
            "bytes": .number(JSONNumber(Int64(end.bytes))), "ended": .string(end.reason.rawValue),
        ]
        line["confirmed"] = end.isConfirmed.map { .bool($0) }
        return append(.object(line))
    }

    private func append(_ line: JSONValue?) -> Bool {
        state.withLock { state in
            // A file that was moved away or removed is made anew.
            if !state.isOpen(at: path) {
                if state.descriptor >= 0 { close(state.descriptor) }
                state.descriptor = Self.open(path)
            }
            if let line { state.waiting += line.serialized() + [0x0A] }
            return state.descriptor >= 0 && state.write()
        }
    }

    /// Opens a regular file to write at its end; a pipe could hold up the proxy.
    private static func open(_ path: String) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = AuthStatePlatform.open(path, flags, 0o600)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            return -1
        }
        return descriptor
    }

    private static func text(_ time: Date) -> JSONValue {
        .string(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time))
    }
}

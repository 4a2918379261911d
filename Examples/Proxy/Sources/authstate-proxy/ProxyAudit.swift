import AuthStateKit
import AuthStatePlatform
import AuthStateProgram
import Synchronization

/// A file with one JSON object for each request that was judged by its method and path: never a header, a query or a body.
final class ProxyAudit: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Whether the last line was written.
    private let isWritten = Mutex(true)

    /// Opens the file to write at its end; makes one that its owner alone can read.
    ///
    /// - Throws: `AuthStateError` of kind usage when it cannot be written.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw AuthStateError(
                .invalidArgument, stage: .usage,
                "The file of --audit cannot be written: \(String(cString: strerror(errno))).",
                received: path)
        }
    }

    deinit { close(descriptor) }

    /// Whether the next request may be passed on: what cannot be told is not done.
    var canWrite: Bool { isWritten.withLock { $0 } || append([]) }

    /// Writes a line; returns whether that was done.
    @discardableResult
    func note(_ method: String, _ path: String, _ status: Int, bytes: Int, at time: Date = Date()) -> Bool {
        let line: JSONValue = [
            "time": .string(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time)),
            "method": .string(method), "path": .string(path), "status": .number(JSONNumber(Int64(status))),
            "bytes": .number(JSONNumber(Int64(bytes))),
        ]
        return append(line.serialized() + [0x0A])
    }

    private func append(_ line: [UInt8]) -> Bool {
        isWritten.withLock { isWritten in
            // An empty line begins again after one that was written in part.
            let bytes = isWritten ? line : [0x0A] + line
            isWritten = bytes.isEmpty || writeAll(bytes, to: descriptor)
            return isWritten
        }
    }
}

import AuthStateLibc
import AuthStateSystem

/// The terminal: standard error for text that a user reads, standard input for text that a user types.
package enum StandardTerminal {
    private static let longestLine = 64 << 10

    /// Whether a user can read and answer.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    package static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { AuthStateLibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a line of standard input; nil at its end. A cancelled caller is resumed at once.
    static func readLine(from descriptor: Int32 = STDIN_FILENO) async throws -> String? {
        let line = SharedResult<String?>()
        try DedicatedThread.start { readLine(from: descriptor, into: line) }
        // A caller that leaves ends the reading too: the next line belongs to another reader.
        defer { line.finish(.failure(CancellationError())) }
        return try await line.value()
    }

    /// Reads byte by byte, so that input after the line stays for the next reader; ends soon after the caller has left.
    private static func readLine(from descriptor: Int32, into line: SharedResult<String?>) {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !line.isFinished {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard AuthStateLibc.poll(&poll, 1, 200) > 0, !line.isFinished else { continue }
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0, byte != .lineFeed, bytes.count < longestLine else {
                let isEnd = count <= 0 && bytes.isEmpty
                line.finish(.success(isEnd ? nil : String(decoding: bytes, as: UTF8.self)))
                return
            }
            bytes.append(byte)
        }
    }
}

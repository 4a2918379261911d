import AuthStateKit
import AuthStatePlatform
import Dispatch
import Synchronization

/// `authstate-proxy` in the background, for as long as the program that takes the place of this process.
enum ProxyChild {
    /// The option with which the proxy ends at the end of its input.
    static let option = "--until-eof"

    /// The proxy did not start, and has said why on standard error.
    struct Refused: Error {
        var status: ExitReason
    }

    /// Starts the proxy, and returns its address.
    ///
    /// Its input is a pipe whose other end the program inherits. A shell starts it: a program that waits for all its children does
    /// not wait for the proxy. A process group of its own keeps it from the signals of a terminal; one that asks there stays in that
    /// of the program.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the proxy.
    ///   - asks: Whether it asks the user on the terminal.
    /// - Throws: `AuthStateError` when it is not installed, `Refused`, `CancellationError`.
    static func start(_ arguments: [String], asks: Bool) async throws -> String {
        guard let path = Proxy.candidates.first(where: { access($0, X_OK) == 0 }) else { throw Proxy.notInstalled }
        // The shell gives a program in the background an empty input, unless told otherwise. The last line is for a proxy that
        // did not start.
        let script = "exec 3<&0; { \"$@\" <&3 3<&-; echo \"$?\"; } &"
        let words = ["/bin/sh", "-c", script, "sh", path, option] + arguments
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Reading blocks the thread, which must not be one of the concurrency pool's.
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result { try address(of: words, asks) { isCancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private static func address(
        of words: [String], _ asks: Bool, unless isCancelled: () -> Bool
    ) throws -> String {
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw AuthStateError.notStarted(errno) }
        defer { for end in [input[0], output[0]] { close(end) } }
        let shell: pid_t
        do {
            defer { close(output[1]) }
            shell = try spawn("/bin/sh", words, flags: asks ? 0 : Int16(POSIX_SPAWN_SETPGROUP)) { files in
                posix_spawn_file_actions_adddup2(&files, input[0], 0)
                posix_spawn_file_actions_adddup2(&files, output[1], 1)
                for end in input + output { posix_spawn_file_actions_addclose(&files, end) }
            }
        }
        while waitpid(shell, nil, 0) < 0, errno == EINTR {}
        guard let line = firstLine(from: output[0], unless: isCancelled) else {
            // The proxy ends with this input.
            close(input[1])
            throw CancellationError()
        }
        if line.hasPrefix("http://") { return line }
        throw Refused(status: Int32(line).flatMap(ExitReason.init) ?? .configuration)
    }

    /// Reads a line, or what there is of one; nil when cancelled before.
    private static func firstLine(from descriptor: Int32, unless isCancelled: () -> Bool) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while !isCancelled() {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 100) > 0 else { continue }
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count != 1 || byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}

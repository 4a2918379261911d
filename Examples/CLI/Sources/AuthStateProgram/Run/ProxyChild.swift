import AuthStateKit
import AuthStatePlatform
import Dispatch

/// `authstate-proxy` in the background, for as long as the program that takes the place of this process.
enum ProxyChild {
    /// The option with which the proxy ends at the end of its input.
    static let option = "--until-eof"

    /// Starts the proxy, and returns its address.
    ///
    /// Its input is a pipe whose other end the program inherits. A shell starts it, so that it is no child of the program, which
    /// may wait for all of those; a process group of its own keeps it from the signals of a terminal.
    ///
    /// - Parameter arguments: The arguments of the proxy.
    /// - Throws: `AuthStateError` when it is not installed, or did not start; the proxy itself tells why on standard error.
    static func start(_ arguments: [String]) async throws -> String {
        guard let path = Proxy.candidates.first(where: { access($0, X_OK) == 0 }) else { throw Proxy.notInstalled }
        // The shell gives a program in the background an empty input, unless told otherwise.
        let script = "exec 3<&0; \"$@\" <&3 3<&- &"
        let words = ["/bin/sh", "-c", script, "sh", path, option] + arguments
        let line = try await withCheckedThrowingContinuation { continuation in
            // Reading blocks the thread, which must not be one of the concurrency pool's.
            DispatchQueue.global().async { continuation.resume(with: Result { try firstLine(of: words) }) }
        }
        guard let line else {
            throw AuthStateError(
                .unsupported, stage: .usage, "The proxy did not start.", hint: "See the message before.")
        }
        return line
    }

    private static func firstLine(of words: [String]) throws -> String? {
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw failure(errno) }
        defer { for end in [input[0], output[0]] { close(end) } }
        #if canImport(Darwin)
            var files: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var files = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&files)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&files)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&files, input[0], 0)
        posix_spawn_file_actions_adddup2(&files, output[1], 1)
        for end in input + output { posix_spawn_file_actions_addclose(&files, end) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETPGROUP))

        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var shell = pid_t()
        let code = withCStrings(words) { words in
            withCStrings(environment) { posix_spawn(&shell, "/bin/sh", &files, &attributes, words, $0) }
        }
        close(output[1])
        guard code == 0 else { throw failure(code) }
        while waitpid(shell, nil, 0) < 0, errno == EINTR {}
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(output[0], &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    private static func failure(_ code: Int32) -> AuthStateError {
        AuthStateError(
            .unsupported, stage: .usage, "The proxy cannot be started: \(String(cString: strerror(code))).")
    }
}

import AuthStateKit
import AuthStatePlatform
import Dispatch

/// This program once more, as a process of its own.
enum ChildProgram {
    /// Its exit status, and its output.
    struct Result: Sendable {
        var status: Int32
        var output: [UInt8]
    }

    /// Runs it to its end; its standard error is discarded.
    static func run(_ arguments: [String]) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process blocks its thread, which must not be one of the concurrency pool's.
            DispatchQueue.global().async {
                continuation.resume(with: Swift.Result { try runBlocking(arguments) })
            }
        }
    }

    private static func runBlocking(_ arguments: [String]) throws -> Result {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(arguments, output: ends[1], reader: ends[0])
        }
        let output = readAll(ends[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return Result(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    }

    private static func spawn(_ arguments: [String], output: Int32, reader: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var files: posix_spawn_file_actions_t?
        #else
            var files = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&files, output, 1)
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&files, reader)
        posix_spawn_file_actions_addclose(&files, output)

        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var process = pid_t()
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(environment) { posix_spawn(&process, path, &files, nil, arguments, $0) }
        }
        guard code == 0 else { throw failure(code) }
        return process
    }

    /// Where this program is.
    private static var path: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            CommandLine.arguments[0]
        #endif
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += buffer.prefix(count)
        }
    }

    private static func failure(_ code: Int32) -> AuthStateError {
        AuthStateError(
            .providerError, stage: Demo.stage,
            "The second process cannot be started: \(String(cString: strerror(code))).")
    }
}

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

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - input: Its standard input, shorter than what a pipe holds; nil for none.
    ///   - isDetached: Whether it lives on when this process and its terminal end, and shares its standard error; else that is
    ///     discarded.
    ///   - onLine: Called with each line of its output as it comes, without its end.
    static func run(
        _ arguments: [String], input: [UInt8]? = nil, isDetached: Bool = false,
        onLine: @escaping @Sendable (ArraySlice<UInt8>) -> Void = { _ in }
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process blocks its thread, which must not be one of the concurrency pool's.
            DispatchQueue.global().async {
                continuation.resume(with: Swift.Result { try runBlocking(arguments, input, isDetached, onLine) })
            }
        }
    }

    private static func runBlocking(
        _ arguments: [String], _ input: [UInt8]?, _ isDetached: Bool, _ onLine: (ArraySlice<UInt8>) -> Void
    ) throws -> Result {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw AuthStateError.notStarted(errno) }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(arguments, input, output: ends[1], reader: ends[0], isDetached)
        }
        let output = readAll(ends[0], onLine)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return Result(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    }

    /// `POSIX_SPAWN_SETSID`, which the headers of Linux show to GNU programs alone.
    private static var newSession: Int16 {
        #if canImport(Darwin)
            Int16(POSIX_SPAWN_SETSID)
        #else
            0x80
        #endif
    }

    private static func spawn(
        _ arguments: [String], _ input: [UInt8]?, output: Int32, reader: Int32, _ isDetached: Bool
    ) throws -> pid_t {
        var inputEnds: [Int32] = [-1, -1]
        defer { for end in inputEnds where end >= 0 { close(end) } }
        if let input {
            guard pipe(&inputEnds) == 0, fcntl(inputEnds[1], F_SETFL, O_NONBLOCK) == 0,
                write(inputEnds[1], input, input.count) == input.count
            else { throw AuthStateError.notStarted(errno) }
        }
        return try AuthStateProgram.spawn(path, [path] + arguments, flags: isDetached ? newSession : 0) { files in
            if input != nil {
                posix_spawn_file_actions_adddup2(&files, inputEnds[0], 0)
            } else {
                posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
            }
            posix_spawn_file_actions_adddup2(&files, output, 1)
            if !isDetached { posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) }
            for end in inputEnds + [reader, output] where end >= 0 { posix_spawn_file_actions_addclose(&files, end) }
        }
    }

    /// Where this program is.
    private static var path: String {
        #if os(Linux)
            return "/proc/self/exe"
        #else
            // A name without a slash is that of a file somewhere in PATH.
            var size: UInt32 = 0
            _ = _NSGetExecutablePath(nil, &size)
            var path = [CChar](repeating: 0, count: Int(size))
            guard _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
            return String(cString: path)
        #endif
    }

    private static func readAll(_ descriptor: Int32, _ onLine: (ArraySlice<UInt8>) -> Void) -> [UInt8] {
        var all: [UInt8] = []
        var told = 0
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += buffer.prefix(count)
            while let end = all[told...].firstIndex(of: 0x0A) {
                onLine(all[told..<end])
                told = end + 1
            }
        }
    }
}

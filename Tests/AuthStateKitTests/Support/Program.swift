#if os(Linux)
    import AuthStateJOSE
    import Glibc
    import Testing

    /// A program that a test runs, started with `posix_spawn`: Foundation's `Process` is not for several threads at once.
    final class Program: Sendable {
        let pid: pid_t
        private let output: Int32
        private let status = Lock<Int32?>(nil)

        /// Starts a program; its standard error goes nowhere, its standard output to `read`.
        init(_ path: String, _ arguments: [String]) throws {
            var pipes: [Int32] = [0, 0]
            let isPiped = pipe(&pipes) == 0
            try #require(isPiped)
            for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            var files = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&files)
            defer { posix_spawn_file_actions_destroy(&files) }
            posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&files, pipes[1], 1)
            posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0)
            let words = ([path] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var pid = pid_t()
            let code = posix_spawn(&pid, path, &files, nil, words, environ)
            close(pipes[1])
            output = pipes[0]
            self.pid = pid
            // The object is whole by now: leaving with an error runs `deinit`, which must find no process to end.
            if code != 0 { status.withLock { $0 = 127 } }
            try #require(code == 0, "\(path) cannot be started")
        }

        deinit {
            terminate()
            close(output)
        }

        /// What the program has written since; empty at its end. Waits for the first byte.
        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(output, &bytes, bytes.count)
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : ""
        }

        /// Waits for the end and returns the exit code, or 128 and the signal's number.
        @discardableResult
        func wait() -> Int32 {
            status.withLock { known in
                if let known { return known }
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                known = code
                return code
            }
        }

        /// Ends the program, if it has not ended by itself.
        func terminate() {
            if status.withLock({ $0 == nil }) { kill(pid, SIGKILL) }
            wait()
        }
    }

    /// Runs a program to its end and returns its exit code.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> Int32 { try Program(program, arguments).wait() }
#endif

#if os(macOS) || os(Linux)
    import AuthStateFoundation
    import AuthStateSystem
    import AuthStateLibc

    /// Runs a program without a shell: no input, no output, and no trace of it left when it ends. Its standard error is
    /// reported at its end.
    enum ChildProcess {
        /// Starts a program and returns.
        ///
        /// - Parameters:
        ///   - words: The program, looked up in `PATH` unless it has a slash in it, and its arguments.
        ///   - withheld: Environment variables that the program does not inherit.
        ///   - onExit: Called once, on another thread, with the exit status, or 128 and the signal's number, and the last
        ///     lines of its standard error.
        static func run(
            _ words: [String], withholding withheld: Set<String> = [],
            onExit: @escaping @Sendable (Int32, ErrorOutput.Lines) -> Void
        ) throws(SystemCallError) {
            guard let name = words.first, let path = find(name), !words.contains(where: { $0.utf8.contains(0) }) else {
                throw SystemCallError("posix_spawn", code: ENOENT)
            }
            let errors = ErrorOutput()
            let process = try spawn(path, words, withheld, errors)
            do throws(SystemCallError) {
                // The kernel keeps an ended child until its parent waits for it.
                try DedicatedThread.start {
                    let status = wait(for: process)
                    onExit(status, errors.lastLines)
                }
            } catch {
                kill(process, SIGKILL)
                _ = wait(for: process)
                throw error
            }
        }

        /// Returns the path of a program; nil when `PATH` does not have it.
        static func find(_ name: String) -> String? {
            guard !name.contains("/") else { return HomeFolder.expanded(name) }
            guard !name.isEmpty else { return nil }
            let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
            return folders.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
                .first { access($0, X_OK) == 0 }
        }

        /// Returns whether a program of this name or path is there and may be run.
        static func canRun(_ name: String) -> Bool { find(name).map { access($0, X_OK) == 0 } == true }

        private static func spawn(
            _ path: String, _ words: [String], _ withheld: Set<String>, _ errors: ErrorOutput
        ) throws(SystemCallError) -> pid_t {
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
            // Standard output belongs to the program's own data.
            for (descriptor, mode) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] as [(Int32, Int32)] {
                posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", mode, 0)
            }
            if let file = errors.descriptor { posix_spawn_file_actions_adddup2(&files, file, 2) }
            // Signals that this program ignores or blocks are the child's to decide about.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
            #if canImport(Darwin)
                flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #endif
            posix_spawnattr_setflags(&attributes, Int16(flags))

            let environment = ProcessInfo.processInfo.environment
                .filter { !withheld.contains($0.key) }.map { "\($0.key)=\($0.value)" }
            var process = pid_t()
            let code = withCStrings(words) { arguments in
                withCStrings(environment) { posix_spawn(&process, path, &files, &attributes, arguments, $0) }
            }
            guard code == 0 else { throw SystemCallError("posix_spawn", code: code) }
            return process
        }

        private static func wait(for process: pid_t) -> Int32 {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 {
                // ECHILD: this program lets the kernel reap; how the child ended is not known.
                guard errno == EINTR else { return 0 }
            }
            let signal = status & 0x7F
            return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        }

        private static func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
            let copies = strings.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            return body(copies + [nil])
        }
    }
#endif

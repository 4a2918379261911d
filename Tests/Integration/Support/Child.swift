import Foundation

/// A child of this process, whose end is asked for and never missed.
final class Child: Sendable {
    struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// The destination of what it writes.
    enum Output {
        /// Into a file, from its beginning.
        case file(String)
        /// To the reader at the other end.
        case descriptor(Int32)
    }

    /// The process.
    let id: pid_t
    private let end = End()

    /// Starts a program, found through `PATH`.
    ///
    /// - Parameter input: A descriptor that becomes its standard input; nil for none.
    init(
        _ words: [String], environment: [String: String], input: Int32? = nil, output: Output, errors: Output
    ) throws {
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
        if let input {
            posix_spawn_file_actions_adddup2(&files, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        }
        for (stream, output) in [(1, output), (2, errors)] as [(Int32, Output)] {
            switch output {
            case .file(let path):
                posix_spawn_file_actions_addopen(&files, stream, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&files, descriptor, stream)
            }
        }
        // A child that held the end of another test's pipe would keep its reader waiting for the end.
        for descriptor in 3..<4096 as Range<Int32> { posix_spawn_file_actions_addclose(&files, descriptor) }
        // The threads of a pool block signals, and a child would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id = pid_t()
        let code = posix_spawnp(&id, words[0], &files, &attributes, arguments, variables)
        guard code == 0 else { throw NotStarted(description: "\(words[0]): \(String(cString: strerror(code)))") }
        self.id = id
    }

    /// The exit status, or 128 and the signal's number; nil while it runs.
    func status() -> Int32? { end.status(of: id, WNOHANG) }

    /// Blocks the thread until it ends, and returns the same.
    @discardableResult
    func wait() -> Int32 { end.status(of: id, 0) ?? -1 }

    /// Sends a signal, unless it has ended.
    func send(_ signal: Int32) { if status() == nil { kill(id, signal) } }

    /// Remembers the status, which the system tells once.
    // Unchecked is right here: `known` is read and written under the lock only.
    private final class End: @unchecked Sendable {
        private let lock = NSLock()
        private var known: Int32?

        func status(of id: pid_t, _ options: Int32) -> Int32? {
            lock.withLock {
                if let known { return known }
                var status: Int32 = 0
                var found: pid_t
                repeat { found = waitpid(id, &status, options) } while found < 0 && errno == EINTR
                guard found == id else { return nil }
                let signal = status & 0x7F
                known = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                return known
            }
        }
    }
}

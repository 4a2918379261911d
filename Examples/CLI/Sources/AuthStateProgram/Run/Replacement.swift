import AuthStateKit
import AuthStatePlatform

/// A program that takes the place of this process: its signals and its exit code are then its own.
struct Replacement: Sendable {
    /// The program, found through `PATH`, and its arguments.
    let words: [String]
    /// Variables that it gets besides those of this process.
    var variables: [String: String] = [:]
    /// Variables that it does not get.
    var withheld: Set<String> = []
    /// A descriptor from which it can read a text, and the text.
    var input: (descriptor: Int32, text: String)?

    /// Replaces the process; returns only when that fails, with the reason.
    func start() -> (status: ExitReason, message: String) {
        for name in withheld { unsetenv(name) }
        for (name, value) in variables { setenv(name, value, 1) }
        if let input, let code = pass(input.text, at: input.descriptor) { return failure(code) }
        // The program handles signals as if a shell had started it.
        for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        withCStrings(words) { _ = execvp(words[0], $0) }
        return failure(errno)
    }

    private func failure(_ code: Int32) -> (ExitReason, String) {
        let isMissing = code == ENOENT || code == ENOTDIR
        return (isMissing ? .commandNotFound : .commandNotStarted, "\(words[0]): \(String(cString: strerror(code)))")
    }

    /// Makes a text readable at a descriptor; a token is shorter than what a pipe holds.
    private func pass(_ text: String, at descriptor: Int32) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return errno }
        let bytes = Array(text.utf8)
        guard fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0, write(ends[1], bytes, bytes.count) == bytes.count else {
            return errno
        }
        close(ends[1])
        guard ends[0] != descriptor else { return nil }
        guard dup2(ends[0], descriptor) >= 0 else { return errno }
        close(ends[0])
        return nil
    }
}

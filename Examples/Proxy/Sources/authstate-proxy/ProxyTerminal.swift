import AuthStateKit
import AuthStatePlatform

/// The terminal that the proxy was started on, whatever its streams lead to.
final class ProxyTerminal: Sendable {
    private let descriptor: Int32

    /// Opens the terminal.
    ///
    /// - Throws: `AuthStateError` of kind usage without one, and in the background of it, where no key is read.
    init() throws {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0, tcgetpgrp(descriptor) == getpgrp() else {
            if descriptor >= 0 { close(descriptor) }
            throw AuthStateError(
                .invalidArgument, stage: .usage, "There is no terminal on which --confirm can ask.",
                expected: "a terminal, with this command in its foreground",
                hint: "Start the proxy in a terminal of its own, or use --allow in place of --confirm.")
        }
        // Reading fails, instead of stopping the process, when the user has put it in the background.
        signal(SIGTTIN, SIG_IGN)
        signal(SIGTTOU, SIG_IGN)
    }

    deinit { close(descriptor) }

    /// Asks a question that only "y" and "yes" answer with yes; returns nil when the time is over, the question is withdrawn, or the
    /// terminal takes or gives nothing.
    func ask(_ question: String, until end: ContinuousClock.Instant, unless isWithdrawn: () -> Bool) -> Bool? {
        // An answer is not older than its question.
        tcflush(descriptor, TCIFLUSH)
        guard show("authstate: Pass on \(question)? [y/N] ") else { return nil }
        var line: [UInt8] = []
        while !isWithdrawn(), .now < end, line.count < 100 {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 100) > 0 else { continue }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1 else { return nil }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            return ["y", "yes"].contains(String(decoding: line, as: UTF8.self).lowercased())
        }
        _ = show("\nauthstate: Not answered, so the request was refused.\n")
        return nil
    }

    private func show(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return write(descriptor, bytes, bytes.count) == bytes.count
    }
}

import Dispatch
import Synchronization

/// Writes messages on a thread of its own. Messages are dropped while too many wait: where they lead to, such as a pipe that is
/// not read, may take no more.
final class MessageQueue: Sendable {
    private let queue = DispatchQueue(label: "authstate.messages")
    private let waiting = Mutex<(count: Int, dropped: Int)>((0, 0))
    private let write: @Sendable (String) -> Void
    /// The number of messages that may wait.
    static let limit = 100

    /// - Parameter write: Writes a text; may block.
    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Writes a text soon, or drops it.
    func post(_ text: String) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < Self.limit else {
                waiting.dropped += 1
                return false
            }
            waiting.count += 1
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            write(text)
            let dropped = waiting.withLock { waiting in
                waiting.count -= 1
                defer { waiting.dropped = 0 }
                return waiting.dropped
            }
            if dropped > 0 { write("\(dropped) messages were left out: standard error was not read.\n") }
        }
    }

    /// Waits until the messages are written, at most a moment.
    func finish() {
        let end = DispatchGroup()
        queue.async(group: end) {}
        _ = end.wait(timeout: .now() + .milliseconds(200))
    }
}

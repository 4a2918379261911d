import NIOCore
import Synchronization

/// The connections whose programs have not shown the key: another user of the machine may open any number of them.
final class ProxyPlaces: Sendable {
    private let strangers = Mutex<[any Channel]>([])

    /// Notes a new connection.
    func enter(_ channel: any Channel) { strangers.withLock { $0.append(channel) } }

    /// Notes that a connection has shown the key, or has ended.
    func leave(_ channel: any Channel) { strangers.withLock { $0.removeAll { $0 === channel } } }

    /// Closes the connection that has shown no key for longest, if there is one.
    func makeRoom() {
        let oldest = strangers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        oldest?.close(promise: nil)
    }
}

import AuthStateLibc
package import AuthStateSystem

/// A small HTTP/1.1 server on loopback addresses only, on one thread of its own.
///
/// It ends when it is stopped or released. The handler runs on its thread and must not block; it answers at once, or
/// later through the responder.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (LoopbackRequest, LoopbackResponder) -> Void

    /// The port, the same on every address.
    package let port: UInt16
    /// The addresses that it listens on.
    package let addresses: [LoopbackAddress]
    private let mailbox: LoopbackMailbox

    /// Binds the addresses and starts the thread.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free on all of the addresses.
    ///   - addresses: The first is required; others are left out where the machine does not have them.
    /// - Throws: `SystemCallError`, with `EADDRINUSE` when the port is in use on any of the addresses.
    package init(
        port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4, .ipv6], limits: LoopbackLimits = LoopbackLimits(),
        handler: @escaping Handler
    ) throws(SystemCallError) {
        let listeners = try Self.listen(addresses, port)
        do throws(SystemCallError) {
            self.port =
                try listeners.first.map { listener throws(SystemCallError) in
                    try LoopbackSocket.port(of: listener.descriptor)
                } ?? 0
            self.addresses = listeners.map(\.address)
            mailbox = try LoopbackMailbox()
            let loop = LoopbackEventLoop(listeners: listeners, mailbox: mailbox, limits: limits, handler: handler)
            try DedicatedThread.start {
                var loop = loop
                loop.run()
            }
        } catch {
            for listener in listeners { close(listener.descriptor) }
            throw error
        }
    }

    deinit { stop() }

    /// Closes everything; answers that are being sent get the grace to be read.
    package func stop(grace: Duration = .zero) { mailbox.post(.stop(grace: grace)) }

    /// Waits until everything is closed, after `stop`.
    package func stopped() async { await mailbox.closed() }

    /// Binds all addresses to one port, or none.
    private static func listen(
        _ addresses: [LoopbackAddress], _ port: UInt16
    ) throws(SystemCallError) -> [LoopbackEventLoop.Listener] {
        var attempts = port == 0 ? 16 : 1
        while true {
            attempts -= 1
            var listeners: [LoopbackEventLoop.Listener] = []
            var chosen = port
            do throws(SystemCallError) {
                for address in addresses {
                    do throws(SystemCallError) {
                        let descriptor = try LoopbackSocket.listener(on: address, port: chosen)
                        listeners.append(LoopbackEventLoop.Listener(address: address, descriptor: descriptor))
                        chosen = try LoopbackSocket.port(of: descriptor)
                    } catch  where !listeners.isEmpty && [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) {
                        continue
                    }
                }
                return listeners
            } catch {
                for listener in listeners { close(listener.descriptor) }
                // Another address had the port that the first one got: try the next.
                guard error.code == EADDRINUSE, attempts > 0 else { throw error }
            }
        }
    }
}

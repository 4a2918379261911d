import AuthStateLibc
import AuthStateOAuth
import AuthStateSystem

/// The work of a server's thread: polls its sockets, hands requests over, sends answers, and closes all at the end.
struct LoopbackEventLoop: Sendable {
    struct Listener: Sendable {
        let address: LoopbackAddress
        let descriptor: Int32
    }

    private enum Source {
        case mailbox
        case listener(Listener)
        case connection(UInt64)
    }

    private let mailbox: LoopbackMailbox
    private let limits: LoopbackLimits
    private let handler: LoopbackServer.Handler
    private var listeners: [Listener]
    private var connections: [UInt64: LoopbackConnection] = [:]
    private var connectionCount: UInt64 = 0
    /// Out of descriptors: no connection is accepted until then.
    private var acceptsAgain: ContinuousClock.Instant?
    /// Stopping: answers that are being sent may take until then.
    private var end: ContinuousClock.Instant?
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(
        listeners: [Listener], mailbox: LoopbackMailbox, limits: LoopbackLimits,
        handler: @escaping LoopbackServer.Handler
    ) {
        (self.listeners, self.mailbox, self.limits, self.handler) = (listeners, mailbox, limits, handler)
    }

    /// Runs until it is told to stop.
    mutating func run() {
        while isRunning {
            let ready = poll()
            let now = ContinuousClock.now
            for source in ready {
                switch source {
                case .mailbox: break
                case .listener(let listener): accept(listener, now)
                case .connection(let id):
                    if let event = connections[id]?.proceed(buffer: &buffer, now: now) { follow(event, id) }
                }
            }
            readMail(now)
            for (id, connection) in connections where connection.deadline.map({ $0 <= now }) ?? false { drop(id) }
        }
        for id in connections.keys { drop(id) }
        closeListeners()
        mailbox.close()
    }

    private var isRunning: Bool {
        guard let end else { return true }
        return !connections.isEmpty && ContinuousClock.now < end
    }

    /// Waits for the sockets and the mailbox, or for the next deadline.
    private func poll() -> [Source] {
        var sources = [Source.mailbox]
        var descriptors = [pollfd(fd: mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if acceptsAgain == nil {
            for listener in listeners {
                sources.append(.listener(listener))
                descriptors.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        var wakeUp = [end, acceptsAgain].compactMap { $0 }.min()
        for connection in connections.values {
            sources.append(.connection(connection.id))
            descriptors.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
            if let deadline = connection.deadline { wakeUp = min(wakeUp ?? deadline, deadline) }
        }
        let timeout = wakeUp.map { max(.zero, $0 - .now).pollMilliseconds } ?? -1
        guard AuthStateLibc.poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 else { return [] }
        return zip(sources, descriptors).filter { $1.revents != 0 }.map { $0.0 }
    }

    private mutating func readMail(_ now: ContinuousClock.Instant) {
        if let instant = acceptsAgain, instant <= now { acceptsAgain = nil }
        // A handler that answers at once posts while this runs: such answers go out in the same round.
        while case let messages = mailbox.take(), !messages.isEmpty {
            for message in messages {
                switch message {
                case .answer(let ticket, let answer):
                    let id = ticket.connection
                    if let event = connections[id]?.answer(answer, for: ticket, now: now) { follow(event, id) }
                case .stop(let grace):
                    end = min(end ?? now + grace, now + grace)
                    closeListeners()
                }
            }
        }
        if end != nil {
            for (id, connection) in connections where !connection.isFinishing { drop(id) }
        }
    }

    private mutating func follow(_ event: LoopbackConnection.Event, _ id: UInt64) {
        switch event {
        case .none: break
        case .close: drop(id)
        case .request(let request):
            guard end == nil, let ticket = connections[id]?.ticket else { return drop(id) }
            handler(request, LoopbackResponder(mailbox: mailbox, ticket: ticket))
        }
    }

    private mutating func accept(_ listener: Listener, _ now: ContinuousClock.Instant) {
        for _ in 0..<64 {
            do throws(SystemCallError) {
                let descriptor = try LoopbackSocket.nextConnection(of: listener.descriptor)
                guard connections.count < limits.connections || dropIdlest() else {
                    close(descriptor)
                    continue
                }
                connectionCount += 1
                connections[connectionCount] = LoopbackConnection(
                    id: connectionCount, descriptor: descriptor, address: listener.address, limits: limits, now: now)
            } catch {
                switch error.code {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    // Without this the listener would stay readable and the thread would spin.
                    if !dropIdlest() { acceptsAgain = now + .milliseconds(100) }
                    return
                default: return
                }
            }
        }
    }

    /// Gives up the connection that has waited longest for its request; false when none waits for one.
    private mutating func dropIdlest() -> Bool {
        let waiting = connections.values.filter(\.isReading)
        guard let idlest = waiting.min(by: { ($0.deadline ?? .now, $0.id) < ($1.deadline ?? .now, $1.id) }) else {
            return false
        }
        drop(idlest.id)
        return true
    }

    private mutating func drop(_ id: UInt64) {
        if let connection = connections.removeValue(forKey: id) { close(connection.descriptor) }
    }

    private mutating func closeListeners() {
        for listener in listeners { close(listener.descriptor) }
        listeners = []
    }
}

extension Duration {
    /// Milliseconds for `poll`, rounded up so that a deadline is past when it returns.
    fileprivate var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}

package import AuthStateOAuth

/// The loopback addresses that a server can be bound to.
package enum LoopbackAddress: Sendable, Hashable, CaseIterable {
    case ipv4
    case ipv6
}

/// A request as it arrived: names and values unchanged, the target not decoded.
package struct LoopbackRequest: Sendable, Hashable {
    package var method: String
    /// The request target as it was sent: path and query.
    package var target: String
    package var headers: TransportHeaders
    package var body: [UInt8]
    /// The address that the connection came in on.
    package var localAddress: LoopbackAddress
    /// Whether the client wants to go on using the connection.
    package var keepsAlive: Bool

    /// The target up to its first question mark.
    package var path: String { String(URIReference(target).path) }
    /// The target after its first question mark; nil when there is none.
    package var query: String? { URIReference(target).query.map(String.init) }
}

/// An answer; the server adds `Content-Length` and `Connection`.
package struct LoopbackResponse: Sendable, Hashable {
    package var status: Int
    /// `Connection: close` among them ends the connection after the answer.
    package var headers: TransportHeaders
    package var body: [UInt8]

    package init(status: Int, headers: TransportHeaders = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Ways of not answering, so that tests can see what a client makes of them.
package enum LoopbackFault: Sendable, Hashable {
    /// Ends the connection without an answer.
    case close
    /// Resets the connection.
    case reset
    /// Sends these bytes as they are; the connection then hangs, or ends.
    case raw([UInt8], thenClose: Bool)
}

/// The bounds of a server.
package struct LoopbackLimits: Sendable, Hashable {
    /// Bytes of request line and header fields together.
    package var headBytes = 16 << 10
    /// Bytes of a request's body.
    package var bodyBytes = 1 << 20
    /// Connections at a time; one more displaces the one that has been idle longest.
    package var connections = 64
    /// The time limit for a request to arrive, for an answer to make progress, and for a connection to be idle.
    package var idle: Duration = .seconds(10)

    package init() {}
}

/// Answers one request, now or later, from any thread; of several answers the first counts.
package struct LoopbackResponder: Sendable {
    let mailbox: LoopbackMailbox
    let ticket: LoopbackTicket

    package func respond(_ response: LoopbackResponse) { mailbox.post(.answer(ticket, .response(response))) }

    package func inject(_ fault: LoopbackFault) { mailbox.post(.answer(ticket, .fault(fault))) }
}

/// Names one request on one connection; an answer under an old ticket is dropped.
struct LoopbackTicket: Sendable, Hashable {
    let connection: UInt64
    let request: UInt64
}

/// A responder's message to the server's thread.
enum LoopbackAnswer: Sendable {
    case response(LoopbackResponse)
    case fault(LoopbackFault)
}

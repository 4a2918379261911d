import AuthStateKit

/// A revision of the Model Context Protocol, named by its date.
public struct Revision: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The date, as the protocol writes it.
    public let rawValue: String

    /// Makes a revision.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 2026-07-28: every request stands alone.
    public static let v2026July = Revision(rawValue: "2026-07-28")
    /// 2025-11-25: a handshake, and a session.
    public static let v2025November = Revision(rawValue: "2025-11-25")
    /// 2025-06-18: a handshake, and a session.
    public static let v2025June = Revision(rawValue: "2025-06-18")

    /// The revisions that this client speaks, the preferred one first.
    public static let all = [v2026July, v2025November, v2025June]

    /// The date.
    public var description: String { rawValue }

    /// Whether a request carries its revision and client; earlier revisions agree on these in a handshake.
    var isStateless: Bool { rawValue >= Self.v2026July.rawValue }
}

extension MCPClient {
    /// What client and server have agreed on.
    struct Connection: Sendable, Hashable {
        var revision: Revision
        /// The session of a revision with a handshake; nil before it, and at a server that keeps none.
        var sessionID: String?
        /// Whether requests name the revision: not that which proposes one.
        var isOpen = true
    }

    /// Finds the revision that client and server have in common.
    func agree() async throws {
        var untried = revisions
        while revision.isStateless {
            untried.removeAll { $0 == revision }
            do {
                _ = try await request("server/discover")
                return
            } catch let error as JSONRPCError where error.code == .unsupportedProtocolVersion {
                let supported = error.supported ?? []
                guard let mutual = untried.first(where: { supported.contains($0.rawValue) }) else {
                    throw MCPError.noCommonRevision(server: supported)
                }
                connection.revision = mutual
            } catch let error where Self.isOfEarlierServer(error) {
                guard let earlier = untried.first(where: { !$0.isStateless }) else { throw error }
                connection.revision = earlier
            }
        }
        try await shakeHands()
    }

    /// Whether an error says that the server does not know requests without a handshake.
    private static func isOfEarlierServer(_ error: any Error) -> Bool {
        switch error {
        case MCPError.status(let status): (400..<500).contains(status) && ![401, 403, 429].contains(status)
        case MCPError.malformedAnswer: true
        case let error as JSONRPCError: !JSONRPCError.Code.stateless.contains(error.code)
        default: false
        }
    }

    /// Opens a session, as revisions before 2026-07-28 want it.
    func shakeHands() async throws {
        let (result, headers) = try await exchange(
            "initialize",
            [
                "protocolVersion": .string(revision.rawValue), "capabilities": capabilities,
                "clientInfo": ["name": .string(name), "version": .string(version)],
            ], over: Connection(revision: revision, isOpen: false))
        let answer = result["protocolVersion"]?.stringValue ?? ""
        guard let agreed = revisions.first(where: { $0.rawValue == answer && !$0.isStateless }) else {
            throw MCPError.noCommonRevision(server: [answer])
        }
        let opened = Connection(revision: agreed, sessionID: headers["Mcp-Session-Id"])
        try await notify("notifications/initialized", over: opened)
        connection = opened
    }
}

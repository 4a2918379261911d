public import AuthStateKit
public import AuthStateResource

/// A client of one MCP server over streamable HTTP.
///
/// It speaks revision 2026-07-28, in which every request stands alone, and the revisions before with their handshake and
/// session where the server knows no other. All that concerns authorization is the `ResourceAccess`.
public actor MCPClient {
    /// The access that the requests go through.
    public nonisolated let access: ResourceAccess
    /// The client's name, which the server may log.
    public nonisolated let name: String
    /// The client's version.
    public nonisolated let version: String
    /// The time that an answer may take.
    public nonisolated let timeout: Duration
    /// The extensions of the protocol that the client has: `io.modelcontextprotocol/oauth-client-credentials` for a login by
    /// `.clientCredentials`, `io.modelcontextprotocol/enterprise-managed-authorization` for one by `.assertion` of a user's identity,
    /// `io.modelcontextprotocol/auth/wif` for one by `.assertion` of a platform.
    public nonisolated let extensions: [String]
    let revisions: [Revision]

    /// The revision that client and server speak.
    public var revision: Revision { connection.revision }
    var connection: Connection
    var lastID: Int64 = 0
    /// Opens a session in place of one that the server has ended.
    var reopening: Task<Void, any Error>?
    private var known: [String: Tool] = [:]

    /// Connects to the server behind an access, and logs in where the server asks for it.
    ///
    /// - Parameters:
    ///   - access: The access.
    ///   - name: The client's name.
    ///   - version: The client's version.
    ///   - revisions: The revisions to speak, the preferred one first.
    ///   - timeout: The time that an answer may take.
    ///   - extensions: The extensions of the protocol that the client has, as its login needs them.
    /// - Throws: `MCPError`, `JSONRPCError`; `AuthStateError` when a login fails, or the server cannot be reached.
    public static func connect(
        to access: ResourceAccess, name: String = "mcp-client", version: String = "1.0",
        revisions: [Revision] = Revision.all, timeout: Duration = .seconds(60),
        extensions: [String] = []
    ) async throws -> MCPClient {
        let client = MCPClient(access, name, version, revisions, timeout, extensions)
        try await client.agree()
        return client
    }

    private init(
        _ access: ResourceAccess, _ name: String, _ version: String, _ revisions: [Revision], _ timeout: Duration,
        _ extensions: [String]
    ) {
        self.access = access
        self.name = name
        self.version = version
        self.revisions = revisions
        self.timeout = timeout
        self.extensions = extensions
        connection = Connection(revision: revisions.first ?? .v2026July)
    }

    /// The client's capabilities.
    var capabilities: JSONValue {
        extensions.isEmpty
            ? [:] : ["extensions": .object(Dictionary(extensions.map { ($0, [:]) }) { first, _ in first })]
    }

    /// Returns the server's tools, but those whose definition breaks the protocol's rules for headers.
    public func tools() async throws -> [Tool] {
        var tools: [Tool] = []
        var cursors: [String] = []
        while true {
            let page = try await request("tools/list", cursors.last.map { ["cursor": .string($0)] } ?? [:])
            tools += (page["tools"]?.arrayValue ?? []).compactMap(Tool.init)
            guard let next = page["nextCursor"]?.stringValue else { break }
            guard !cursors.contains(next), cursors.count < Self.maximumPages, tools.count < Self.maximumTools else {
                throw MCPError.malformedAnswer("a list that never ends")
            }
            cursors.append(next)
        }
        tools = tools.filter(\.hasValidHeaders)
        known = Dictionary(tools.map { ($0.name, $0) }) { first, _ in first }
        return tools
    }

    /// Calls a tool. A tool that fails returns a result too, with `isError`.
    ///
    /// - Throws: `MCPError.unknownTool`, and as `connect(to:name:version:revisions:timeout:extensions:)`.
    public func call(_ name: String, _ arguments: [String: JSONValue] = [:]) async throws -> ToolResult {
        if known[name] == nil { _ = try await tools() }
        do { return try await callKnown(name, arguments) } catch let error as JSONRPCError
            where error.code == .headerMismatch
        {
            // The tool wants other headers than when it was listed.
            _ = try await tools()
            return try await callKnown(name, arguments)
        }
    }

    /// More than any server has.
    private static let (maximumPages, maximumTools) = (100, 10_000)

    private func callKnown(_ name: String, _ arguments: [String: JSONValue]) async throws -> ToolResult {
        guard let tool = known[name] else { throw MCPError.unknownTool(name) }
        return try ToolResult(
            try await request(
                "tools/call", ["name": .string(name), "arguments": .object(arguments)], name: name,
                headers: tool.headers(for: arguments)))
    }

    /// Ends the session, where there is one.
    public func close() async {
        guard connection.sessionID != nil else { return }
        try? await endSession()
        connection.sessionID = nil
    }
}

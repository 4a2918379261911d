public import AuthStateKit

/// An error that a server answers a request with (JSON-RPC 2.0, section 5.1).
public struct JSONRPCError: Error, Sendable, Hashable {
    /// The kind of error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number.
        public let rawValue: Int64

        /// Makes a code.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// The server could not read the request.
        public static let parseError = Code(rawValue: -32700)
        /// The request is no request of JSON-RPC, or not one that the server takes at this time.
        public static let invalidRequest = Code(rawValue: -32600)
        /// The server does not have the method.
        public static let methodNotFound = Code(rawValue: -32601)
        /// The parameters do not fit the method: an unknown tool, for example.
        public static let invalidParams = Code(rawValue: -32602)
        /// The server failed.
        public static let internalError = Code(rawValue: -32603)
        /// The request's headers and its body differ (revision 2026-07-28).
        public static let headerMismatch = Code(rawValue: -32020)
        /// The request needs a capability that the client does not have (revision 2026-07-28).
        public static let missingClientCapability = Code(rawValue: -32021)
        /// The server does not speak the request's revision (2026-07-28).
        public static let unsupportedProtocolVersion = Code(rawValue: -32022)

        /// The codes that servers of revision 2026-07-28 and later alone answer with.
        static let stateless: Set = [headerMismatch, missingClientCapability, unsupportedProtocolVersion]
    }

    /// The kind of error.
    public var code: Code
    /// One sentence by the server.
    public var message: String
    /// More about the error, of a form that depends on the code.
    public var data: JSONValue?

    /// Makes an error.
    public init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Reads the `error` member of a message; nil for one without a code.
    init?(_ value: JSONValue) {
        guard let code = value["code"]?.intValue else { return nil }
        self.init(Code(rawValue: code), value["message"]?.stringValue ?? "", data: value["data"])
    }

    /// The revisions that the server speaks, where it said so.
    var supported: [String]? { data?["supported"]?.arrayValue?.compactMap(\.stringValue) }
}

extension JSONRPCError: CustomStringConvertible {
    /// The server's sentence and the code, fit for a terminal.
    public var description: String { "\(message.printable()) (\(code.rawValue))" }
}

/// The failure of a request to an MCP server for another reason than its authorization, which is an `AuthStateError`, and
/// than an error of the server's own, which is a `JSONRPCError`.
public enum MCPError: Error, Sendable, Hashable {
    /// The server answered with an HTTP status, and without an error of JSON-RPC.
    case status(Int)
    /// The session has ended, and a new one as well.
    case sessionEnded
    /// The answer is no message of the protocol, or none to the request.
    case malformedAnswer(String)
    /// The server speaks none of the client's revisions.
    case noCommonRevision(server: [String])
    /// The server wants an input of the user's that this client cannot ask for.
    case inputRequired
    /// The server has no tool of this name.
    case unknownTool(String)
    /// An argument on a command line does not fit its tool.
    case invalidArgument(String)
}

extension MCPError: CustomStringConvertible {
    /// The failure in one sentence, fit for a terminal.
    public var description: String {
        switch self {
        case .status(let status): "The server answered with HTTP status \(status)."
        case .sessionEnded: "The server ended the session."
        case .malformedAnswer(let problem): "The server's answer cannot be read: \(problem.printable())."
        case .noCommonRevision(let server):
            "The server speaks other revisions of the protocol: \(server.joined(separator: ", ").printable())."
        case .inputRequired: "The server asks for an input that this client cannot give."
        case .unknownTool(let name): "The server has no tool \(name.printable())."
        case .invalidArgument(let problem): "\(problem.printable())."
        }
    }
}

/// What went wrong, in terms that a program can branch on and a person can act on.
///
/// Never holds a secret: for state, nonce, codes and hashes it says only that they were absent or different, and text
/// from a provider is cut to 300 printable characters.
public struct AuthStateError: Error, Sendable, Hashable, Codable {
    /// Which check failed.
    public var code: Code
    /// Where in the flow.
    public var stage: Stage
    /// One sentence for a person.
    public var message: String
    /// What was required.
    public var expected: String?
    /// What came instead, redacted.
    public var received: String?
    /// What to do next.
    public var hint: String?
    /// The OAuth error response, when the provider sent one.
    public var response: OAuthErrorResponse?
    /// The HTTP status that carried the answer.
    public var httpStatus: Int?
    /// How long the provider asked to wait, in seconds (`Retry-After`).
    public var retryAfter: Double?
    /// The challenge of a protected resource that refused the token, its parameters cut to 1024 printable characters.
    public var challenge: AuthenticationChallenge?
    /// The beginning of that resource's answer, cut to 300 printable characters.
    public var responseBody: String?
    /// The description of the error beneath this one; errors themselves cannot be archived.
    public var underlying: String?

    /// Makes an error.
    public init(
        _ code: Code, stage: Stage, _ message: String, expected: String? = nil, received: String? = nil,
        hint: String? = nil, response: OAuthErrorResponse? = nil, httpStatus: Int? = nil, retryAfter: Double? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.stage = stage
        self.message = message
        self.expected = expected
        self.received = received?.printable()
        self.hint = hint
        self.response = response
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.underlying = underlying.map { "\($0)".printable() }
    }
}

extension AuthStateError: CustomStringConvertible {
    /// Message, expectation and advice in one line.
    public var description: String {
        var text = message
        if let expected { text += " Expected \(expected)." }
        if let received { text += " Received \(received)\(received.hasSuffix(".") ? "" : ".")" }
        if let underlying { text += " (\(underlying))" }
        if let hint { text += " \(hint)" }
        return text
    }
}

extension AuthStateError {
    /// The part of a flow in which an error arose.
    public struct Stage: RawRepresentable, Sendable, Hashable, Codable {
        /// The stage's name, as the CLI prints it.
        public var rawValue: String
        /// Makes a stage.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The call itself was wrong.
        public static let usage = Stage(rawValue: "usage")
        /// Finding the provider's metadata or keys.
        public static let discovery = Stage(rawValue: "discovery")
        /// Registering the client.
        public static let registration = Stage(rawValue: "registration")
        /// The person's trip to the provider and back.
        public static let authorization = Stage(rawValue: "authorization")
        /// The first token request of a grant, and its ID token.
        public static let token = Stage(rawValue: "token")
        /// The userinfo request.
        public static let userinfo = Stage(rawValue: "userinfo")
        /// The renewal of tokens.
        public static let refresh = Stage(rawValue: "refresh")
        /// A request to a protected resource.
        public static let resource = Stage(rawValue: "resource")
        /// Ending the session.
        public static let logout = Stage(rawValue: "logout")
        /// Loading or saving the state.
        public static let store = Stage(rawValue: "store")
    }
}

extension String {
    /// At most `limit` characters, those that do not print replaced: for text that somebody else wrote.
    package func printable(_ limit: Int = 300) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            let isPlain: Bool
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                isPlain = false
            default: isPlain = true
            }
            result.append(isPlain ? scalar : "\u{FFFD}")
        }
        if unicodeScalars.dropFirst(limit).first != nil { result.append("…") }
        return String(result)
    }
}

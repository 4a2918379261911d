/// An error, in terms that a program can branch on and a user can act on.
///
/// Never holds a secret: for state, nonce, codes and hashes it says only that they were absent or different. Every text
/// in it can be shown as it is, also text from a provider: `printable()` has replaced terminal control characters, and
/// cut it to 300 characters (1000 for the message, the expectation and the hint).
public struct AuthStateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The check that failed.
    public var code: Code
    /// The part of the flow.
    public var stage: Stage
    /// One sentence for a user.
    public var message: String { didSet { message = message.printable(Self.longest) } }
    /// The required value.
    public var expected: String? { didSet { expected = expected?.printable(Self.longest) } }
    /// The received value, redacted.
    public var received: String? { didSet { received = received?.printable() } }
    /// The advice what to do next.
    public var hint: String? { didSet { hint = hint?.printable(Self.longest) } }
    /// The OAuth error response, when the provider sent one.
    public var response: OAuthErrorResponse?
    /// The HTTP status that carried the answer.
    public var httpStatus: Int?
    /// How long the provider asked to wait (`Retry-After`).
    public var retryAfter: Duration? {
        get { retryAfterInSeconds.map(Duration.init(boundedSeconds:)) }
        set { retryAfterInSeconds = newValue?.inSeconds }
    }
    private var retryAfterInSeconds: Double?
    /// The challenge of a resource that refused the token, its parameters cut to 1024 characters, `scope` to 8192.
    public var challenge: AuthenticationChallenge? { didSet { challenge = challenge?.cut } }
    /// The grant that does not serve, of an error with `.notLoggedIn`, see `AuthState.Record.grantID`; nil where there is none, or it is
    /// not known. A login that replaced this grant since answers the error.
    public var grantID: String?
    /// The origin whose answer it is; nil where that is not known. It is not archived.
    package var origin: String?
    /// Whether what is stored cannot be read as it is by any later attempt of this program. It is not archived.
    package var isLasting = false
    /// The beginning of that resource's answer, cut to 300 printable characters.
    public var responseBody: String? { didSet { responseBody = responseBody?.printable() } }
    /// The description of the error beneath this one; errors themselves cannot be archived.
    public var underlying: String? { didSet { underlying = underlying?.printable() } }

    /// The most characters of a text that mostly comes from this library.
    package static let longest = 1000

    /// Makes an error; without a hint it has that of its code.
    public init(
        _ code: Code, stage: Stage, _ message: String, expected: String? = nil, received: String? = nil,
        hint: String? = nil, response: OAuthErrorResponse? = nil, httpStatus: Int? = nil, retryAfter: Duration? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.stage = stage
        self.message = message.printable(Self.longest)
        self.expected = expected?.printable(Self.longest)
        self.received = received?.printable()
        self.hint = (hint ?? Self.advice[code])?.printable(Self.longest)
        self.response = response
        self.httpStatus = httpStatus
        retryAfterInSeconds = retryAfter?.inSeconds
        self.underlying = underlying.map { "\($0)".printable() }
    }

    /// Message, expectation and advice in one line.
    public var description: String {
        var text = message
        let (ours, theirs) = isAboutAnswer ? ("This program expects", "The answer has") : ("Expected", "Received")
        if let expected { text += " \(ours) \(expected)." }
        if let received {
            text += " \(theirs) \(received.isEmpty ? "an empty text" : received)\(received.hasSuffix(".") ? "" : ".")"
        }
        if let underlying { text += " (\(underlying))" }
        if let hint { text += " \(hint)" }
        return text
    }

    /// The error of content that no later attempt of this program can read.
    package var lasting: Self {
        var copy = self
        copy.isLasting = true
        return copy
    }

    /// Whether a check of an answer failed: then the expectation is this program's, and what was received the other party's.
    private var isAboutAnswer: Bool {
        kind == .refused || [.issuerMismatch, .resourceMismatch, .pkceUnsupported].contains(code)
    }

    /// The part of a flow in which an error arose.
    public struct Stage: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The stage's name, as the CLI prints it.
        public var rawValue: String
        /// Makes a stage.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name.
        public var description: String { rawValue }
        /// The call itself was wrong.
        public static let usage = Stage(rawValue: "usage")
        /// Finding the provider's metadata or keys.
        public static let discovery = Stage(rawValue: "discovery")
        /// Reading what a protected resource says about itself (RFC 9728).
        public static let resourceMetadata = Stage(rawValue: "resourceMetadata")
        /// Registering the client.
        public static let registration = Stage(rawValue: "registration")
        /// The user's trip to the provider and back.
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

extension AuthStateError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, stage, message, expected, received, hint, response, httpStatus, challenge, grantID, responseBody,
            underlying
        case retryAfterInSeconds = "retryAfter"
    }

    /// Decodes an error; an archive may have been written by another program, so its texts are cleaned again.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            try container.decode(Code.self, forKey: .code), stage: try container.decode(Stage.self, forKey: .stage),
            try container.decode(String.self, forKey: .message), expected: try text(.expected),
            received: try text(.received), hint: try text(.hint),
            response: try container.decodeIfPresent(OAuthErrorResponse.self, forKey: .response),
            httpStatus: try container.decodeIfPresent(Int.self, forKey: .httpStatus))
        retryAfterInSeconds = try container.decodeIfPresent(Double.self, forKey: .retryAfterInSeconds)
        challenge = try container.decodeIfPresent(AuthenticationChallenge.self, forKey: .challenge)?.cut
        grantID = try text(.grantID)
        responseBody = try text(.responseBody)?.printable()
        underlying = try text(.underlying)?.printable()
    }
}

import AuthStateJOSE

/// A token, and what kind it is.
public struct TypedToken: Sendable, Hashable {
    /// The token.
    public var token: String
    /// What kind it is.
    public var type: TokenTypeIdentifier

    /// Makes a typed token.
    public init(_ token: String, type: TokenTypeIdentifier) {
        self.token = token
        self.type = type
    }
}

extension TypedToken: CustomStringConvertible, CustomReflectable {
    /// The kind; the token stays secret.
    public var description: String { "token of type \(type)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

/// One token for another: to act in somebody's name elsewhere (RFC 8693, section 2.1).
public struct TokenExchange: Sendable, Hashable {
    /// Whose token the new one shall be.
    public var subjectToken: TypedToken
    /// Who acts in that name, when it is somebody else.
    public var actorToken: TypedToken?
    /// What kind of token is wanted; nil leaves it to the provider.
    public var requestedTokenType: TokenTypeIdentifier?
    /// The names of the services that the token shall be for.
    public var audiences: [String]
    /// The places of the services that the token shall be for, absolute URIs.
    public var resources: [String]
    /// What the token shall allow.
    public var scopes: [Scope]
    /// Whatever else the provider understands.
    public var additionalParameters: Parameters

    /// Makes an exchange.
    public init(
        of subjectToken: TypedToken, actorToken: TypedToken? = nil, requestedTokenType: TokenTypeIdentifier? = nil,
        audiences: [String] = [], resources: [String] = [], scopes: [Scope] = [], additionalParameters: Parameters = [:]
    ) {
        self.subjectToken = subjectToken
        self.actorToken = actorToken
        self.requestedTokenType = requestedTokenType
        self.audiences = audiences
        self.resources = resources
        self.scopes = scopes
        self.additionalParameters = additionalParameters
    }

    /// Adds what no other grant has.
    func apply(to form: inout Parameters) {
        form["subject_token"] = subjectToken.token
        form["subject_token_type"] = subjectToken.type.rawValue
        form["actor_token"] = actorToken?.token
        form["actor_token_type"] = actorToken?.type.rawValue
        form["requested_token_type"] = requestedTokenType?.rawValue
        for audience in audiences { form.append("audience", audience) }
    }
}

extension TokenResponse {
    /// What kind of token `accessToken` is, in the answer to a token exchange (RFC 8693, section 2.2.1).
    public var issuedTokenType: TokenTypeIdentifier? {
        additionalMembers["issued_token_type"]?.stringValue.map { TokenTypeIdentifier(rawValue: $0) }
    }
}

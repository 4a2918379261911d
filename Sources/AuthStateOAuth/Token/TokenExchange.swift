public import AuthStateJOSE

/// A token and its kind.
public struct TypedToken: Sendable, Hashable, Redacted {
    /// The token.
    public var token: String
    /// The kind of token.
    public var type: TokenTypeIdentifier

    /// Makes a typed token.
    public init(_ token: String, type: TokenTypeIdentifier) {
        self.token = token
        self.type = type
    }

    /// The kind; the token stays secret.
    public var description: String { "token of type \(type)" }
}

/// The exchange of one token for another, to act in a user's name elsewhere (RFC 8693, section 2.1).
public struct TokenExchange: Sendable, Hashable {
    /// The token of the party in whose name the new token is issued.
    public var subjectToken: TypedToken
    /// The token of the party that acts in that name, when it is another one.
    public var actorToken: TypedToken?
    /// The kind of token to ask for; nil leaves it to the provider.
    public var requestedTokenType: TokenTypeIdentifier?
    /// The names of the services that the token shall be for.
    public var audiences: [String]
    /// The places of the services that the token shall be for, absolute URIs.
    public var resources: [String]
    /// The scopes of the new token.
    public var scopes: [Scope]
    /// Additional parameters that the provider understands.
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
    /// The kind of token that `accessToken` is, in the answer to a token exchange (RFC 8693, section 2.2.1); nil where the provider
    /// does not say it, which makes it the access token that was asked for.
    public var issuedTokenType: TokenTypeIdentifier? {
        additionalMembers["issued_token_type"]?.stringValue.map { TokenTypeIdentifier(rawValue: $0) }
    }
}

/// The kind of a token that is exchanged (RFC 8693, section 3).
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier.
    public let rawValue: String
    /// Makes an identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The identifier.
    public var description: String { rawValue }

    /// An access token of the provider that receives the request, in any format.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token of the provider that receives the request.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token.
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// Any JWT, for example an access token of another provider.
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    /// An assertion of a user's identity for another authorization server (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant).
    public static let identityAssertion = Self(rawValue: "urn:ietf:params:oauth:token-type:id-jag")
}

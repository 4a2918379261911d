public import AuthStateFoundation
public import AuthStateJOSE

/// The provider's information about a token (RFC 7662, section 2.2).
public struct IntrospectionResponse: Sendable, Hashable, Redacted {
    /// Whether the token is valid now; of an invalid one nothing else is known.
    public var isActive: Bool
    /// The scope of the token, separated by spaces.
    public var scope: String?
    /// The client that the token was issued to.
    public var clientID: String?
    /// The user's name, for people to read.
    public var username: String?
    /// How the token is used, for example `Bearer`.
    public var tokenType: String?
    /// When the token expires.
    public var expirationDate: Date?
    /// When the token was issued.
    public var issuedAt: Date?
    /// Before this time the token is not valid.
    public var notBefore: Date?
    /// The subject of the token: a user's identifier, or the client's own.
    public var subject: String?
    /// The audience of the token; empty when the provider does not say.
    public var audience: [String]
    /// The issuer of the token.
    public var issuer: String?
    /// The token's own identifier (`jti`).
    public var tokenID: String?
    /// Members that the specification does not name, for example `cnf`.
    public var additionalMembers: [String: JSONValue]

    /// Reads an answer.
    ///
    /// - Throws: `AuthStateError` of stage token: the provider's error response; `.malformedResponse` when `active` is not
    ///   true or false; `.unsupported` for an answer as a JWT (RFC 9701), which is made for resource servers.
    package init(_ response: TransportResponse) throws {
        let json = response.json
        if let error = OAuthErrorResponse(json) {
            throw AuthStateError.refusal(by: "introspection endpoint", error, response, stage: .token)
        }
        guard response.isSuccess(200) else {
            throw AuthStateError.endpoint("introspection endpoint", response, stage: .token)
        }
        guard response.mediaType != "application/token-introspection+jwt" else {
            throw AuthStateError(
                .unsupported, stage: .token, "The introspection endpoint answered with a JWT, which is not supported.",
                expected: "JSON", received: "a JWT (RFC 9701)",
                hint: "Register the client without introspection_signed_response_alg.", httpStatus: response.status)
        }
        guard let members = (json?.objectValue).map(AnswerMembers.init) else {
            throw AuthStateError.noObject("introspection endpoint", response, stage: .token)
        }
        try self.init(members)
    }

    private static let named: Set<String> = [
        "active", "scope", "client_id", "username", "token_type", "exp", "iat", "nbf", "sub", "aud", "iss", "jti",
    ]

    private init(_ members: AnswerMembers) throws {
        guard !members.isError else {
            throw AuthStateError(
                .malformedResponse, stage: .token, "The introspection response's error cannot be used.",
                expected: "no error", received: "something else", hint: "Check that the endpoint is the right one.",
                httpStatus: 200)
        }
        func date(_ name: String) -> Date? {
            members.number(name).flatMap { abs($0) < 1e12 ? Date(timeIntervalSince1970: $0) : nil }
        }
        guard let isActive = members.flag("active") else {
            throw AuthStateError(
                .malformedResponse, stage: .token, "The introspection response does not say whether it is active.",
                expected: "active, true or false",
                received: members.members["active"] == nil ? "nothing" : "something else", httpStatus: 200)
        }
        self.isActive = isActive
        (scope, clientID, username) = (members.words("scope"), members.name("client_id"), members.name("username"))
        (tokenType, subject) = (members.text("token_type"), members.name("sub"))
        (issuer, tokenID) = (members.text("iss"), members.name("jti"))
        (expirationDate, issuedAt, notBefore) = (date("exp"), date("iat"), date("nbf"))
        audience = members.members["aud"]?.stringValue.map { [$0] } ?? members.texts("aud") ?? []
        additionalMembers = members.members.filter { !Self.named.contains($0.key) }
    }

    /// Whether the token is valid, and until when; nothing of the user.
    public var description: String {
        guard isActive else { return "inactive token" }
        return "active token, scope \((scope ?? "unknown").printable()), "
            + "expires \(expirationDate.map { "\($0)" } ?? "unknown")"
    }
}

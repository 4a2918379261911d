package import AuthStateFoundation
package import AuthStateJOSE

/// An authorization request as a signed JWT, which cannot be changed on its way (RFC 9101; OpenID Connect Core, section
/// 6).
///
/// All parameters are claims of it. It goes to the provider by value, inside a pushed request, or by a reference of the
/// client's own (`AuthorizationRequest.requestURI`). It is always signed: the algorithm `none` protects nothing.
package struct RequestObject: Sendable, Hashable, Redacted {
    /// `typ` of the token (RFC 9101, section 10.8): no other token that the client signs passes for a request.
    package static let type = "oauth-authz-req+jwt"

    package var request: AuthorizationRequest
    package var issuedAt: Date
    /// How long the object is valid, in seconds: until the browser, or a provider that fetches it, has delivered it.
    package var lifetime = Self.usualLifetime
    package static let usualLifetime = 300

    package init(_ request: AuthorizationRequest, issuedAt: Date) {
        self.request = request
        self.issuedAt = issuedAt
    }

    /// A new token with a random `jti`, in its compact form; throws `AuthStateError` as `AuthorizationRequest.url()`;
    /// `JOSEError` with `backendUnavailable` when the platform's cryptographic library fails.
    package func signed(with key: SigningKey) throws -> String {
        try request.check()
        return try JSONWebToken.sign(claims: claims(), header: ["typ": .string(Self.type)], with: key)
    }

    /// The parameters with their JSON types, and the claims for this client, this provider and the validity period.
    private func claims() throws -> JSONValue {
        let parameters = try request.parameters()
        var members: [String: JSONValue] = [:]
        for name in parameters.names {
            let values = parameters.values(name).map { Self.value(of: name, $0) }
            // A single one is no list (RFC 8707, section 2).
            members[name] = values.count == 1 ? values[0] : .array(values)
        }
        let now = Int64(issuedAt.timeIntervalSince1970.rounded(.down))
        members["iss"] = .string(request.client.id)
        members["aud"] = audience.map { .string($0) }
        members["iat"] = .number(JSONNumber(now))
        members["nbf"] = .number(JSONNumber(now))
        members["exp"] = .number(JSONNumber(now + Int64(lifetime)))
        members["jti"] = .string(Base64URL.encode(SecureRandom.bytes(16)))
        return .object(members)
    }

    /// The issuer (RFC 9101, section 4); a provider without one is known by its endpoint.
    private var audience: String? {
        request.client.provider.issuer?.rawValue ?? request.client.provider.authorizationEndpoint?.absoluteString
    }

    /// Numbers and objects travel as such, everything else as text (RFC 9101, section 4; RFC 9396, section 4).
    private static func value(of name: String, _ text: String) -> JSONValue {
        guard ["max_age", "claims", "authorization_details"].contains(name) else { return .string(text) }
        return (try? JSONValue(parsing: text.utf8)) ?? .string(text)
    }

    package var description: String { "signed \(request)" }
}

package import AuthStateFoundation
package import AuthStateJOSE

/// A client secret that is a JWT of the client's own making, as Apple wants it instead of an assertion.
package struct SignedClientSecret: Sendable, Hashable, Codable {
    /// `iss`: with Apple the developer's team.
    package var issuer: String
    /// `aud`: the provider.
    package var audience: String
    /// How long it is valid, in seconds; Apple accepts up to six months, and one request needs a moment.
    package var lifetime = 300

    package init(issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
    }

    /// A new secret for a client, in its compact form. Throws `JOSEError` with `backendUnavailable` when the platform's
    /// cryptographic library fails.
    package func signed(with key: SigningKey, clientID: String, now: Date) throws(JOSEError) -> String {
        let now = Int64(now.timeIntervalSince1970.rounded(.down))
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(clientID), "aud": .string(audience),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + Int64(lifetime))),
        ]
        return try JSONWebToken.sign(claims: claims, with: key)
    }
}

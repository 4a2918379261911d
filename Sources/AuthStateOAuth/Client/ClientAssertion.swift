package import AuthStateFoundation
package import AuthStateJOSE

/// A JWT that a client signs to prove its identity (RFC 7523, section 3; OpenID Connect Core, section 9).
///
/// Each signature makes another token: providers accept each one once.
package struct ClientAssertion: Sendable, Hashable {
    /// `client_assertion_type` of a signed assertion (RFC 7523, section 2.2).
    package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The same of a JWT-SVID (draft-ietf-oauth-spiffe-client-auth, section 3.1).
    package static let spiffeType = "urn:ietf:params:oauth:client-assertion-type:jwt-spiffe"

    /// The client, which is issuer and subject at once.
    package var clientID: String
    /// The only party that may accept it, see `ProviderConfiguration.assertionAudience(at:)`.
    package var audience: String
    package var issuedAt: Date
    /// How long it is valid, in seconds.
    package var lifetime = 60
    /// The `typ` of its header: says that the token is a client's proof and nothing else (draft-ietf-oauth-rfc7523bis, section 4).
    package var headerType = "client-authentication+jwt"

    package init(clientID: String, audience: String, issuedAt: Date) {
        self.clientID = clientID
        self.audience = audience
        self.issuedAt = issuedAt
    }

    /// A new token with a random `jti`, in its compact form; throws `JOSEError` with `backendUnavailable` when the
    /// platform's cryptographic library fails.
    package func signed(with key: SigningKey) throws(JOSEError) -> String {
        let now = Int64(issuedAt.timeIntervalSince1970.rounded(.down))
        let claims: JSONValue = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience),
            "jti": .string(Base64URL.encode(SecureRandom.bytes(16))),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + Int64(lifetime))),
        ]
        return try JSONWebToken.sign(claims: claims, header: ["typ": .string(headerType)], with: key)
    }
}

extension ProviderConfiguration {
    /// The audience of a client assertion: the issuer; where that is tolerated, or there is none, its endpoint.
    ///
    /// The issuer is safer: an endpoint's URL comes from a document, and providers differ in the URL that they accept.
    package func assertionAudience(at endpoint: URL) -> String {
        guard let issuer, !tolerances.contains(.endpointAudience) else { return endpoint.absoluteString }
        return issuer.rawValue
    }
}

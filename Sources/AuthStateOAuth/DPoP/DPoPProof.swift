package import AuthStateFoundation
package import AuthStateJOSE

/// The proof that the sender of one request has the key that a token is bound to (RFC 9449, section 4.2).
///
/// A proof is valid for one request as it was made: a repeated request gets another proof.
package struct DPoPProof: Sendable, Hashable, Redacted {
    /// `typ` of a proof.
    package static let type = "dpop+jwt"

    /// `htm`: the request's method.
    package var method: TransportRequest.Method
    /// `htu`: the request's URL without query and fragment.
    package var target: String
    /// `jti`, which no other proof has: 16 random bytes.
    package var identifier: String
    /// `iat`: now.
    package var issuedAt: Date
    /// `ath`: the digest of the access token that goes along; nil where none does.
    package var accessTokenHash: String?
    /// `nonce`: the nonce that the server asked for (section 8); nil when it has not sent one.
    package var nonce: String?

    /// Makes a proof that is not signed yet. Throws `JOSEError` with `backendUnavailable` when the platform's
    /// cryptographic library fails.
    package init(
        method: TransportRequest.Method, url: URL, issuedAt: Date, accessToken: String? = nil, nonce: String? = nil
    ) throws(JOSEError) {
        try self.init(
            method: method, place: ProofPlace(url), issuedAt: issuedAt, accessToken: accessToken, nonce: nonce)
    }

    /// Makes a proof for a place that was parsed before.
    package init(
        method: TransportRequest.Method, place: ProofPlace, issuedAt: Date, accessToken: String?, nonce: String?
    ) throws(JOSEError) {
        self.method = method
        target = place.target
        identifier = Base64URL.encode(SecureRandom.bytes(16))
        self.issuedAt = issuedAt
        accessTokenHash = try accessToken.map { token throws(JOSEError) in
            Base64URL.encode(try SHA2.sha256(token.utf8))
        }
        self.nonce = nonce
    }

    /// The value of a `DPoP` header: the claims, signed, with the public key beside them; throws `JOSEError` with
    /// `backendUnavailable` when the platform's cryptographic library fails.
    package func signed(with key: SigningKey) throws(JOSEError) -> String { try signed(with: DPoPSigner(key)) }

    /// The same, with a key whose header is at hand.
    package func signed(with signer: DPoPSigner) throws(JOSEError) -> String {
        var claims: [String: JSONValue] = [
            "jti": .string(identifier), "htm": .string(method.rawValue), "htu": .string(target),
            "iat": .number(JSONNumber(Int64(issuedAt.timeIntervalSince1970.rounded(.down)))),
        ]
        claims["ath"] = accessTokenHash.map { .string($0) }
        claims["nonce"] = nonce.map { .string($0) }
        return try JSONWebToken.sign(claims: .object(claims), under: signer.header, with: signer.key)
    }

    package var description: String { "DPoP proof for \(method.rawValue.printable(20)) \(target.printable())" }
}

/// The place for which a proof is valid: a server, whose nonce it has, and one URL there.
package struct ProofPlace: Sendable {
    /// The server: scheme, host and port.
    package let origin: String
    /// `htu`: without user, query and fragment, otherwise as a server composes it from the request: scheme and host in
    /// lower case, no default port, and a path where none is written (RFC 3986, sections 6.2.2 and 6.2.3). The path
    /// stays as it is written, because it is sent that way.
    package let target: String

    package init(_ url: URL) {
        let parts = URIReference(url.absoluteString)
        origin = parts.origin
        target = origin + (parts.path.isEmpty ? "/" : parts.path)
    }
}

import AuthStateJOSE
import AuthStateOAuth

extension ClientCredential {
    /// Returns the key that signs authorization requests (RFC 9101): a private key, or the secret as one for HMAC.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when there is none, `.unsupported` when the provider
    ///   accepts no algorithm that the key can sign with.
    func requestSigningKey(provider: ProviderConfiguration) throws -> SigningKey {
        let stage = AuthStateError.Stage.authorization
        let key: JSONWebKey
        if method == .privateKeyJWT {
            key = try privateKey(stage: stage)
        } else if let secret = try secret(stage: stage) {
            key = Self.isPrivateKey(secret) ? try privateKey(stage: stage) : JSONWebKey(secret: secret.utf8)
        } else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage,
                "The request has to be signed, and there is no key to sign it with.",
                expected: "a private key, or the client's secret",
                hint: "Set signingCredential of the request, or give its client a credential.")
        }
        return try SigningKey(
            forAssertionsWith: key, algorithm: signingAlgorithm,
            accepted: provider.metadata?.requestObjectSigningAlgValuesSupported, tolerances: provider.tolerances,
            purpose: "requests", stage: stage)
    }
}

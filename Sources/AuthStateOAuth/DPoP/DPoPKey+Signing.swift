package import AuthStateJOSE

extension DPoPKey {
    /// The imported key, the same for all copies; `read` fetches a key that is only referred to. Throws `AuthStateError`
    /// with `.credentialUnavailable` when the place now holds another key than the one that the tokens are bound to.
    package func signer(reading read: (Source) throws -> JSONWebKey) throws -> DPoPSigner {
        if let known = storage.imported.withLock({ $0 }) { return known }
        // Twice at most, when two callers ask at once: importing under the lock would block others.
        let key = try storage.privateKey ?? read(source)
        let signer = DPoPSigner(try Self.imported(key, algorithm: algorithm))
        guard try key.thumbprintText() == thumbprint else {
            throw AuthStateError(
                .credentialUnavailable, stage: .usage, "The DPoP key is not the one that the tokens are bound to.",
                expected: "\(self)", hint: "Put the key back, or log in again.")
        }
        storage.imported.withLock { $0 = signer }
        return signer
    }
}

extension ProviderConfiguration {
    /// Refuses an algorithm that the provider does not list (`dpop_signing_alg_values_supported`; RFC 9449, section 5.1).
    /// Throws `AuthStateError` with `.unsupported`.
    package func check(dpopAlgorithm algorithm: SignatureAlgorithm, stage: AuthStateError.Stage) throws {
        guard let accepted = metadata?.dpopSigningAlgValuesSupported, !accepted.contains(algorithm.rawValue) else {
            return
        }
        throw AuthStateError(
            .unsupported, stage: stage, "The provider does not take DPoP proofs of this algorithm.",
            expected: accepted.joined(separator: ", "), received: algorithm.rawValue,
            hint: "Generate a key for one of its algorithms.")
    }
}

/// A key that was imported, and the header that all its proofs have.
package struct DPoPSigner: Sendable {
    package let key: SigningKey
    let header: String

    package init(_ key: SigningKey) {
        self.key = key
        header = JSONWebToken.encodedHeader(["typ": .string(DPoPProof.type), "jwk": key.publicKey.json], for: key)
    }
}

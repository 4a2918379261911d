package import AuthStateJOSE

/// A key that was imported, and the header that all its proofs have.
package struct DPoPSigner: Sendable {
    package let key: SigningKey
    let header: String

    package init(_ key: SigningKey) {
        self.key = key
        header = JSONWebToken.encodedHeader(["typ": .string(DPoPProof.type), "jwk": key.publicKey.json], for: key)
    }
}

import Testing

@testable import AuthStateJOSE

/// RFC 8037, appendix A: Ed25519.
struct RFC8037Tests {
    private static let signingInput = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
    private static let signature =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

    /// A.1.
    private func key() throws -> JSONWebKey {
        try JSONWebKey(json: [
            "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ])
    }

    @Test func `A.2: the public key has no d`() throws {
        #expect(
            try key().publicKey.json
                == ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"])
    }

    @Test("A.3: the thumbprint")
    func thumbprint() throws { #expect(try key().thumbprintText() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k") }

    @Test func `A.4: the key makes the RFC's own signature`() throws {
        #expect(try Base64URL.encode(SigningKey(key()).sign(Self.signingInput.utf8)) == Self.signature)
    }

    @Test func `A.5: the key verifies it, under both names of the algorithm`() throws {
        let key = VerificationKey(try key().publicKey)
        let signature = try #require(Base64URL.decode(Self.signature))
        for algorithm in [SignatureAlgorithm.edDSA, .ed25519] {
            #expect(try key.isValid(signature, for: Array(Self.signingInput.utf8), algorithm: algorithm))
            #expect(try !key.isValid(signature, for: Array("x".utf8), algorithm: algorithm))
        }
    }
}

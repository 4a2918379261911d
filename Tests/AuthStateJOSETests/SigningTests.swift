import Testing

@testable import AuthStateJOSE

struct SigningTests {
    private static let algorithms: [SignatureAlgorithm] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .ed25519, .hs256, .hs384,
        .hs512,
    ]

    @Test("a generated key's signature is verified by its public part and by no other key", arguments: algorithms)
    func generated(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k1")
        let other =
            switch algorithm.scheme {
            case .rsaPKCS1, .rsaPSS: try SigningKey(pem: Fixtures.rsaPKCS8, algorithm: algorithm, keyID: "k1")
            default: try SigningKey.generate(algorithm, keyID: "k1")
            }
        let compact = try JSONWebToken.sign(claims: ["sub": "me"], header: ["typ": "x+jwt", "alg": "none"], with: key)
        let token = try JSONWebToken(parsing: compact)
        #expect(token.header.algorithm == algorithm)
        #expect(token.header.keyID == "k1")
        #expect(token.header.type == "x+jwt")
        #expect(token.claims == ["sub": "me"])
        let symmetric = algorithm.rawValue.hasPrefix("HS")
        try token.verify(with: JSONWebKeySet(keys: [symmetric ? key.privateKey : key.publicKey]), allowed: [algorithm])
        let error = #expect(throws: JOSEError.self) {
            try token.verify(with: JSONWebKeySet(keys: [other.privateKey]), allowed: [algorithm])
        }
        #expect(error?.code == .badSignature)
    }

    @Test(
        "PEM keys of each form sign what the published key verifies",
        arguments: [
            (Fixtures.rsaPKCS8, "rsa", nil), (Fixtures.rsaPKCS1, "rsa", .ps256), (Fixtures.ecPKCS8, "ec256", nil),
            (Fixtures.ecSEC1, "ec256", .es256), (Fixtures.edPKCS8, "ed", nil),
        ] as [(String, String, SignatureAlgorithm?)])
    func pem(_ pem: String, _ keyID: String, _ algorithm: SignatureAlgorithm?) throws {
        let key = try SigningKey(pem: pem, algorithm: algorithm, keyID: keyID)
        let published = try JSONWebKeySet(parsing: Fixtures.keySet.utf8)
        let token = try JSONWebToken(parsing: JSONWebToken.sign(claims: [:], with: key))
        try token.verify(with: published, allowed: [key.algorithm])
        let reread = try SigningKey(JSONWebKey(json: key.privateKey.privateJSON))
        #expect(reread.publicKey.material == key.publicKey.material)
    }

    @Test func `texts without a usable private key are refused`() throws {
        let broken = Fixtures.ecPKCS8.replacing("M", with: "!")
        for pem in [
            "", "x", Fixtures.encryptedPEM, broken, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        ] {
            let error = #expect(throws: JOSEError.self) { try SigningKey(pem: pem) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("PEM keys of types that have no signatures here are refused", arguments: Fixtures.foreignPKCS8)
    func foreignPEM(_ pem: String) throws {
        let error = #expect(throws: JOSEError.self) { try SigningKey(pem: pem) }
        #expect(error?.code == .unsupportedAlgorithm)
    }

    @Test func `a key does not sign with an algorithm that is not its own`() throws {
        let key = try SigningKey(pem: Fixtures.ecPKCS8)
        for algorithm in [SignatureAlgorithm.rs256, .es384, .edDSA, .hs256] {
            let error = #expect(throws: JOSEError.self) { try SigningKey(key.privateKey, algorithm: algorithm) }
            #expect(error?.code == .keyMismatch)
        }
        #expect(throws: JOSEError.self) { try SigningKey(key.publicKey) }
        #expect(throws: JOSEError.self) { try SigningKey(key.privateKey, algorithm: .unsecured) }
    }

    @Test func `a private part that belongs to another public part is refused`() throws {
        let (one, other) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
        let mixed = JSONWebKey(one.publicKey.material, privateMaterial: other.privateKey.privateMaterial)
        let error = #expect(throws: JOSEError.self) { try SigningKey(mixed) }
        #expect(error?.code == .malformed)
    }
}

import Testing

@testable import AuthStateJOSE

struct StrictnessTests {
    private func key(_ name: String) throws -> JSONWebKey {
        try JSONWebKey(json: JSONValue(parsing: #require(PythonFixtures.keys[name]).utf8))
    }

    private func token(_ name: String) throws -> JSONWebToken {
        try JSONWebToken(parsing: #require(PythonFixtures.tokens[name]))
    }

    /// Whether the token's own signature is replaced by another one and still verified.
    private func isBelieved(_ signature: [UInt8]) throws -> Bool {
        let parts = try #require(PythonFixtures.tokens["PS256"]).split(separator: ".")
        let text = Array("\(parts[0]).\(parts[1])".utf8)
        return try VerificationKey(key("ec")).isValid(signature, for: text, algorithm: .es256)
    }

    @Test("HMAC by each digest is verified with the secret and refused with another", arguments: ["256", "384", "512"])
    func hmac(_ bits: String) throws {
        let token = try token("HS\(bits)")
        let secret = try key("oct")
        try token.verify(with: JSONWebKeySet(keys: [secret]), allowed: [token.header.algorithm])
        let other = JSONWebKeySet(keys: [JSONWebKey(secret: "another".utf8)])
        let error = #expect(throws: JOSEError.self) {
            try token.verify(with: other, allowed: [token.header.algorithm])
        }
        #expect(error?.code == .badSignature)
    }

    @Test("an RSA key's published text is no HMAC secret, even where HMAC is accepted")
    func confusion() throws {
        let keys = JSONWebKeySet(keys: [try key("rsa")])
        let error = #expect(throws: JOSEError.self) {
            try token("HS256 by the text of the key rsa").verify(with: keys, allowed: [.rs256, .hs256])
        }
        #expect(error?.code == .noMatchingKey)
    }

    @Test("keys that a token brings along or points to are not used")
    func broughtKeys() throws {
        let token = try token("brought keys")
        for name in ["jwk", "jku", "x5u", "x5c"] { #expect(token.header.json[name] != nil) }
        let keys = JSONWebKeySet(keys: [try key("ec")])
        let error = #expect(throws: JOSEError.self) { try token.verify(with: keys, allowed: [.es256]) }
        #expect(error?.code == .badSignature)
        // The attacker did sign it with the key that it brings.
        let brought = try JSONWebKey(json: #require(token.header.json["jwk"]))
        try token.verify(with: JSONWebKeySet(keys: [brought]), allowed: [.es256])
    }

    @Test func `an RSA signature without its leading zero is refused (RFC 8017, section 8.1.2)`() throws {
        let keys = JSONWebKeySet(keys: [try key("rsa")])
        try token("PS256").verify(with: keys, allowed: [.ps256])
        let error = #expect(throws: JOSEError.self) {
            try token("PS256 without its leading zero").verify(with: keys, allowed: [.ps256])
        }
        #expect(error?.code == .badSignature)
    }

    @Test func `an ECDSA signature with a number that is zero, or not below the curve's order, is refused`() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        let order = try #require(Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"))
        let most = [UInt8](repeating: 0xFF, count: 32)
        for (r, s) in [
            (zero, zero), (zero, one), (one, zero), (order, one), (one, order), (order, order), (most, one),
            (one, most),
        ] {
            #expect(try !isBelieved(r + s))
        }
    }

    @Test func `a coordinate that is not below the curve's prime is refused`() throws {
        // The point with x = 5, and the same with x + p.
        let y: JSONValue = "RZJDuapYGAb-kTvOmYF63hHKUDxk2aPFM0FcCDJI-8w"
        let good = try JSONWebKey(json: ["kty": "EC", "crv": "P-256", "x": "BQ", "y": y])
        let signature = [UInt8](repeating: 1, count: 64)
        #expect(try !VerificationKey(good).isValid(signature, for: [], algorithm: .es256))
        let beyond = try JSONWebKey(json: [
            "kty": "EC", "crv": "P-256", "x": "_____wAAAAEAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAQ", "y": y,
        ])
        let error = #expect(throws: JOSEError.self) {
            try VerificationKey(beyond).isValid(signature, for: [], algorithm: .es256)
        }
        #expect(error?.code == .malformed)
    }

    @Test func `a signature of any other length is refused before any backend sees it`() throws {
        let cases: [(SignatureAlgorithm, JSONWebKey, Int)] = [
            (.rs256, try key("rsa"), 256), (.ps256, try key("rsa"), 256), (.es256, try key("ec"), 64),
            (.hs256, try key("oct"), 32), (.hs512, try key("oct"), 64),
        ]
        for (algorithm, key, length) in cases {
            for count in [0, 1, length - 1, length + 1, 2 * length] {
                let key = VerificationKey(key, backend: NoBackend())
                #expect(try !key.isValid(Array(repeating: 1, count: count), for: [], algorithm: algorithm))
            }
        }
    }
}

/// A backend that is never to be reached.
private struct NoBackend: CryptoBackend {
    private let error = JOSEError(.backendUnavailable, "reached")

    func digest(_ function: SHA2.Function, of bytes: [UInt8]) throws(JOSEError) -> [UInt8] { throw error }
    func authenticationCode(
        _ function: SHA2.Function, key: [UInt8], of bytes: [UInt8]
    ) throws(JOSEError) -> [UInt8] { throw error }
    func seal(
        _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8] { throw error }
    func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(JOSEError) -> [UInt8] { throw error }
    func verifier(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureVerifier { throw error }
    func signer(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureSigner { throw error }
    func generateKey(for scheme: SignatureScheme) throws(JOSEError) -> JSONWebKey { throw error }
    func privateKey(der: [UInt8]) throws(JOSEError) -> JSONWebKey { throw error }
}

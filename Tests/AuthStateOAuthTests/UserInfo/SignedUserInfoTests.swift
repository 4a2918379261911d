import AuthStateJOSE
import AuthStateOAuth
import Testing

struct SignedUserInfoTests {
    private static let claims: JSONValue = ["iss": "https://op.example", "aud": "client", "sub": "alice"]

    private func expectation(_ algorithms: Set<SignatureAlgorithm> = .asymmetric) throws -> IDTokenExpectation {
        var expectation = IDTokenExpectation(
            issuer: try Issuer("https://op.example"), clientID: "client", now: Fixtures.now)
        expectation.policy.algorithms = algorithms
        return expectation
    }

    @Test("the algorithms are those of the policy; without the client's secret none of a shared secret, and never none")
    func algorithms() throws {
        let keys = try [SignatureAlgorithm.es256, .hs256].map { try SigningKey.generate($0, keyID: $0.rawValue) }
        // A secret among the published keys is none.
        let published = JSONWebKeySet(keys: [keys[0].publicKey, keys[1].privateKey])
        let tokens = try keys.map { try SignedUserInfo(parsing: JSONWebToken.sign(claims: Self.claims, with: $0)) }
        #expect(try tokens[0].claims(keys: published, expectation: expectation())["sub"] == "alice")
        let narrow: Set<SignatureAlgorithm> = [.rs256]
        let wide: Set<SignatureAlgorithm> = [.es256, .hs256, .unsecured]
        for (token, algorithms) in [(tokens[0], narrow), (tokens[1], wide)] {
            let error = #expect(throws: JOSEError.self) {
                try token.claims(keys: published, expectation: expectation(algorithms))
            }
            #expect(error?.code == .algorithmNotAllowed)
        }
    }

    @Test func `unverified userinfo shows no claim`() throws {
        let key = try SigningKey.generate(.es256)
        let claims: JSONValue = ["sub": .string(Secrets.make("sub"))]
        Secrets.expectNone(in: try SignedUserInfo(parsing: JSONWebToken.sign(claims: claims, with: key)))
    }
}

import AuthStateJOSE
import AuthStateOAuth
import Testing

@Suite("ID tokens that Python signed")
struct IDTokenFixtureTests {
    typealias Change = @Sendable (inout IDTokenExpectation) throws -> Void

    /// Valid tokens pass: an attack that fails for a reason of the fixture's own would prove nothing.
    static let goodTokens: [(name: String, change: Change)] = [
        ("good", { _ in }),
        ("front", { $0.code = "code" }),
        (
            "withAccessTokenHash",
            {
                $0.accessToken = "access"
                $0.policy.requiresAccessTokenHash = true
            }
        ),
        ("moreAudiences", { $0.policy.trustedAudiences = ["api"] }),
        (
            "gold",
            {
                $0.contextClasses = ["gold", "silver"]
                $0.policy.contextClasses = ["gold"]
            }
        ),
        ("good", { $0.maxAge = 100 }),
        ("good", { $0.previous = try IDTokenFixtures.token("good") }),
        ("good", { $0.frontChannel = try IDTokenFixtures.token("front") }),
        ("tooOld", { $0.previous = try IDTokenFixtures.token("good") }),
    ]

    @Test("good ID tokens pass", arguments: 0..<9)
    func good(_ index: Int) throws {
        var expectation = try IDTokenFixtures.expectation()
        try Self.goodTokens[index].change(&expectation)
        let token = try IDTokenFixtures.token(Self.goodTokens[index].name)
        #expect(try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation) == .signature)
    }

    @Test("an unsigned token is taken, and marked, only when it is asked for by name (Core 3.1.3.7, 6)")
    func unsigned() throws {
        let token = try IDTokenFixtures.token("unsigned")
        var expectation = try IDTokenFixtures.expectation()
        #expect(throws: AuthStateError.self) {
            try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation)
        }
        expectation.policy.algorithms.insert(.unsecured)
        #expect(try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation) == .tls)
    }

    @Test("HS256 is keyed by the client's secret, and taken only when it is asked for by name (Core 10.1)")
    func sharedSecret() throws {
        let token = try IDTokenFixtures.token("sharedSecret")
        var expectation = try IDTokenFixtures.expectation()
        expectation.clientSecret = "client-secret"
        expectation.toleratesShortSecret = true
        #expect(throws: AuthStateError.self) {
            try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation)
        }
        expectation.policy.algorithms = [.hs256]
        #expect(try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation) == .signature)
        for secret in ["client-secreT", "", nil] {
            expectation.clientSecret = secret
            #expect(throws: AuthStateError.self) {
                try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation)
            }
        }
    }

    @Test("without published keys TLS alone will do only when it is asked for by name, and never for the browser")
    func withoutKeys() throws {
        var expectation = try IDTokenFixtures.expectation()
        #expect(throws: AuthStateError.self) {
            try IDTokenFixtures.token("good").validate(keys: nil, expectation: expectation)
        }
        expectation.policy.trustsTLS = true
        #expect(try IDTokenFixtures.token("good").validate(keys: nil, expectation: expectation) == .tls)
        #expect(throws: AuthStateError.self) {
            try IDTokenFixtures.token("otherIssuer").validate(keys: nil, expectation: expectation)
        }
    }
}

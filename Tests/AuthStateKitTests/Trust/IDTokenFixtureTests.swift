import AuthStateJOSE
import AuthStateOAuth
import Testing

struct IDTokenFixtureTests {
    /// A token that is valid: an attack that fails for a reason of the fixture's own would prove nothing.
    struct Good: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var token = "good"
        var change: @Sendable (inout IDTokenExpectation) throws -> Void = { _ in }
    }

    private static let goodTokens = [
        Good(testDescription: "plain"),
        Good(testDescription: "from the browser, with its code", token: "front") { $0.code = "code" },
        Good(testDescription: "with the hash of its access token", token: "withAccessTokenHash") {
            ($0.accessToken, $0.policy.requiresAccessTokenHash) = ("access", true)
        },
        Good(testDescription: "for trusted audiences", token: "moreAudiences") { $0.policy.trustedAudiences = ["api"] },
        Good(testDescription: "of the context class", token: "gold") {
            ($0.contextClasses, $0.policy.contextClasses) = (["gold", "silver"], ["gold"])
        },
        Good(testDescription: "of a young login") { $0.maxAge = 100 },
        Good(testDescription: "after an equal one") { $0.previous = try IDTokenFixtures.token("good") },
        Good(testDescription: "after the browser's") { $0.frontChannel = try IDTokenFixtures.token("front") },
        Good(testDescription: "issued long ago, after another one", token: "tooOld") {
            $0.previous = try IDTokenFixtures.token("good")
        },
    ]

    @Test("good ID tokens pass", arguments: goodTokens)
    func good(_ good: Good) throws {
        var expectation = try IDTokenFixtures.expectation()
        try good.change(&expectation)
        let token = try IDTokenFixtures.token(good.token)
        #expect(try token.validate(keys: IDTokenFixtures.keys(), expectation: expectation) == .signature)
    }

    @Test func `an unsigned token is taken, and marked, only when it is asked for by name (Core 3.1.3.7, 6)`() throws {
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

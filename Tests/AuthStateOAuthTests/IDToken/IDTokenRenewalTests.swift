import AuthStateJOSE
import AuthStateOAuth
import Testing

/// ID tokens of a renewal (OpenID Connect Core, section 12.2).
struct IDTokenRenewalTests {
    private let mint: TokenMint
    private let now = TokenMint.now

    init() throws { mint = try TokenMint() }

    private func failure(
        _ changes: [String: JSONValue?], after before: [String: JSONValue?] = [:]
    ) throws -> AuthStateError? {
        let previous = try mint.token(before)
        return try mint.failure(changes) {
            $0.previous = previous
            $0.nonce = nil
        }
    }

    @Test func `a token that continues the first one passes, with and without nonce and auth_time`() throws {
        #expect(try failure([:]) == nil)
        #expect(try failure(["nonce": nil, "auth_time": nil]) == nil)
    }

    @Test(
        "a claim that must stay the same is refused when it changes",
        arguments: [
            ("iss", "https://evil.example"), ("sub", "bob"), ("aud", ["client", "api"]), ("azp", "other"),
            ("nonce", "SECRET-other"), ("azp", 5),
        ] as [(String, JSONValue)])
    func changed(_ name: String, _ value: JSONValue) throws {
        let error = try #require(try failure([name: value]))
        #expect(error.code == .invalidIDToken)
    }

    @Test("another auth_time is refused only where the login asked for max_age", arguments: [false, true])
    func authenticationTime(asksForAge: Bool) throws {
        let previous = try mint.token()
        let error = try mint.failure(["auth_time": 1_799_999_971]) {
            ($0.previous, $0.keepsAuthenticationTime) = (previous, asksForAge)
        }
        #expect(
            (error?.code == .invalidIDToken) == asksForAge && (error?.hint?.contains("max_age") ?? false) == asksForAge)
    }

    @Test(
        "a claim without content is absent",
        arguments: [
            ["nonce": .null], ["nonce": ""], ["auth_time": .null, "at_hash": .null], ["at_hash": "", "c_hash": ""],
        ]
            as [[String: JSONValue?]])
    func empty(_ claims: [String: JSONValue?]) throws { #expect(try failure(claims) == nil) }

    @Test func `azp is neither added nor dropped`() throws {
        #expect(try failure(["azp": "client"], after: ["azp": "client"]) == nil)
        #expect(try failure(["azp": "client"])?.message.contains("azp") == true)
        #expect(try failure([:], after: ["azp": "client"])?.message.contains("azp") == true)
    }

    @Test func `audiences are the same in any order`() throws {
        let first: [String: JSONValue?] = ["aud": ["client", "api"], "azp": "client"]
        #expect(try failure(["aud": ["api", "client"], "azp": "client"], after: first) == nil)
        #expect(try failure(["aud": "client", "azp": "client"], after: first) != nil)
    }

    @Test func `exp is checked as ever, the age of iat is not`() throws {
        #expect(try failure(["exp": JSONValue(now - 60)])?.message.contains("exp") == true)
        #expect(try failure(["iat": JSONValue(now - 86400)]) == nil)
        #expect(try failure(["iat": JSONValue(now + 61)])?.message.contains("iat") == true)
        #expect(try failure(["iat": nil])?.message.contains("iat") == true)
    }

    @Test func `the login's age is not asked for again`() throws {
        let previous = try mint.token()
        let error = try mint.failure(["auth_time": nil]) {
            $0.previous = previous
            $0.maxAge = 1
        }
        #expect(error == nil)
    }
}

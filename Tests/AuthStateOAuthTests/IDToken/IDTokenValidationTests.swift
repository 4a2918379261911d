import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct IDTokenValidationTests {
    private let mint: TokenMint
    private let now = TokenMint.now

    init() throws { mint = try TokenMint() }

    /// The name of the check that failed.
    private func check(
        _ changes: [String: JSONValue?], _ change: (inout IDTokenExpectation) -> Void = { _ in }
    ) throws -> String? {
        guard let error = try mint.failure(changes, change) else { return nil }
        #expect(error.code == .invalidIDToken && error.kind == .refused)
        return error.message.split(separator: ": ").last?.split(separator: " (").first.map(String.init)
    }

    @Test func `a good token passes`() throws {
        #expect(try mint.failure() == nil)
        let token = try mint.token(["azp": "client", "acr": "gold", "amr": ["pwd", "otp"], "sid": "s"])
        #expect(token.issuer == "https://op.example" && token.subject == "alice" && token.audience == ["client"])
        #expect(token.authenticationContextClass == "gold" && token.authenticationMethods == ["pwd", "otp"])
        #expect(token.sessionID == "s" && token.authorizedParty == "client")
    }

    @Test(
        "a wrong, missing or mistyped claim is refused by its name",
        arguments: [
            ("iss", nil), ("iss", "https://op.example/"), ("iss", "https://evil.example"),
            ("iss", ["https://op.example"]),
            ("sub", nil), ("sub", ""), ("sub", 5.5), ("sub", .string(String(repeating: "a", count: 256))),
            ("aud", nil), ("aud", "other"), ("aud", []), ("aud", ["other"]), ("aud", ["Client"]), ("aud", 5),
            ("azp", "other"), ("exp", nil), ("exp", "soon"), ("exp", 0), ("exp", -1), ("exp", 1e300),
            ("iat", nil), ("iat", "now"), ("iat", true), ("nbf", "soon"), ("nbf", 1_800_001_000),
            ("nonce", nil), ("nonce", "SECRET-other"), ("nonce", ""), ("nonce", 5),
        ] as [(String, JSONValue?)])
    func broken(_ name: String, _ value: JSONValue?) throws { #expect(try check([name: value]) == name) }

    @Test func `several audiences need azp, and azp must be this client (Core 3.1.3.7, 4 and 5)`() throws {
        #expect(try check(["aud": ["client"]]) == nil)
        #expect(try check(["aud": ["client", "api"]]) == "azp")
        #expect(try check(["aud": ["client", "api"], "azp": "client"]) == nil)
        #expect(try check(["aud": ["client", "api"], "azp": "api"]) == "azp")
        #expect(try check(["aud": "other", "azp": "client"]) == "aud")
    }

    @Test func `times may have fractions`() throws {
        #expect(
            try check(["exp": JSONValue(now + 0.5), "iat": JSONValue(now - 0.25), "nbf": JSONValue(now - 0.5)]) == nil)
        #expect(try mint.token(["iat": JSONValue(now - 0.25)]).issuedAt?.timeIntervalSince1970 == now - 0.25)
    }

    @Test("the leeway counts exactly for exp, iat and nbf", arguments: [0.0, 60, 300])
    func leewayEdges(_ leeway: Double) throws {
        func at(_ name: String, _ offset: Double) throws -> String? {
            try check([name: JSONValue(now + offset)]) { $0.policy.leeway = .seconds(leeway) }
        }
        #expect(try at("exp", 1 - leeway) == nil && at("exp", -leeway) == "exp")
        #expect(try at("iat", leeway) == nil && at("iat", leeway + 1) == "iat")
        #expect(try at("iat", -600 - leeway) == nil && at("iat", -601 - leeway) == "iat")
        #expect(try at("nbf", leeway) == nil && at("nbf", leeway + 1) == "nbf")
    }

    @Test func `how old a token may be is configurable, and the error carries both times`() throws {
        let error = try #require(
            try mint.failure(["iat": JSONValue(now - 100)]) {
                $0.policy.maximumAge = .seconds(30)
                $0.policy.leeway = .zero
            })
        #expect(error.expected?.contains("\(Int(now))") == true)
        #expect(error.received == "\(Int(now) - 100), 100 s before this clock")
        #expect(error.hint?.contains("clock") == true)
    }

    @Test func `an archived policy has its times in seconds, and a time too large for a duration is cut`() throws {
        var policy = IDTokenPolicy()
        policy.leeway = .milliseconds(1500)
        policy.trustedAudiences = ["api"]
        let data = try JSONEncoder().encode(policy)
        #expect(String(decoding: data, as: UTF8.self).contains("\"leeway\":1.5"))
        #expect(try JSONDecoder().decode(IDTokenPolicy.self, from: data) == policy)
        let large = Data(#"{"leeway": 1e300, "maximumAge": -1e300}"#.utf8)
        let read = try JSONDecoder().decode(IDTokenPolicy.self, from: large)
        #expect(read.leeway == .seconds(1_000_000_000_000) && read.maximumAge == .seconds(-1_000_000_000_000))
    }

    @Test func `a token of a request without nonce must not have one`() throws {
        #expect(try check([:]) { $0.nonce = nil } == "nonce")
        #expect(try check(["nonce": nil]) { $0.nonce = nil } == nil)
    }

    @Test func `max_age requires auth_time and holds to it (Core 3.1.3.7, 13)`() throws {
        func at(_ age: Double) throws -> String? { try check(["auth_time": JSONValue(now - age)]) { $0.maxAge = 100 } }
        #expect(try at(160) == nil && at(161) == "auth_time" && at(100) == nil)
        #expect(try check(["auth_time": nil]) { $0.maxAge = 100 } == "auth_time")
        #expect(try mint.failure(["auth_time": nil]) { $0.maxAge = 100 }?.hint?.contains("Without max_age") == true)
        #expect(try check(["auth_time": "x"]) { $0.maxAge = 100 } == "auth_time")
        #expect(try check(["auth_time": nil]) == nil)
        #expect(try check(["auth_time": 0]) == nil)
    }

    @Test func `the hashes of the front and the back channel: at_hash of Core, appendix A.4`() throws {
        // OpenID Connect Core, A.4 (RS256): this access token has this at_hash.
        let mint = try TokenMint(.rs256)
        let claims: [String: JSONValue?] = ["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"]
        #expect(try mint.failure(claims) { $0.accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y" } == nil)
    }

    @Test(
        "a wrong at_hash is refused, with every digest",
        arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA])
    func atHash(_ algorithm: SignatureAlgorithm) throws {
        let mint = try TokenMint(algorithm)
        let token = "SECRET-access"
        let digest: [UInt8]
        switch algorithm {
        case .es256: digest = try SHA2.sha256(Array(token.utf8))
        case .es384: digest = try SHA2.digest(.sha384, of: Array(token.utf8))
        default: digest = try SHA2.digest(.sha512, of: Array(token.utf8))
        }
        let right = JSONValue.string(Base64URL.encode(digest.prefix(digest.count / 2)))
        #expect(try mint.failure(["at_hash": right]) { $0.accessToken = token } == nil)
        for wrong: JSONValue in ["AAAA", 5, .string(Base64URL.encode(digest))] {
            let error = try mint.failure(["at_hash": wrong]) { $0.accessToken = token }
            #expect(error?.code == .invalidIDToken && error?.message.contains("at_hash") == true)
        }
        #expect(try mint.failure(["at_hash": right]) { $0.accessToken = token + "x" } != nil)
        for none: JSONValue in ["", .null] {
            #expect(try mint.failure(["at_hash": none]) { $0.accessToken = token } == nil)
            let required = try mint.failure(["at_hash": none]) {
                ($0.accessToken, $0.policy.requiresAccessTokenHash) = (token, true)
            }
            #expect(required?.code == .invalidIDToken)
        }
    }

    @Test func `names are compared code point by code point: the Kelvin sign is no K (RFC 7519, section 7.3)`() throws {
        let (kelvin, letter) = ("\u{212A}", "K")
        #expect(kelvin == letter, "as Swift compares")
        #expect(try check(["aud": .string(kelvin)]) { $0.clientID = letter } == "aud")
        #expect(
            try check(["aud": ["client", .string(kelvin)], "azp": "client"]) {
                $0.policy.trustedAudiences = [letter]
            } == "aud")
        #expect(try check(["aud": .string(letter), "azp": .string(kelvin)]) { $0.clientID = letter } == "azp")
        #expect(
            try check(["iss": .string("https://op.example/" + kelvin)]) {
                $0.issuer = (try? Issuer("https://op.example/" + letter)) ?? $0.issuer
            } == "iss")
    }
}

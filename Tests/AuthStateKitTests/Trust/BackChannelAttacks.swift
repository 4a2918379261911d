import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension Attack {
    /// Logout tokens that the provider did not make, or made for another purpose or client.
    static let logoutToken: [Attack] = [
        // By a key of the provider's, with an algorithm that the client is not registered for.
        Attack(.allowedAlgorithm) { try LogoutTokenForger.offer(algorithms: [.rs256]) },
        Attack(.allowedAlgorithm) { try LogoutTokenForger.offer(algorithms: .asymmetric) },
        Attack(.logoutTokenType) { try LogoutTokenForger.offer(type: "at+jwt") },
        Attack(.logoutTokenType) { try LogoutTokenForger.offer(type: "application/id_token+jwt") },
        Attack(.logoutTokenIssuer) { try LogoutTokenForger.offer(["iss": "https://evil.example"]) },
        Attack(.logoutTokenIssuer) { try LogoutTokenForger.offer(["iss": nil]) },
        Attack(.logoutTokenAudience) { try LogoutTokenForger.offer(["aud": "another"]) },
        Attack(.logoutTokenAudience) { try LogoutTokenForger.offer(["aud": ["another", "clients"]]) },
        Attack(.logoutTokenTimes) { try LogoutTokenForger.offer(["iat": 1]) },
        Attack(.logoutTokenTimes) { try LogoutTokenForger.offer(["iat": 1_800_001_000]) },
        Attack(.logoutTokenTimes) { try LogoutTokenForger.offer(["iat": nil]) },
        Attack(.logoutTokenExpiry) { try LogoutTokenForger.offer(["exp": 1_799_999_900]) },
        Attack(.logoutTokenExpiry) { try LogoutTokenForger.offer(["exp": nil]) },
        Attack(.logoutTokenSubject) { try LogoutTokenForger.offer(["sub": nil]) },
        Attack(.logoutTokenSubject) { try LogoutTokenForger.offer(["sid": ""]) },
        Attack(.logoutTokenEvent) { try LogoutTokenForger.offer(["events": nil]) },
        Attack(.logoutTokenEvent) { try LogoutTokenForger.offer(["events": ["https://evil.example/event": [:]]]) },
        Attack(.logoutTokenEvent) {
            try LogoutTokenForger.offer(["events": [.init(stringLiteral: LogoutToken.event)]])
        },
        Attack(.logoutTokenNonce) { try LogoutTokenForger.offer(["nonce": "n"]) },
        Attack(.logoutTokenID) { try LogoutTokenForger.offer(["jti": nil]) },
    ]

    /// Logins that lead people to another party's provider.
    static let thirdPartyLogin: [Attack] = [
        Attack(.thirdPartyIssuer) {
            _ = try ThirdPartyLogin(["iss": "https://evil.example"], allowedIssuers: ["https://op.example"])
        }
    ]
}

/// A logout token of `https://op.example` for Alice's logout, honest or not.
enum LogoutTokenForger {
    static let key = Result { try SigningKey.generate(.es256, keyID: "k") }
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// The token, with some claims changed.
    static func token(
        _ changes: [String: JSONValue?] = [:], type: String = "logout+jwt", by key: SigningKey? = nil
    ) throws -> String {
        var claims: [String: JSONValue] = [
            "iss": "https://op.example", "aud": "client", "sub": "alice", "jti": "1", "iat": 1_800_000_000,
            "exp": 1_800_000_120, "events": [LogoutToken.event: [:]],
        ]
        for (name, value) in changes { claims[name] = value }
        return try JSONWebToken.sign(
            claims: .object(claims), header: ["typ": .string(type)], with: try key ?? Self.key.get())
    }

    static func expectation(_ algorithms: Set<SignatureAlgorithm> = [.es256]) throws -> IDTokenExpectation {
        var expectation = IDTokenExpectation(issuer: try Issuer("https://op.example"), clientID: "client", now: now)
        expectation.policy.algorithms = algorithms
        return expectation
    }

    static func keys() throws -> JSONWebKeySet { JSONWebKeySet(keys: [try key.get().publicKey]) }

    /// Validates the token as a client does.
    @discardableResult
    static func offer(
        _ changes: [String: JSONValue?] = [:], type: String = "logout+jwt",
        algorithms: Set<SignatureAlgorithm> = [.es256]
    ) throws -> LogoutToken {
        try LogoutToken(token(changes, type: type), keys: keys(), expectation: expectation(algorithms))
    }
}

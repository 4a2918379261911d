import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension Attack {
    /// Tokens that the provider signed for another purpose, offered as an ID token to a login that sent no nonce.
    static let typedToken: [Attack] =
        TypedTokenForger.others.map { type in Attack(.idTokenType) { try TypedTokenForger.offer(type: type) } } + [
            Attack(.idTokenEvent) { try TypedTokenForger.offer(["events": [LogoutToken.event: [:]], "jti": "1"]) },
            Attack(.idTokenEvent) { try TypedTokenForger.offer(["events": [:]]) },
            Attack(.idTokenEvent) {
                let previous = try TypedTokenForger.make()
                try TypedTokenForger.offer(["events": [:]]) { $0.previous = previous }
            },
        ]
}

/// A token of `https://op.example` that fits the client in every claim.
enum TypedTokenForger {
    /// Values of `typ` that name another kind of token than an ID token.
    static let others = [
        "logout+jwt", "at+jwt", "application/at+jwt", "AT+JWT", "Application/Logout+jwt", "dpop+jwt", "secevent+jwt",
        "token-introspection+jwt", "oauth-authz-req+jwt", "entity-statement+jwt", "kb+jwt", "vc+sd-jwt",
        "at+\u{301}jwt",
    ]

    private static let key = Result { try SigningKey.generate(.es256, keyID: "k") }
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func make(_ claims: [String: JSONValue] = [:], type: String? = "JWT") throws -> IDToken {
        let common: [String: JSONValue] = [
            "iss": "https://op.example", "sub": "alice", "aud": "client", "iat": 1_800_000_000, "exp": 1_800_000_120,
        ]
        return try IDToken(
            parsing: JSONWebToken.sign(
                claims: .object(common.merging(claims) { $1 }), header: type.map { ["typ": .string($0)] } ?? [:],
                with: key.get()))
    }

    /// Validates the token as a login does.
    static func offer(
        _ claims: [String: JSONValue] = [:], type: String? = "JWT",
        _ change: (inout IDTokenExpectation) -> Void = { _ in }
    ) throws {
        var expectation = IDTokenExpectation(issuer: try Issuer("https://op.example"), clientID: "client", now: now)
        change(&expectation)
        try make(claims, type: type).validate(
            keys: JSONWebKeySet(keys: [try key.get().publicKey]), expectation: expectation)
    }
}

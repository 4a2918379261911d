import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting

extension Attack {
    /// Userinfo about another user, or for another client.
    static let userInfo: [Attack] = [
        Attack(.userInfoSubject) { try await offer(.plain(["sub": "mallory"])) },
        Attack(.userInfoSubject) { try await offer(.plain(["name": "Alice"])) },
        Attack(.userInfoSubject) { try await offer(.signed(["sub": "mallory"])) },
        Attack(.userInfoIsSigned) {
            try await offer(.plain(["sub": "alice"]), UserInfoOptions(requiresSignature: true))
        },
        // One by a stranger's key would also be stopped by `.signature`, which is the same check one room below.
        Attack(.userInfoSignature) {
            // The public key as a shared secret.
            let key = try UserInfoForger.provider.get().publicKey
            let secret = try SigningKey(JSONWebKey(secret: key.json.serialized()), algorithm: .hs256)
            try await offer(.signed([:], by: .success(secret)))
        },
        Attack(.userInfoSignature) { try await offer(.unsecured([:])) },
        // A token that the provider made for another purpose, at the endpoint of another party who has it.
        Attack(.userInfoType) { try await offer(.signed([:], type: "at+jwt")) },
        Attack(.userInfoType) { try await offer(.signed([:], type: "application/Logout+JWT")) },
        Attack(.userInfoEvent) { try await offer(.signed(["events": [LogoutToken.event: [:]]])) },
        Attack(.userInfoIssuer) { try await offer(.signed(["iss": "https://evil.example"])) },
        Attack(.userInfoIssuer) { try await offer(.signed(["iss": 5])) },
        Attack(.userInfoAudience) { try await offer(.signed(["aud": "another"])) },
        Attack(.userInfoAudience) { try await offer(.signed(["aud": ["another", "clients"]])) },
        Attack(.userInfoAudience) { try await offer(.signed(["aud": []])) },
        Attack(.userInfoExpiry) { try await offer(.signed(["exp": 1])) },
        Attack(.userInfoExpiry) { try await offer(.signed(["exp": "never"])) },
        Attack(.userInfoNotBefore) { try await offer(.signed(["nbf": 99_999_999_999])) },
        Attack(.claimSourceTLS) {
            let info = try await offer(
                .plain([
                    "sub": "alice", "_claim_names": ["age": "x"],
                    "_claim_sources": ["x": ["endpoint": "http://claims.example", "access_token": "SECRET"]],
                ]))
            // A source that is not believed is left out, which is no error.
            guard info.claimSources["x"] != nil else {
                throw AuthStateError(.insecureURL, stage: .userinfo, "The source was left out.")
            }
        },
    ]

    /// Reads an answer of the userinfo endpoint as a state of Alice's does.
    @discardableResult
    static func offer(_ answer: UserInfoForger, _ options: UserInfoOptions = UserInfoOptions()) async throws -> UserInfo
    {
        try await answer.state().userInfo(options)
    }
}

/// An answer of the userinfo endpoint of `https://op.example`, honest or not.
enum UserInfoForger: Sendable {
    case plain(JSONValue)
    /// Claims for Alice, changed, in a JWT.
    case signed([String: JSONValue?], type: String = "JWT", by: Result<SigningKey, any Error> = UserInfoForger.provider)
    /// The same with the algorithm `none`.
    case unsecured([String: JSONValue?])
    case raw(String, contentType: String)

    static let provider = Result { try SigningKey.generate(.es256, keyID: "k") }

    /// A state that Alice logged in to, at a provider that gives this answer.
    func state(tolerances: Set<Tolerance> = []) throws -> AuthState {
        let (mediaType, body) = try content()
        let key = try Self.provider.get()
        let keys = JSONWebKeySet(keys: [key.publicKey]).json
        var fixture = try Fixture(
            then: .dynamic { request in
                request.url.path == "/keys"
                    ? TransportResponse(status: 200, body: Data(keys.serialized()))
                    : TransportResponse(status: 200, headers: ["Content-Type": mediaType], body: Data(body.utf8))
            })
        var configuration = fixture.record.client.provider
        configuration.issuer = try Issuer("https://op.example")
        configuration.jwksURI = URL(string: "https://op.example/keys")
        configuration.userInfoEndpoint = URL(string: "https://op.example/userinfo")
        configuration.tolerances = tolerances
        fixture.record.client.provider = configuration
        fixture.record.idToken = try JSONWebToken.sign(claims: ["sub": "alice"], with: key)
        return fixture.state()
    }

    private func content() throws -> (mediaType: String, body: String) {
        switch self {
        case .plain(let claims): return ("application/json", String(decoding: claims.serialized(), as: UTF8.self))
        case .raw(let body, let contentType): return (contentType, body)
        case .signed(let changes, let type, let key):
            return (
                "application/jwt",
                try JSONWebToken.sign(claims: Self.claims(changes), header: ["typ": .string(type)], with: key.get())
            )
        case .unsecured(let changes):
            let parts = [["alg": "none"] as JSONValue, Self.claims(changes)].map { Base64URL.encode($0.serialized()) }
            return ("application/jwt", parts.joined(separator: ".") + ".")
        }
    }

    private static func claims(_ changes: [String: JSONValue?]) -> JSONValue {
        var claims: [String: JSONValue] = [
            "iss": "https://op.example", "aud": "client", "sub": "alice", "name": "Alice",
        ]
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }
}

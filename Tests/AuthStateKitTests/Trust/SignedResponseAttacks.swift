import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting

extension Attack {
    /// False answers to a login that asked for a signed one (JARM), each by itself.
    static let signedResponse: [Attack] = [
        // An attacker who can strip the signature needs none.
        Attack(.callbackMode) {
            let login = try await SignedLogin()
            try await login.believe("?code=c&state=\(login.state)")
        },
        // A place where scripts, logs or other servers would have seen it; an error beside it is no excuse.
        Attack(.callbackMode) {
            let login = try await SignedLogin()
            try await login.believe("#response=\(try login.token())")
        },
        Attack(.callbackMode) {
            let login = try await SignedLogin(.formPostJWT)
            try await login.believe("?response=\(try login.token())&error=x")
        },
        Attack(.callbackParameters) {
            let login = try await SignedLogin()
            try await login.believe("?response=\(try login.token())&response=x")
        },
        // The attacker's own login, in the victim's browser. Any sender can choose the parameters beside the token.
        Attack(.callbackState) {
            let login = try await SignedLogin()
            try await login.believe("?response=\(try login.token(["state": "x"]))&state=\(login.state)")
        },
        Attack(.callbackState) { try await offer(["state": nil]) },
        // One by a stranger's key would also be stopped by `.signature`, which is the same check one room below.
        Attack(.signedResponseSignature) {
            // The public key as a shared secret.
            let key = try SignedLogin.provider.get().publicKey
            let secret = try SigningKey(JSONWebKey(secret: key.json.serialized()), algorithm: .hs256)
            try await offer(by: .success(secret))
        },
        Attack(.signedResponseSignature) {
            let login = try await SignedLogin()
            let parts = [["alg": "none"] as JSONValue, login.claims()].map { Base64URL.encode($0.serialized()) }
            try await login.believe("?response=\(parts.joined(separator: ".")).")
        },
        Attack(.signedResponseType) {
            let login = try await SignedLogin()
            try await login.believe("?response=\(try login.token(type: "at+jwt"))")
        },
        Attack(.signedResponseIssuer) { try await offer(["iss": "https://evil.example"]) },
        Attack(.signedResponseIssuer) { try await offer(["iss": nil]) },
        Attack(.signedResponseAudience) { try await offer(["aud": "another"]) },
        Attack(.signedResponseAudience) { try await offer(["aud": ["another", "clients"]]) },
        Attack(.signedResponseAudience) { try await offer(["aud": nil]) },
        Attack(.signedResponseExpiry) { try await offer(["exp": 1_799_999_940]) },
        Attack(.signedResponseExpiry) { try await offer(["exp": nil]) },
        Attack(.signedResponseExpiry) { try await offer(["exp": "never"]) },
        Attack(.signedResponseNotBefore) { try await offer(["nbf": 1_800_000_061]) },
        Attack(.signedResponseNotBefore) { try await offer(["nbf": "now"]) },
    ]

    private static func offer(
        _ changes: [String: JSONValue?] = [:], by key: Result<SigningKey, any Error> = SignedLogin.provider
    ) async throws {
        let login = try await SignedLogin()
        try await login.believe("?response=\(try login.token(changes, by: key))")
    }
}

/// A login that waits for a signed answer, and the sender of that answer.
struct SignedLogin: Sendable {
    static let provider = Result { try SigningKey.generate(.es256, keyID: "k") }

    let transport: ScriptedTransport
    private let service: AuthorizationService
    private let pending: PendingAuthorization

    var state: String { pending.request.state }

    init(
        _ mode: AuthorizationRequest.ResponseMode = .queryJWT, metadata: [String: JSONValue] = [:],
        change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws {
        let keys = JSONWebKeySet(keys: [try Self.provider.get().publicKey]).json.serialized()
        transport = ScriptedTransport(then: .json(String(decoding: keys, as: UTF8.self)))
        service = AuthorizationService(transport) {
            $0.clock = WallClock { Date(timeIntervalSince1970: 1_800_000_000) }
        }
        let document: [String: JSONValue] = [
            "issuer": "https://op.example", "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        ]
        var request = AuthorizationRequest(
            Client(
                try ProviderConfiguration(
                    metadata: ProviderMetadata(document: document.merging(metadata) { $1 }),
                    issuer: Issuer("https://op.example")), id: "app"),
            redirectURI: try RedirectURI("https://app.example/cb"))
        request.responseMode = mode
        change(&request)
        pending = try await service.begin(request)
    }

    /// The claims of an honest answer, with changes.
    func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var claims: [String: JSONValue] = [
            "iss": "https://op.example", "aud": "app", "exp": 1_800_000_060, "code": "c", "state": .string(state),
        ]
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    func token(
        _ changes: [String: JSONValue?] = [:], type: String = "JWT", by key: Result<SigningKey, any Error> = provider
    ) throws -> String {
        try JSONWebToken.sign(claims: claims(changes), header: ["typ": .string(type)], with: key.get())
    }

    /// Comes back to the redirect URI, with a query, a fragment or a form.
    @discardableResult
    func believe(_ suffix: String, form: String? = nil) async throws -> AuthorizationResponse {
        let url = "https://app.example/cb\(suffix)"
        return try await service.authorizationResponse(
            for: pending,
            callback: form.map { AuthorizationCallback(url: url, formBody: $0) } ?? AuthorizationCallback(url: url))
    }
}

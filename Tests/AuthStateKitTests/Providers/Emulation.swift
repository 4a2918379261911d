import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateProviders
import AuthStateTesting
import Testing

/// A known provider as its documents describe it, at its own URLs and without a network.
struct Emulation: Sendable {
    let provider: KnownProvider
    let transport: ScriptedTransport
    let service: AuthorizationService
    private let issuing: Issuing

    /// The key and the values that ID tokens are made with.
    final class Issuing: Sendable {
        fileprivate let key: SigningKey
        fileprivate let nonce = Lock<String?>(nil)
        fileprivate let userInfo = Lock<TransportResponse?>(nil)

        fileprivate init() throws { key = try Self.sharedKey.get() }

        /// One for all: making a key of RSA takes a third of a second.
        private static let sharedKey = Result { try SigningKey.generate(.rs256, keyID: "k") }

        /// An ID token for the login in progress.
        func idToken(issuer: String, _ more: [String: JSONValue] = [:]) throws -> String {
            let now = Int64(Date().timeIntervalSince1970)
            var claims: [String: JSONValue] = [
                "iss": .string(issuer), "sub": "ada", "aud": "client", "iat": .number(JSONNumber(now)),
                "exp": .number(JSONNumber(now + 3600)),
            ]
            claims["nonce"] = nonce.withLock { $0 }.map { .string($0) }
            return try JSONWebToken.sign(claims: .object(claims.merging(more) { _, new in new }), with: key)
        }
    }

    /// Makes an emulation.
    ///
    /// - Parameters:
    ///   - metadata: The members of its discovery document beside those of every document; nil when it has none.
    ///   - keyIssuer: The issuer that its key names.
    ///   - tokenAnswer: Makes the token endpoint's answer.
    init(
        _ provider: KnownProvider, metadata: [String: JSONValue]? = nil, keyIssuer: JSONValue? = nil,
        tokenAnswer: @escaping @Sendable (TransportRequest, Issuing) throws -> TransportResponse
    ) throws {
        self.provider = provider
        let issuing = try Issuing()
        self.issuing = issuing
        let endpoints = "https://endpoints.example"
        var key = issuing.key.publicKey.json.objectValue ?? [:]
        key["issuer"] = keyIssuer
        let keys: JSONValue = ["keys": [.object(key)]]
        var pages = ["\(endpoints)/keys": keys, "https://www.facebook.com/.well-known/oauth/openid/jwks/": keys]
        if let issuer = provider.issuer, let metadata {
            let document = ScriptedPages.document([
                "issuer": .string(issuer), "authorization_endpoint": .string("\(endpoints)/authorize"),
                "token_endpoint": .string("\(endpoints)/token"), "jwks_uri": .string("\(endpoints)/keys"),
                "registration_endpoint": nil,
                "revocation_endpoint": nil, "introspection_endpoint": nil,
                "id_token_signing_alg_values_supported": ["RS256"],
            ])
            let members = (document.objectValue ?? [:]).merging(metadata) { _, new in new }
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            pages["\(base)/.well-known/openid-configuration"] = .object(members)
        }
        let documents = ScriptedPages.transport(pages)
        transport = ScriptedTransport(
            then: .dynamic { request in
                let isUserInfo = request.headers["Authorization"]?.hasPrefix("Bearer ") == true
                if isUserInfo, let answer = issuing.userInfo.withLock({ $0 }) { return answer }
                return request.method == "POST" ? try tokenAnswer(request, issuing) : try await documents.send(request)
            })
        service = AuthorizationService(transport: transport)
    }

    /// Logs in, and plays the user's part.
    ///
    /// - Parameters:
    ///   - extra: The callback's parameters beside `code` and `state`.
    ///   - fragment: The fragment that the provider leaves at the end of the callback.
    func logIn(
        scopes: [Scope]? = nil, credential: ClientCredential = .none, extra: Parameters = [:], fragment: String = ""
    ) async throws -> (response: AuthorizationResponse, tokens: TokenResponse, query: Parameters) {
        let pending = try await service.begin(try await request(scopes: scopes))
        let query = try #require(Parameters(decoding: URIReference(pending.url.absoluteString).query ?? ""))
        let callback = Self.callback(to: pending.request, extra: extra, fragment: fragment)
        let (response, tokens) = try await service.complete(pending.with(credential), callback: callback)
        return (response, tokens, query)
    }

    /// The state of a user who has logged in.
    func authState(
        scopes: [Scope]? = nil, credential: ClientCredential = .none, extra: Parameters = [:]
    ) async throws -> AuthState {
        let pending = try await service.begin(try await request(scopes: scopes))
        return try await AuthState.logIn(
            .callback(Self.callback(to: pending.request, extra: extra), of: pending.with(credential)),
            at: .memory(service: service))
    }

    private static func callback(
        to request: AuthorizationRequest, extra: Parameters, fragment: String = ""
    ) -> AuthorizationCallback {
        var answer: Parameters = ["code": "code", "state": request.state]
        for name in extra.names { answer[name] = extra[name] }
        return request.responseMode == .formPost
            ? AuthorizationCallback(url: "https://app.example/callback", formBody: answer.encoded)
            : AuthorizationCallback(url: "https://app.example/callback?\(answer.encoded)\(fragment)")
    }

    private func request(scopes: [Scope]?) async throws -> AuthorizationRequest {
        let request = provider.request(
            Client(try await service.configuration(of: provider), id: "client"), scopes: scopes,
            redirectURI: try RedirectURI("https://app.example/callback"))
        issuing.nonce.withLock { $0 = request.nonce }
        return request
    }

    /// Lets the userinfo endpoint answer from now on.
    func answerUserInfo(_ response: TransportResponse) { issuing.userInfo.withLock { $0 = response } }

    func lastTokenRequest() throws -> (form: Parameters, headers: TransportHeaders) {
        let request = try #require(transport.requests.last { $0.method == "POST" })
        let body = String(decoding: request.body ?? Data(), as: UTF8.self)
        return (try #require(Parameters(decoding: body)), request.headers)
    }

    /// A successful answer as JSON.
    static func json(_ members: [String: JSONValue]) -> TransportResponse {
        TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"],
            body: Data(JSONValue.object(members).serialized()))
    }
}

import AuthStateJOSE
import AuthStateOAuth

extension OpenIDProvider {
    /// A failure that the provider simulates while ``troubles`` contains it.
    public struct Trouble: RawRepresentable, Sendable, Hashable, CaseIterable {
        /// The name, for example `lost-answer`.
        public let rawValue: String
        /// The effect, in one sentence.
        public let summary: String
        private let change: (@Sendable (inout Configuration) -> Void)?
        private let fail: (@Sendable (Request) -> Fault?)?
        /// Whether each token request rotates the signing key.
        let rotatesKeys: Bool

        /// Returns the trouble with this name; nil when there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        private init(
            _ rawValue: String, _ summary: String, rotatesKeys: Bool = false,
            change: (@Sendable (inout Configuration) -> Void)? = nil, fail: (@Sendable (Request) -> Fault?)? = nil
        ) {
            (self.rawValue, self.summary, self.rotatesKeys) = (rawValue, summary, rotatesKeys)
            (self.change, self.fail) = (change, fail)
        }

        /// Returns whether both have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        func apply(to configuration: inout Configuration) { change?(&configuration) }
        func fault(for request: Request) -> Fault? { fail?(request) }

        /// All troubles, network failures first.
        public static let allCases: [Trouble] = [
            Trouble("down", "The token endpoint answers 503.", fail: at([.token], .status(503, retryAfter: 1))),
            Trouble(
                "slow", "Tokens, userinfo and the API take three seconds.",
                fail: at([.token, .userInfo, .resource], .delay(.seconds(3)))),
            Trouble("hang", "The token endpoint never answers.", fail: at([.token], .hang)),
            Trouble("lost-answer", "Tokens are issued, and their answer is lost.", fail: at([.token], .reset)),
            Trouble(
                "page", "The token endpoint answers 502 with an HTML page.",
                fail: at([.token], .text("<h1>Bad gateway</h1>", contentType: "text/html", status: 502))),
            Trouble(
                "invalid-grant", "Every refresh token is refused.",
                fail: { request in
                    guard request.endpoint == .token, request.parameters["grant_type"] == "refresh_token" else {
                        return nil
                    }
                    return .oauthError("invalid_grant", description: "The refresh token is not valid any more.")
                }),
            Trouble(
                "forgotten-client", "The token endpoint refuses every client.",
                fail: at([.token], .oauthError("invalid_client", status: 401, description: "The client is not known."))),
            Trouble(
                "wanted-redirect-uri", "Clients without a redirect URI cannot register.",
                fail: { request in
                    guard request.endpoint == .registration,
                        let metadata = try? JSONValue(parsing: [UInt8](request.body)),
                        metadata["redirect_uris"]?.arrayValue?.isEmpty ?? true
                    else { return nil }
                    return .oauthError("invalid_redirect_uri", description: "redirect_uris is required.")
                }),
            Trouble(
                "refused-token", "Userinfo and the API refuse every token.",
                fail: at([.userInfo, .resource], .status(401))),
            Trouble("denied", "The user refuses every login.", change: { $0.login = .denied }),
            Trouble("less-scope", "The user consents only to openid.", change: { $0.consentedScopes = ["openid"] }),
            Trouble(
                "no-refresh-token", "Tokens come without a refresh token.",
                change: { edit(&$0.deviations.tokenResponse) { $0["refresh_token"] = nil } }),
            Trouble("clock", "The provider's clock is an hour ahead.", change: { $0.clockSkew += .seconds(3600) }),
            Trouble("rotate-keys", "Each ID token is signed with a new key.", rotatesKeys: true),
            Trouble(
                "bad-signature", "The signature of each ID token is wrong.",
                change: { $0.deviations.signature = .broken }),
            Trouble(
                "foreign-key", "ID tokens are signed with an unpublished key.",
                change: { $0.deviations.signature = .foreignKey }),
            Trouble(
                "wrong-audience", "ID tokens are for another client.",
                change: { claims(&$0) { ($0["aud"], $0["azp"]) = ("another-client", "another-client") } }),
            Trouble("no-audience", "ID tokens have no aud.", change: { claims(&$0) { $0["aud"] = nil } }),
            Trouble(
                "wrong-nonce", "ID tokens have another login's nonce.",
                change: { claims(&$0) { $0["nonce"] = "another" } }),
            Trouble("no-subject", "ID tokens have no sub.", change: { claims(&$0) { $0["sub"] = nil } }),
            Trouble("no-issue-time", "ID tokens have no iat.", change: { claims(&$0) { $0["iat"] = nil } }),
            Trouble(
                "expired-token", "ID tokens expired an hour ago.",
                change: { claims(&$0) { $0["exp"] = ($0["iat"]?.intValue).map { .number(JSONNumber($0 - 3600)) } } }),
            Trouble(
                "wrong-token-issuer", "ID tokens are of another issuer.",
                change: { claims(&$0) { $0["iss"] = "https://another.example" } }),
            Trouble(
                "wrong-at-hash", "The at_hash of ID tokens is that of another access token.",
                change: { claims(&$0) { if $0["at_hash"] != nil { $0["at_hash"] = wrongHash } } }),
            Trouble(
                "wrong-c-hash", "The c_hash of ID tokens is that of another code.",
                change: { claims(&$0) { if $0["c_hash"] != nil { $0["c_hash"] = wrongHash } } }),
            Trouble(
                "no-c-hash", "ID tokens have no c_hash.",
                change: { claims(&$0) { $0["c_hash"] = nil } }),
            Trouble(
                "unsigned", "ID tokens are not signed: alg is none.", change: { $0.deviations.signature = .missing }),
            Trouble(
                "no-key-id", "ID tokens do not name their key.",
                change: { edit(&$0.deviations.idToken) { $1["kid"] = nil } }),
            Trouble(
                "wrong-user", "Userinfo is about another user.",
                change: { edit(&$0.deviations.userInfo) { $0["sub"] = "another-user" } }),
            Trouble(
                "wrong-issuer", "The metadata names another issuer.",
                change: { edit(&$0.deviations.metadata) { $0["issuer"] = "https://another.example" } }),
            Trouble(
                "mixed-up-issuer", "The browser comes back with another issuer.",
                change: {
                    edit(&$0.deviations.authorizationResponse) { $0["iss"] = "https://another.example" }
                }),
            Trouble(
                "wrong-state", "The browser comes back with another state.",
                change: { edit(&$0.deviations.authorizationResponse) { $0["state"] = "another" } }),
            Trouble(
                "no-logout-state", "The browser comes back from a logout without state.",
                change: { $0.deviations.endSessionResponse = { $0["state"] = nil } }),
            Trouble(
                "wrong-logout-state", "The browser comes back from a logout with another state.",
                change: { $0.deviations.endSessionResponse = { $0["state"] = "another" } }),
            Trouble(
                "logout-unsigned", "Logout tokens are not signed: alg is none.",
                change: { $0.deviations.logoutTokenSignature = .missing }),
            Trouble(
                "logout-bad-signature", "The signature of each logout token is wrong.",
                change: { $0.deviations.logoutTokenSignature = .broken }),
            Trouble(
                "logout-wrong-algorithm", "Logout tokens name another algorithm than ID tokens.",
                change: { logout(&$0) { $1["alg"] = $1["alg"] == "ES256" ? "RS256" : "ES256" } }),
            Trouble(
                "logout-wrong-issuer", "Logout tokens are of another issuer.",
                change: { logout(&$0) { claims, _ in claims["iss"] = "https://another.example" } }),
            Trouble(
                "logout-wrong-audience", "Logout tokens are for another client.",
                change: { logout(&$0) { claims, _ in claims["aud"] = "another-client" } }),
            Trouble(
                "logout-wrong-event", "Logout tokens are about another event.",
                change: { logout(&$0) { claims, _ in claims["events"] = ["https://another.example/event": [:]] } }),
            Trouble(
                "logout-no-event", "Logout tokens have no events.",
                change: { logout(&$0) { claims, _ in claims["events"] = nil } }),
            Trouble(
                "logout-nonce", "Logout tokens have a nonce, as ID tokens do.",
                change: { logout(&$0) { claims, _ in claims["nonce"] = "another" } }),
        ]

        /// 128 bits of another hash.
        private static let wrongHash: JSONValue = "AAAAAAAAAAAAAAAAAAAAAA"

        private static func at(_ endpoints: [Endpoint], _ fault: Fault) -> @Sendable (Request) -> Fault? {
            { endpoints.contains($0.endpoint) ? fault : nil }
        }

        private static func edit<Content>(
            _ deviation: inout (@Sendable (inout Content) -> Void)?,
            _ change: @escaping @Sendable (inout Content) -> Void
        ) {
            let former = deviation
            deviation = { content in
                former?(&content)
                change(&content)
            }
        }

        private static func claims(
            _ configuration: inout Configuration, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
        ) { edit(&configuration.deviations.idToken) { claims, _ in change(&claims) } }

        private static func logout(_ configuration: inout Configuration, _ change: @escaping Deviations.TokenEdit) {
            edit(&configuration.deviations.logoutToken, change)
        }

        private static func edit(_ deviation: inout Deviations.TokenEdit?, _ change: @escaping Deviations.TokenEdit) {
            let former = deviation
            deviation = { claims, header in
                former?(&claims, &header)
                change(&claims, &header)
            }
        }
    }

    /// The troubles in effect; none at the start. Injected faults take precedence.
    public var troubles: Set<Trouble> {
        get { core.state.withLock { $0.troubles } }
        set { core.state.withLock { $0.troubles = newValue } }
    }
}

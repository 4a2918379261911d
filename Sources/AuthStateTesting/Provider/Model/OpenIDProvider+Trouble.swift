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
            Trouble(
                "wrong-nonce", "ID tokens have another login's nonce.",
                change: { claims(&$0) { $0["nonce"] = "another" } }),
            Trouble(
                "wrong-issuer", "The metadata names another issuer.",
                change: { edit(&$0.deviations.metadata) { $0["issuer"] = "https://another.example" } }),
            Trouble(
                "mixed-up-issuer", "The browser comes back with another issuer.",
                change: { answer(&$0) { $0["iss"] = "https://another.example" } }),
            Trouble(
                "wrong-state", "The browser comes back with another state.",
                change: { answer(&$0) { $0["state"] = "another" } }),
        ]

        private static func at(_ endpoints: [Endpoint], _ fault: Fault) -> @Sendable (Request) -> Fault? {
            { endpoints.contains($0.endpoint) ? fault : nil }
        }

        private static func edit(
            _ deviation: inout Deviations.Edit?, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
        ) {
            let former = deviation
            deviation = { members in
                former?(&members)
                change(&members)
            }
        }

        private static func claims(
            _ configuration: inout Configuration, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
        ) {
            let former = configuration.deviations.idToken
            configuration.deviations.idToken = { claims, header in
                former?(&claims, &header)
                change(&claims)
            }
        }

        private static func answer(
            _ configuration: inout Configuration, _ change: @escaping @Sendable (inout Parameters) -> Void
        ) {
            let former = configuration.deviations.authorizationResponse
            configuration.deviations.authorizationResponse = { parameters in
                former?(&parameters)
                change(&parameters)
            }
        }
    }

    /// The troubles in effect; none at the start. Injected faults take precedence.
    public var troubles: Set<Trouble> {
        get { core.state.withLock { $0.troubles } }
        set { core.state.withLock { $0.troubles = newValue } }
    }
}

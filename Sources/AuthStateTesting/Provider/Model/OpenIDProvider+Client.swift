import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

extension OpenIDProvider {
    /// A client that is registered with the provider.
    public struct Client: Sendable, Hashable {
        /// Its identifier.
        public var id: String
        /// Its secret; nil for a public client, or one with keys.
        public var secret: String?
        /// Its public keys, for `private_key_jwt`.
        public var keys: [JSONWebKey]
        /// How it has to authenticate; nil accepts any method that its secret and keys allow, none for a public client.
        public var authenticationMethod: ClientAuthenticationMethod?
        /// Where answers may go: compared exactly, but for the port of a loopback URI (RFC 8252, section 7.3).
        public var redirectURIs: [String]
        /// Where browsers may go after a logout, compared likewise; nil means the redirect URIs.
        public var postLogoutRedirectURIs: [String]?
        /// The grants that it may use.
        public var grantTypes: Set<GrantType>
        /// How its ID tokens are signed (`id_token_signed_response_alg`); nil means the provider's algorithm.
        public var idTokenAlgorithm: SignatureAlgorithm?
        /// How its userinfo is signed (`userinfo_signed_response_alg`); nil means as the provider does for all clients.
        public var userInfoAlgorithm: SignatureAlgorithm?
        /// The back-channel logout URI; nil for none (OpenID Connect Back-Channel Logout 1.0).
        public var backChannelLogoutURI: String?
        /// The front-channel logout URI; nil for none (OpenID Connect Front-Channel Logout 1.0).
        public var frontChannelLogoutURI: String?

        /// Makes a client.
        public init(
            id: String, secret: String? = nil, keys: [JSONWebKey] = [],
            authenticationMethod: ClientAuthenticationMethod? = nil,
            redirectURIs: [String] = Client.usualRedirectURIs, postLogoutRedirectURIs: [String]? = nil,
            grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken, .deviceCode]
        ) {
            (self.id, self.secret, self.keys, self.authenticationMethod) = (id, secret, keys, authenticationMethod)
            (self.redirectURIs, self.postLogoutRedirectURIs) = (redirectURIs, postLogoutRedirectURIs)
            self.grantTypes = grantTypes
        }

        /// `/callback` on every loopback host, and a scheme of an app.
        public static let usualRedirectURIs = [
            "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback",
            "com.example.app:/callback",
        ]

        /// A public client, `app`.
        public static let app = Client(id: "app")
        /// A client with a secret (`service-secret`), `service`, which may also ask for tokens in its own name, and use
        /// backchannel authentication.
        public static let service = Client(
            id: "service", secret: "service-secret",
            grantTypes: [.authorizationCode, .refreshToken, .deviceCode, .clientCredentials, .ciba])

        /// Whether it has neither a secret nor keys to authenticate with.
        var isPublic: Bool { secret == nil && keys.isEmpty }

        func allows(_ method: ClientAuthenticationMethod) -> Bool {
            if let authenticationMethod { return method == authenticationMethod }
            switch method {
            case .none: return isPublic
            case .privateKeyJWT: return !keys.isEmpty
            default: return secret != nil
            }
        }

        func allowsRedirect(to uri: String) -> Bool { redirectURIs.contains { Self.isSame($0, uri) } }

        func allowsPostLogoutRedirect(to uri: String) -> Bool {
            (postLogoutRedirectURIs ?? redirectURIs).contains { Self.isSame($0, uri) }
        }

        private static func isSame(_ registered: String, _ given: String) -> Bool {
            if registered == given { return true }
            guard let registered = try? RedirectURI(registered), let given = try? RedirectURI(given),
                registered.isLoopback
            else { return false }
            return registered.withPort(0) == given.withPort(0)
        }
    }
}

extension OpenIDProvider.Client {
    /// Makes the client of a metadata document; nil for an unusable one.
    init?(document: JSONValue, at url: String) {
        guard let read = try? ClientMetadataDocument(parsing: Data(document.serialized()), at: url) else { return nil }
        let jwks = document["jwks"]?["keys"]?.arrayValue ?? []
        self.init(
            id: url, keys: jwks.compactMap { try? JSONWebKey(json: $0) },
            authenticationMethod: read.metadata.tokenEndpointAuthMethod ?? ClientAuthenticationMethod.none,
            redirectURIs: read.metadata.redirectURIs.map(\.rawValue),
            grantTypes: Set(read.metadata.grantTypes ?? [.authorizationCode]))
    }
}

extension OpenIDProvider.Client: Redacted {
    /// The identifier and the kind of client, never the secret.
    public var description: String { "\(isPublic ? "public" : "confidential") client \(id)" }
}

public import AuthStateOAuth

extension AuthState {
    /// The grant of a program without a user: its token is renewed by requesting it again.
    public enum MachineGrant: Sendable, Hashable {
        /// A request in the client's own name, with its credential (RFC 6749, section 4.4).
        case clientCredentials(ClientCredentialsGrant)
        /// A request with an assertion that is signed anew each time (RFC 7523, section 2.1).
        case jwtBearer(JWTBearerGrant)

        /// Returns the request for a token; the parameters of a renewal take precedence over the grant's own.
        func request(of client: Client, _ parameters: RenewalParameters = .none) -> TokenRequest {
            var request =
                switch self {
                case .clientCredentials(let grant):
                    TokenRequest(
                        client, .clientCredentials, scopes: grant.scopes, resources: grant.resources,
                        additionalParameters: grant.additionalParameters)
                case .jwtBearer(let grant): TokenRequest(client, .jwtBearer(grant))
                }
            if !parameters.scopes.isEmpty { request.scopes = parameters.scopes }
            if !parameters.resources.isEmpty { request.resources = parameters.resources }
            if !parameters.authorizationDetails.isEmpty {
                request.authorizationDetails = parameters.authorizationDetails
            }
            request.additionalParameters.merge(parameters.additionalParameters)
            return request
        }

        /// The scopes of the token.
        var scopes: [Scope] {
            switch self {
            case .clientCredentials(let grant): grant.scopes
            case .jwtBearer(let grant): grant.scopes
            }
        }
    }

    /// The parameters of a token that a client requests, and renews, in its own name.
    public struct ClientCredentialsGrant: Sendable, Hashable, Codable {
        /// The scopes.
        public var scopes: [Scope]
        /// The resources that the token is for, absolute URIs (RFC 8707, section 2.2).
        public var resources: [String] {
            get { ownResources ?? [] }
            set { ownResources = newValue.isEmpty ? nil : newValue }
        }
        /// Optional, so that archives from before there were resources can be read.
        private var ownResources: [String]?
        /// Other parameters.
        public var additionalParameters: Parameters

        /// Makes a grant.
        ///
        /// - Parameters:
        ///   - scopes: The scopes to ask for; empty leaves them to the provider.
        ///   - resources: The resources that the token is for, absolute URIs (RFC 8707, section 2.2).
        ///   - additionalParameters: Additional parameters that the provider understands.
        public init(scopes: [Scope] = [], resources: [String] = [], additionalParameters: Parameters = [:]) {
            self.scopes = scopes
            self.additionalParameters = additionalParameters
            self.resources = resources
        }
    }
}

extension AuthState.Record {
    /// The grant of a client in its own name; nil for every other state.
    public var clientCredentials: AuthState.ClientCredentialsGrant? {
        get { if case .clientCredentials(let grant)? = machineGrant { grant } else { nil } }
        set { machineGrant = newValue.map { .clientCredentials($0) } }
    }

    /// The grant whose assertion is signed anew for each request; nil for every other state.
    public var jwtBearer: JWTBearerGrant? {
        get { if case .jwtBearer(let grant)? = machineGrant { grant } else { nil } }
        set { machineGrant = newValue.map { .jwtBearer($0) } }
    }
}

public import AuthStateOAuth

extension AuthState {
    /// The grant of a program without a user: its token is renewed by requesting it again.
    public enum MachineGrant: Sendable, Hashable {
        /// A request in the client's own name, with its credential (RFC 6749, section 4.4).
        case clientCredentials(ClientCredentialsGrant)
        /// A request with an assertion that is signed anew each time (RFC 7523, section 2.1).
        case jwtBearer(JWTBearerGrant)
        /// A request with an assertion that another party signs and that is read anew each time (RFC 7523, section 2.1).
        case assertion(AssertionGrant)

        /// Returns the request for a token; the parameters of a renewal take precedence over the grant's own.
        func request(of client: Client, _ parameters: RenewalParameters = .none) -> TokenRequest {
            var request =
                switch self {
                case .clientCredentials(let grant):
                    TokenRequest(
                        client, .clientCredentials, scopes: grant.scopes, resources: grant.resources,
                        additionalParameters: grant.additionalParameters)
                case .jwtBearer(let grant): TokenRequest(client, .jwtBearer(grant))
                case .assertion(let grant): TokenRequest(client, .issuedAssertion(grant))
                }
            if !parameters.scopes.isEmpty { request.scopes = parameters.scopes }
            if !parameters.resources.isEmpty { request.resources = parameters.resources }
            if !parameters.authorizationDetails.isEmpty {
                request.authorizationDetails = parameters.authorizationDetails
            }
            request.additionalParameters.merge(parameters.additionalParameters)
            return request
        }

        package var scopes: [Scope] {
            switch self {
            case .clientCredentials(let grant): grant.scopes
            case .jwtBearer(let grant): grant.scopes
            case .assertion(let grant): grant.scopes
            }
        }

        /// The reference to the grant's own key or assertion; nil for a grant by the client's credential alone.
        var proof: ClientCredential? {
            get {
                switch self {
                case .clientCredentials: nil
                case .jwtBearer(let grant): grant.key
                case .assertion(let grant): grant.assertion
                }
            }
            set {
                guard let newValue else { return }
                switch self {
                case .clientCredentials: break
                case .jwtBearer(var grant):
                    grant.key = newValue
                    self = .jwtBearer(grant)
                case .assertion(var grant):
                    grant.assertion = newValue
                    self = .assertion(grant)
                }
            }
        }

        /// Whether both are grants of the same party, whatever they ask for.
        func isOfSameParty(as other: Self) -> Bool {
            switch (self, other) {
            case (.clientCredentials, .clientCredentials): true
            case (.jwtBearer(let ours), .jwtBearer(let theirs)):
                ours.issuer.isExactly(theirs.issuer) && ours.subject.isExactly(theirs.subject)
            case (.assertion(let ours), .assertion(let theirs)):
                ours.assertion.source == theirs.assertion.source
                    || ours.assertion.isInMemory && theirs.assertion.isInMemory
            default: false
            }
        }
    }

    /// The parameters of a token that a client requests, and renews, in its own name.
    public struct ClientCredentialsGrant: Sendable, Hashable, Codable {
        /// The scopes to ask for; empty leaves them to the provider.
        public var scopes: [Scope]
        /// The resources that the token is for, absolute URIs (RFC 8707, section 2.2).
        public var resources: [String] {
            get { ownResources ?? [] }
            set { ownResources = newValue.isEmpty ? nil : newValue }
        }
        /// Optional, so that archives from before there were resources can be read.
        private var ownResources: [String]?
        /// Other parameters that the provider understands.
        public var additionalParameters: Parameters

        /// Makes a grant.
        public init(scopes: [Scope] = [], resources: [String] = [], additionalParameters: Parameters = [:]) {
            self.scopes = scopes
            self.additionalParameters = additionalParameters
            self.resources = resources
        }
    }
}

extension ClientCredential {
    /// Whether it is, or was, only in the memory of a process.
    var isInMemory: Bool {
        switch source {
        case .value, .function: true
        case .none, .environment, .file, .issued: false
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

    /// The grant whose assertion another party signs; nil for every other state.
    public var assertionGrant: AssertionGrant? {
        get { if case .assertion(let grant)? = machineGrant { grant } else { nil } }
        set { machineGrant = newValue.map { .assertion($0) } }
    }
}

import AuthStateKit

/// The facts of a login that advice about a failure depends on.
public struct LoginFacts: Sendable, Equatable {
    /// A part that a login may lack: advice about it misleads then.
    enum Part: Sendable, CaseIterable {
        /// The identifier of a client, the URL of a client's document, or a registration in this command: as the user said.
        case identifier, document, registration
        /// What proves the client: a secret, or else a key, a certificate or an assertion.
        case secret, key
        /// A user who logs in, and a page whose answer comes to a redirect URI.
        case user, page
        /// A key that the tokens are bound to.
        case dpop
    }

    /// The API that the login is for, which a new login names; nil for a login at a provider.
    var resource: String?
    /// The provider of a stored login.
    var issuer: String?
    /// Whether the client registered itself before this command.
    var isRegistered = false
    /// The parts of the login; nil where they are not known.
    var parts: Set<Part>?
    /// Those that it may have.
    var open: Set<Part> = []

    /// No facts.
    public init() {}

    init(resource: String?, isRegistered: Bool = false, parts: Set<Part>? = nil) {
        (self.resource, self.isRegistered, self.parts) = (resource, isRegistered, parts)
    }

    /// The facts of a stored login.
    init(_ record: AuthState.Record) {
        self.init(resource: record.resource, isRegistered: record.lastRegistrationResponse != nil, parts: [])
        issuer = record.client.provider.issuer?.rawValue
        let document = Settings(annotations: record.annotations).link.documentURL
        if !isRegistered, !record.client.id.isEmpty {
            parts?.insert(document == record.client.id ? .document : .identifier)
        }
        if let part = record.client.credential.part ?? (record.machineGrant == nil ? nil : .key) { parts?.insert(part) }
        if record.machineGrant == nil { parts?.insert(.user) }
        let isForPage = record.lastRegistrationResponse?.metadata["redirect_uris"]?.arrayValue?.isEmpty == false
        // A server may want a redirect URI of a client without a page, too.
        if record.lastAuthorizationResponse != nil || isForPage && !record.isMadeOnDevice { parts?.insert(.page) }
        if record.dpopKey != nil { parts?.insert(.dpop) }
    }

    /// Whether the login is known to lack all of these.
    func lacks(_ parts: Set<Part>) -> Bool { self.parts?.union(open).isDisjoint(with: parts) ?? false }

    /// Whether the login is known to have one of these.
    func has(_ parts: Set<Part>) -> Bool { self.parts?.isDisjoint(with: parts) == false }
}

extension ClientCredential {
    /// What the client proves itself with; nil for a public client.
    fileprivate var part: LoginFacts.Part? {
        if self == .none { return nil }
        let keys: [ClientAuthenticationMethod?] = [.privateKeyJWT, .tlsClientAuth, .selfSignedTLSClientAuth]
        return isAssertion || keys.contains(method) ? .key : .secret
    }
}

extension Login {
    /// The facts of the options: the stored login is another one.
    var facts: LoginFacts {
        var facts = LoginFacts(resource: resource.url, parts: [])
        if client.clientID != nil { facts.parts?.insert(.identifier) }
        if resource.documentURL != nil { facts.parts?.insert(.document) }
        if client.register || resource.url != nil && client.clientID == nil { facts.parts?.insert(.registration) }
        let getsSecret = client.hasSecret || client.register && tokens.grant == .clientCredentials
        if let part = client.credential(of: nil)?.part ?? (getsSecret ? .secret : nil) { facts.parts?.insert(part) }
        if tokens.grant.isPersonal { facts.parts?.insert(.user) }
        if tokens.grant == .authorizationCode { facts.parts?.insert(.page) }
        if tokens.isBound { facts.parts?.insert(.dpop) }
        return facts
    }

    /// The facts of the login, which may use a client that was stored before: what that one is, is not known.
    var knownFacts: LoginFacts {
        var known = facts
        guard mayBeForgotten, resource.documentURL == nil else { return known }
        known.open = [.identifier, .document, .registration, .secret, .key]
        known.parts?.subtract(known.open)
        return known
    }

    func loginFacts(_ context: Context) async -> LoginFacts { knownFacts }
}

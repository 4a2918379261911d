import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
public import AuthStateOAuth
import AuthStateServer

/// A way in which a program is a client at the authorization server that a resource names.
///
/// Give several: a client that is known to the server comes first, then a metadata document where the server reads those,
/// then dynamic registration where it offers that.
public struct ResourceClient: Sendable, Hashable {
    enum Way: Sendable, Hashable {
        case known(id: String, ClientCredential, issuer: String?)
        case document(url: String, ClientCredential, issuer: String?)
        case registering(ClientMetadata, initialAccessToken: String?, issuer: String?, ClientCredential)
    }

    let way: Way

    /// A client that is registered by hand.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - credential: The reference to its secret or private key; `.none` for a public client.
    ///   - issuer: The authorization server that knows it, exactly as its metadata have it. Nil takes the first one that the
    ///     resource names, and stays with it: at another one the client is never used.
    public static func known(_ id: String, credential: ClientCredential = .none, issuer: String? = nil) -> Self {
        Self(way: .known(id: id, credential, issuer: issuer))
    }

    /// A client whose identifier is the URL of its metadata document, see `ClientMetadataDocument`.
    ///
    /// - Parameters:
    ///   - url: The URL of the document, which the program hosts.
    ///   - credential: Its private key, when the document says `private_key_jwt`, or an assertion that another party signs for one
    ///     server; `.none` for a public client.
    ///   - issuer: The one server to use it at; nil uses it at any that the resource names. An assertion needs it.
    public static func document(
        _ url: String, credential: ClientCredential = .none, issuer: String? = nil
    ) -> Self { Self(way: .document(url: url, credential, issuer: issuer)) }

    /// A client that registers itself (RFC 7591), once for each authorization server.
    ///
    /// The redirect URI is the user agent's; the authentication method is one that the server has. The scopes are best left
    /// out: some servers never give a client more than it registered for.
    ///
    /// - Parameters:
    ///   - metadata: What the client says about itself.
    ///   - initialAccessToken: The token that a server wants for registrations; nil for none. It is sent to `issuer` alone.
    ///   - issuer: The one server to register at; nil registers at any that the resource names.
    ///   - credential: The private key of a client that registers for `private_key_jwt`; a secret comes from the server.
    public static func registering(
        _ metadata: ClientMetadata, initialAccessToken: String? = nil, issuer: String? = nil,
        credential: ClientCredential = .none
    ) -> Self {
        Self(way: .registering(metadata, initialAccessToken: initialAccessToken, issuer: issuer, credential))
    }

    /// The client's identifier; nil for one that registers itself.
    var id: String? {
        switch way {
        case .known(let id, _, _), .document(let id, _, _): id
        case .registering: nil
        }
    }
}

extension [ResourceClient] {
    /// A decision for one of the ways.
    enum Choice: Equatable {
        case ready(id: String, ClientCredential)
        case registering(ClientMetadata, initialAccessToken: String?, ClientCredential)
    }

    /// The credential that the program has for a client at its server; nil where it has none.
    ///
    /// - Parameters:
    ///   - client: The client, with its server.
    ///   - isRegistered: Whether the client registered itself: then its identifier is one that its server chose.
    ///   - bound: Where known clients without an issuer were used first, by identifier.
    func credential(of client: Client, isRegistered: Bool, bound: [String: String]) -> ClientCredential? {
        lazy.compactMap { own -> ClientCredential? in
            switch own.way {
            case .known(client.id, let credential, let issuer)
            where !isRegistered && client.isAt(issuer ?? bound[client.id]): credential
            case .document(client.id, let credential, let issuer) where !isRegistered && client.isAt(issuer): credential
            case .registering(_, _, let issuer, let credential)
            where isRegistered && credential.isProof && client.isAt(issuer): credential
            default: nil
            }
        }.first
    }

    /// Chooses the way to be a client at a server.
    ///
    /// - Parameters:
    ///   - provider: The server.
    ///   - bound: Where known clients without an issuer were used first, by identifier: they stay there.
    ///   - login: How the login is made.
    /// - Throws: `AuthStateError` of stage registration with `.clientIssuerMismatch`, `.invalidArgument` for a token or an
    ///   assertion without an issuer, `.unsupported` for a client that may be taken for that of another server, or `.endpointMissing` when no way
    ///   is open.
    func choice(
        at provider: ProviderConfiguration, bound: [String: String], for login: ResourceLogin = .elsewhere
    ) throws -> Choice {
        let issuer = provider.issuer?.rawValue ?? ""
        func isHere(_ name: String) -> Bool { provider.issuer?.isServer(name) ?? name.isEmpty }
        var (foreign, confusable): ((id: String, issuer: String)?, String?)
        // A client that other servers know too, perhaps.
        func isOpen(_ id: String, _ credential: ClientCredential) -> Bool {
            let isSafe = provider.codesAreItsOwn(in: login) || credential.provesItsServer
            if TrustCheck.ownAnswers.holds(isSafe) { return true }
            confusable = confusable ?? id
            return false
        }
        for case .known(let id, let credential, let own) in map(\.way) {
            let home = own ?? bound[id] ?? issuer
            guard TrustCheck.resourceClient.holds(isHere(home)) else {
                foreign = foreign ?? (id, home)
                continue
            }
            if own != nil || isOpen(id, credential) { return .ready(id: id, credential) }
        }
        if provider.metadata?.clientIDMetadataDocumentSupported == true {
            for case .document(let url, let credential, let own) in map(\.way) {
                guard own != nil || !credential.isAssertion else { throw Self.unbound("assertion") }
                guard TrustCheck.resourceClient.holds(own.map(isHere) ?? true) else {
                    foreign = foreign ?? (url, own ?? "")
                    continue
                }
                if own != nil || isOpen(url, credential) { return .ready(id: url, credential) }
            }
        }
        if provider.registrationEndpoint != nil {
            for case .registering(let metadata, let token, let own, let credential) in map(\.way) {
                guard token == nil || own != nil else { throw Self.unbound("initial access token") }
                let isOwn = own.map(isHere) ?? true
                guard TrustCheck.registrationIssuer.holds(isOwn) else {
                    foreign = foreign ?? ("that registers", own ?? "")
                    continue
                }
                return .registering(metadata, initialAccessToken: token, credential)
            }
        }
        if let confusable { throw provider.confusing(confusable, in: login) }
        if let foreign {
            throw AuthStateError(
                .clientIssuerMismatch, stage: .registration,
                "The client \(foreign.id.printable()) belongs to another authorization server than the resource names.",
                expected: foreign.issuer, received: issuer,
                hint: "Register a client at \(issuer.printable()), and name it with its issuer.")
        }
        throw AuthStateError(
            .endpointMissing, stage: .registration, "There is no way to be a client of \(issuer.printable()).",
            expected: "a client registered by hand"
                + (provider.metadata?.clientIDMetadataDocumentSupported == true ? ", or a metadata document" : "")
                + (provider.registrationEndpoint != nil ? ", or permission to register" : ""),
            received: isEmpty ? "none" : "ways that this server does not have",
            hint: "Register a client there and give its identifier.")
    }

    /// The error of a proof that is between the program and one server, which is not named.
    private static func unbound(_ proof: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .registration, "An \(proof) needs the issuer that it is for.",
            expected: "the issuer beside the \(proof)", received: "none",
            hint: "Name the issuer: the resource may name any server.")
    }
}

extension ProviderConfiguration {
    /// Whether a code of a login comes from this server: it names itself in its answers, or its page is at its own
    /// origin. Any other page may be that of a server whose codes this one is not to get (RFC 9700, section 4.4). A device's
    /// code comes without a name.
    fileprivate func codesAreItsOwn(in login: ResourceLogin) -> Bool {
        let isNamed = login.hasPage && metadata?.authorizationResponseIssParameterSupported == true
        guard !isNamed, !tolerances.contains(.foreignAuthorizationEndpoint), let source = source(in: login), let issuer
        else { return true }
        return URIReference(source.absoluteString).origin == URIReference(issuer.rawValue).origin
    }

    /// The endpoint that the codes of a login come from; nil for a login without one.
    private func source(in login: ResourceLogin) -> URL? {
        login.hasPage ? authorizationEndpoint : login.isOnDevice ? deviceAuthorizationEndpoint : nil
    }

    /// The error of a client that cannot be used here, because the answer may be for the one with its name at another server.
    fileprivate func confusing(_ client: String, in login: ResourceLogin) -> AuthStateError {
        AuthStateError(
            .unsupported, stage: .registration,
            "The authorization server that the resource names leads to the page of another origin: it could get a code "
                + "that another server issues to the client \(client.printable()).",
            expected: (login.isOnDevice
                ? "a device_authorization_endpoint at "
                : "authorization_response_iss_parameter_supported, or an authorization_endpoint at ")
                + (issuer.map { URIReference($0.rawValue).origin } ?? "the issuer's origin").printable(),
            received: source(in: login).map { URIReference($0.absoluteString).redacted },
            hint: "Give a known client its issuer. Tolerate foreignAuthorizationEndpoint if you know that the page is "
                + "this server's.")
    }
}

extension ClientCredential {
    /// Whether the client proves itself by what no other server can use: then a code alone is worth nothing to it.
    fileprivate var provesItsServer: Bool {
        !isAssertion && method?.signsAssertions == true || method?.usesCertificate == true
    }
}

extension Client {
    /// Whether the client's server has this issuer; nil is any.
    fileprivate func isAt(_ issuer: String?) -> Bool {
        guard let issuer else { return true }
        return provider.issuer?.isServer(issuer) == true
    }
}

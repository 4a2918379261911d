import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import AuthStateSystem
import AuthStateUserAgent

extension ResourceAccess {
    /// Everything that is known before a login begins.
    struct Plan: Sendable {
        /// The grant that the login replaces; nil for none.
        var grantID: String?
        var provider: ProviderConfiguration
        /// The `resource` parameter; none where the server refuses it.
        var resources: [String]
        var scopes: [Scope]
        /// The scopes that a client registers for: the login's, and those that a later login may need.
        var registeredScopes: [Scope]
        var choice: [ResourceClient].Choice
        /// The client that registered there before.
        var registration: RegistrationResponse?
        var dpopKey: DPoPKey?
        /// The parameters of a challenge for a stronger or newer login (RFC 9470).
        var stronger: [String: String]?
    }

    /// Finds the way from the resource to a login, by what the resource and its server say now.
    ///
    /// - Parameter error: The error that led here, with its challenge; nil for a login that the program asked for.
    func plan(because error: AuthStateError?) async throws -> Plan {
        let before = state?.record
        if error?.code == .invalidClient, let client = before?.client, let issuer = client.provider.issuer {
            history.forget(client.id, at: issuer)
        }
        let challenge =
            if let challenge = error?.challenge {
                challenge
            } else if before?.isAuthorized != true || error?.httpStatus == 401
                || error?.isFailedRenewal(of: before) == true
            {
                try await probe()
            } else {
                AuthenticationChallenge?.none
            }
        // A login that the user asks for may be one that the resource has refused without a word. Its scopes are the program's.
        var place = challenge
        if error == nil, before?.isAuthorized == true {
            do { place = try await probe() } catch is AuthStateError {}
        }
        let description = try await service.describe(
            resource, challenge: place, tolerances: options.tolerances,
            signedMetadataKeys: options.signedMetadataKeys)
        let metadata = description.metadata
        let named = try server(among: metadata.authorizationServers, storedAt: before?.client.provider.issuer)
        let provider = try await service.discoverAuthorizationServer(
            named, of: resource, tolerances: options.tolerances.subtracting([.parentResource]),
            requiresPKCE: login.hasPage)
        if login.isOnDevice, provider.deviceAuthorizationEndpoint == nil {
            throw AuthStateError(
                .endpointMissing, stage: .authorization, "The authorization server has no login on another device.",
                expected: "device_authorization_endpoint", hint: "Show the user the server's page.")
        }
        let issuer = provider.issuer ?? named
        let home = before.flatMap { $0.client.provider.issuer == issuer ? $0 : nil }
        let choice: [ResourceClient].Choice =
            clients.isEmpty && login.assertionGrant() != nil
            ? .ready(id: "", .none) : try await clients.choice(at: provider, bound: bindings(), for: login)
        let registration = history.trusted(try await registration(at: issuer, home, isKnown: true), at: issuer)
        let scopes = try scopes(challenge, metadata, provider, error == nil ? nil : home, because: error)
        return Plan(
            grantID: before?.grantID, provider: provider,
            resources: options.tolerances.contains(.unnamedResource) ? [] : [description.identifier], scopes: scopes,
            registeredScopes: ScopeSelection.stepUp(from: scopes, nil, resource: metadata, server: provider.metadata),
            choice: choice,
            registration: registration,
            dpopKey: try dpopKey(challenge, metadata, provider, home),
            stronger: error?.lack == .insufficientUserAuthentication ? challenge?.parameters : nil)
    }

    /// Asks the resource without a token for its challenge; nil when it answers without one.
    ///
    /// A resource that does not take GET is asked as a client of the Model Context Protocol begins.
    private func probe() async throws -> AuthenticationChallenge? {
        let get = TransportRequest(url: resource.url, headers: ["Accept": "application/json"])
        var response = try await service.send(get, addresses: .any, stage: .resource)
        // A stream would not end: GET does not ask for one, and may not be acceptable without. Some servers know no such path for
        // GET, or miss the session that only POST begins.
        if [400, 404, 405, 406, 501].contains(response.status) {
            var post = TransportRequest(
                method: .post, url: resource.url, headers: ["Accept": "application/json, text/event-stream"])
            post.headers["Content-Type"] = "application/json"
            post.body = Data(Self.initialization.serialized())
            response = try await service.send(post, addresses: .any, stage: .resource)
        }
        guard response.status == 401 || response.status == 403 else { return nil }
        return AuthenticationChallenge.parse(response.headers[values: "WWW-Authenticate"])
            .flatMap(AuthenticationChallenge.answerable)
    }

    /// The first message of the protocol's life (MCP, Lifecycle), which changes nothing.
    private static let initialization: JSONValue = [
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": [
            "protocolVersion": "2025-06-18", "capabilities": [:],
            "clientInfo": ["name": "AuthStateKit", "version": "1"],
        ],
    ]

    /// Chooses the authorization server: that of the stored login while the resource names it, else the program's choice, else
    /// one that an assertion or a client is for, else the first.
    private func server(among servers: [Issuer], storedAt stored: Issuer?) throws -> Issuer {
        guard let first = servers.first else {
            throw AuthStateError(
                .invalidMetadata, stage: .resourceMetadata, "The resource names no authorization server.",
                expected: "authorization_servers in its metadata",
                hint: "Log in by the issuer of its authorization server.")
        }
        if let stored, let named = servers.first(where: { $0.isServer(stored.rawValue) }) { return named }
        if let chosen = options.chooseServer?(servers) {
            guard TrustCheck.chosenServer.holds(servers.contains(chosen)) else {
                throw AuthStateError(
                    .invalidArgument, stage: .resourceMetadata, "The chosen server is not one that the resource names.",
                    expected: servers.map(\.rawValue).joined(separator: ", "), received: chosen.rawValue)
            }
            return chosen
        }
        let known =
            [login.issuer].compactMap(\.self)
            + clients.compactMap { client -> String? in
                if case .known(_, _, let issuer) = client.way { issuer } else { nil }
            }
        return servers.first { server in known.contains(where: server.isServer) } ?? first
    }

    /// Returns the scopes: the program's, else by the rules. A login that an error leads to keeps what was asked for before, without
    /// what a server may have retired.
    ///
    /// - Throws: `AuthStateError` with `.invalidMetadata` where they would make an address that no server takes.
    private func scopes(
        _ challenge: AuthenticationChallenge?, _ metadata: ProtectedResourceMetadata, _ provider: ProviderConfiguration,
        _ home: AuthState.Record?, because error: AuthStateError?
    ) throws -> [Scope] {
        let (own, challenged) = (options.scopes ?? [], challenge?.scopes ?? [])
        let former = (home?.requestedScopes ?? []).filter { $0 != .offlineAccess && !history.retired.contains($0) }
        history.unlisted = Set(former).subtracting((metadata.scopesSupported ?? []) + own + challenged)
        let requested = former + own
        let scopes =
            requested.isEmpty
            ? ScopeSelection.first(challenge, resource: metadata, server: provider.metadata)
            : ScopeSelection.stepUp(
                from: requested, challenge, resource: error?.lack == .insufficientScope ? metadata : nil,
                server: provider.metadata)
        let length = scopes.reduce(0) { $0 + $1.rawValue.utf8.count + 1 }
        guard length <= Self.maximumScopeLength else {
            throw AuthStateError(
                .invalidMetadata, stage: .resourceMetadata, "A login cannot ask for so many scopes.",
                expected: "\(Self.maximumScopeLength) characters at most",
                received: "\(scopes.count) scopes, \(length) characters",
                hint: "Name the scopes that the program needs; without a choice these are all that the resource lists.")
        }
        return scopes
    }

    /// Servers and browsers take addresses of about this length.
    private static let maximumScopeLength = 8192

    /// Returns the key of the login before, or a new one where the resource demands it or the program wants it.
    private func dpopKey(
        _ challenge: AuthenticationChallenge?, _ metadata: ProtectedResourceMetadata, _ provider: ProviderConfiguration,
        _ home: AuthState.Record?
    ) throws -> DPoPKey? {
        let isDemanded = metadata.dpopBoundAccessTokensRequired || challenge?.hasScheme("DPoP") == true
        guard isDemanded || options.usesDPoP || home?.dpopKey != nil else { return nil }
        let challenged = challenge?.parameters["algs"]?.split(separator: " ").map(String.init)
        let lists = [
            challenged, metadata.dpopSigningAlgValuesSupported, provider.metadata?.dpopSigningAlgValuesSupported,
        ].compactMap(\.self)
        func isAccepted(_ algorithm: SignatureAlgorithm) -> Bool {
            lists.allSatisfy { $0.contains(algorithm.rawValue) }
        }
        if let key = home?.dpopKey, isAccepted(key.algorithm) { return key }
        return try .generate(DPoPKey.usualAlgorithms.first(where: isAccepted), for: provider)
    }
}

extension AuthStateError {
    /// The code; of an error that asks for a login elsewhere, what the challenge of the call says.
    var lack: Code {
        switch challenge?.error {
        case "insufficient_scope"? where code == .notLoggedIn: .insufficientScope
        case "insufficient_user_authentication"? where code == .notLoggedIn: .insufficientUserAuthentication
        default: code
        }
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
public import AuthStateOAuth
import AuthStateServer
public import AuthStateStorage
import AuthStateSystem
import AuthStateUserAgent

extension ResourceAccess {
    /// Returns the client of a plan, and its registration; one that has to register does so now.
    ///
    /// The stored login, perhaps at another server, stands until the next one is made.
    func client(by plan: Plan, redirectURI: RedirectURI?) async throws -> (Client, RegistrationResponse?) {
        switch plan.choice {
        case .ready(let id, let credential): return (Client(plan.provider, id: id, credential: credential), nil)
        case .registering(let metadata, let token, let credential):
            let registration: RegistrationResponse
            if let known = plan.registration, known.serves(redirectURI, in: login) {
                registration = known
            } else {
                var request = RegistrationRequest(plan.provider, metadata)
                request.initialAccessToken = token
                let isOpen = request.metadata.scopes.isEmpty
                if isOpen { request.metadata.scopes = plan.registeredScopes }
                try request.complete(for: redirectURI, in: login)
                do { registration = try await register(request, by: plan) } catch let error as AuthStateError
                    where isOpen && [.invalidClientMetadata, .invalidScope].contains(error.code)
                {
                    // A server may let no client choose its scopes.
                    request.metadata.scopes = []
                    registration = try await register(request, by: plan)
                }
            }
            return (plan.record(of: registration, credential).client, registration)
        }
    }

    /// Keeps a registered client where the access's state will be, while nothing is stored there: a store for one key has room
    /// nowhere else.
    private func keepFirst(_ plan: Plan, _ registration: RegistrationResponse) async {
        var record = plan.record(of: registration)
        record.annotations = annotations
        let archive = try? AuthStateArchive(record).data()
        guard let archive else { return }
        try? await place.store.withLease(place.key, deadline: place.options.leaseDeadline) { lease in
            guard try await lease.load() == nil else { return }
            _ = try await lease.save(archive, expecting: nil)
        }
        if let found = try? await restored(), state == nil { state = found }
    }

    /// Registers, and keeps the registration under a key of its own: for the time when the resource names its server again, and
    /// for the other users of the program. The lease covers the request, so that they register once.
    private func register(_ request: RegistrationRequest, by plan: Plan) async throws -> RegistrationResponse {
        guard let issuer = plan.provider.issuer else { return try await registerAnew(request) }
        let place = place(of: issuer)
        do {
            return try await place.store.withLease(place.key, deadline: place.options.leaseDeadline) { lease in
                let stored = try await lease.load()
                let former = stored.flatMap { try? place.record(of: $0) }?.lastRegistrationResponse
                if let former, isUsable(former), !history.isForgotten(former.clientID, at: issuer),
                    former.serves(request.redirectURIs.first, in: login),
                    former.clientID != plan.registration?.clientID
                {
                    return former
                }
                try await lease.reserve()
                let response = try await registerAnew(request)
                // What is registered serves this login, also when it cannot be kept.
                if let archive = try? AuthStateArchive(plan.record(of: response)).data() {
                    _ = try? await lease.save(archive, expecting: stored?.version)
                }
                return response
            }
        } catch let error as AuthStateError where error.isLackOfRoom {
            let response = try await registerAnew(request)
            if state == nil { await keepFirst(plan, response) }
            return response
        }
    }

    /// Registers; a server may give a client that it had forgotten the same identifier again, but no client that the program
    /// has elsewhere, whose secret it would be sent.
    private func registerAnew(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let response = try await service.register(request)
        guard TrustCheck.registeredIdentifier.holds(!clients.contains { $0.id == response.clientID }) else {
            throw AuthStateError(
                .malformedResponse, stage: .registration,
                "The server registered the client under an identifier that the program has at another server.",
                expected: "an identifier of its own", received: response.clientID.printable(),
                hint: "Do not trust this server.")
        }
        if let issuer = request.provider.issuer { history.registered(response.clientID, at: issuer) }
        return response
    }

    /// Returns the registration at a server that was kept before, unless its secret has expired.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - home: The state of the access, regardless of its server.
    ///   - isKnown: Whether a client that the server has refused to know counts as none.
    func registration(
        at issuer: Issuer, _ home: AuthState.Record?, isKnown: Bool
    ) async throws -> RegistrationResponse? {
        func found(in record: AuthState.Record?) -> RegistrationResponse? {
            guard let record, record.client.provider.issuer == issuer, let own = record.lastRegistrationResponse,
                isUsable(own), !isKnown || !history.isForgotten(own.clientID, at: issuer)
            else { return nil }
            return own
        }
        if let own = found(in: home) { return own }
        // A store for one key may hold the login for another resource of the same server.
        if let own = found(in: try? await stored(at: place)) { return own }
        return found(in: try? await stored(at: place(of: issuer)))
    }

    private func isUsable(_ registration: RegistrationResponse) -> Bool {
        registration.clientSecretExpiresAt.map { $0 > service.configuration.clock.now } ?? true
    }

    /// The issuers at which known clients without one of their own were used first, by identifier.
    ///
    /// - Throws: As `binding(of:_:)`.
    func bindings() async throws -> [String: String] {
        var bound: [String: String] = [:]
        for case .known(let id, let credential, nil) in clients.map(\.way) {
            bound[id] = try await binding(of: id, credential)
        }
        return bound
    }

    /// The credential that the program has for a client at its server; nil where it has none.
    func credential(of client: Client, isRegistered: Bool) async throws -> ClientCredential? {
        try await clients.credential(of: client, isRegistered: isRegistered, bound: bindings())
    }

    /// The issuer that a known client without one of its own was used at first; nil when it was not used yet.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when that cannot be read; `.invalidArgument` for a client with a secret in
    ///   a store for one key that has another client's login now: there it would be forgotten.
    private func binding(of id: String, _ credential: ClientCredential) async throws -> String? {
        var hasRoom = true
        do {
            if let kept = try await stored(at: place(of: id)) { return kept.client.provider.issuer?.rawValue }
        } catch let error as AuthStateError where error.isLackOfRoom { hasRoom = false }
        // In a store for one key the login itself remembers the server, also when it has ended.
        let own = if let state { state.record } else { try await stored(at: place) }
        // A server may give the client that registers there any identifier.
        let isReplaced = own?.lastRegistrationResponse != nil || clients.count > 1 && own?.client.id != id
        if own != nil, isReplaced, !hasRoom, credential.isProof {
            throw AuthStateError(
                .invalidArgument, stage: .registration,
                "The client \(id.printable()) has a secret, and the store has another client's login and no room to remember "
                    + "for which server the secret is.",
                expected: "the client's issuer beside it, or a store for several keys",
                hint: "Name the issuer: the resource may name any server.")
        }
        guard own?.client.id == id, own?.lastRegistrationResponse == nil else { return nil }
        return own?.client.provider.issuer?.rawValue
    }

    /// Remembers where a known client without an issuer of its own was used first, beyond the end of its login.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the client has a secret, and where it belongs cannot be kept.
    func bind(_ client: Client) async throws {
        let isUnbound = clients.contains { if case .known(client.id, _, nil) = $0.way { true } else { false } }
        guard isUnbound else { return }
        let place = place(of: client.id)
        do {
            try await place.store.withLease(place.key, deadline: place.options.leaseDeadline) { lease in
                guard try await lease.load() == nil else { return }
                let record = AuthState.Record(Client(client.provider, id: client.id))
                _ = try await lease.save(AuthStateArchive(record).data(), expecting: nil)
            }
        } catch let error as AuthStateError where error.isLackOfRoom || !client.credential.isProof {
            // Nothing secret could go elsewhere; the login itself remembers the server.
        }
    }

    /// Returns what is stored, as it is; nil when nothing is.
    func stored(at place: AuthState.Place) async throws -> AuthState.Record? {
        try await place.store.load(place.key).map { try place.record(of: $0) }
    }

    /// Returns the key under which an access keeps its registration at a server, for programs that forget a client.
    ///
    /// - Parameters:
    ///   - key: The key of the access.
    ///   - issuer: The server.
    public static func registrationKey(_ key: AuthStateKey, at issuer: Issuer) -> AuthStateKey {
        AuthStateKey("\(key) at \(issuer)")
    }

    /// Where the registration at a server is kept.
    private func place(of issuer: Issuer) -> AuthState.Place {
        place.at(Self.registrationKey(registrationKey, at: issuer))
    }

    /// Where it is kept at which server a known client is used.
    private func place(of client: String) -> AuthState.Place {
        place.at(AuthStateKey("\(registrationKey) by \(client)"))
    }
}

extension ResourceAccess.Plan {
    /// The record of a client that has registered, without a login.
    fileprivate func record(
        of registration: RegistrationResponse, _ credential: ClientCredential = .none
    ) -> AuthState.Record {
        let client = Client(provider, id: registration.clientID, credential: credential)
        return AuthState.Record(client).applying(.registered(registration))
    }

    /// Listens for the answer of a client that registers itself, before it registers: at the registered redirect URI, or at
    /// any; nil for another client, whose redirect URI the user agent prepares.
    func listener(_ userAgent: any ExternalUserAgent, _ redirectURI: RedirectURI?) async throws -> PreparedUserAgent? {
        guard case .registering(let metadata, _, _) = choice else { return nil }
        if let own = registration?.loopbackRedirectURI, redirectURI.map({ $0.withPort(0) == own.withPort(0) }) ?? true,
            [nil, 0, own.port].contains(redirectURI?.port)
        {
            do { return try await PreparedUserAgent(userAgent, at: own) } catch AuthStateError.Code.portInUse {}
        }
        return try await PreparedUserAgent(userAgent, at: redirectURI ?? metadata.redirectURIs.first)
    }
}

extension RegistrationResponse {
    private var redirectURIs: [RedirectURI] {
        (metadata["redirect_uris"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { try? RedirectURI($0) } }
    }

    /// The registered redirect URI on this machine; nil when there is none.
    fileprivate var loopbackRedirectURI: RedirectURI? { redirectURIs.first { $0.isLoopback && $0.port ?? 0 != 0 } }

    /// Whether the client may be answered at a redirect URI, or has the grant of a login on another device.
    fileprivate func serves(_ redirectURI: RedirectURI?, in login: ResourceLogin) -> Bool {
        let device = JSONValue.string(GrantType.deviceCode.rawValue)
        if login.isOnDevice { return metadata["grant_types"]?.arrayValue?.contains(device) ?? redirectURIs.isEmpty }
        return redirectURI == nil || redirectURIs.contains { $0 == redirectURI }
    }
}

extension RegistrationRequest {
    /// Sets the redirect URI and the type of the application that goes with it, and adds the grants and an authentication
    /// where the program has not said them.
    ///
    /// - Throws: `AuthStateError` with `.invalidRedirectURI` without one, `.unsupported` when the server has not the
    ///   authentication.
    fileprivate mutating func complete(for redirectURI: RedirectURI?, in login: ResourceLogin) throws {
        if login.isOnDevice {
            metadata.redirectURIs = []
            metadata.grantTypes = metadata.grantTypes ?? [.deviceCode, .refreshToken]
            metadata.responseTypes = []
            metadata.applicationType = "native"
            return try completeAuthentication()
        }
        guard let redirectURI else {
            throw AuthStateError(
                .invalidRedirectURI, stage: .registration, "A client cannot register without a redirect URI.",
                expected: "the redirect URI of a user agent, or one in the options")
        }
        metadata.redirectURIs = [redirectURI]
        metadata.grantTypes = metadata.grantTypes ?? [.authorizationCode, .refreshToken]
        metadata.responseTypes = metadata.responseTypes ?? [.code]
        let isNative = redirectURI.isLoopback || !redirectURI.parts.hasScheme("https")
        metadata.applicationType = isNative ? "native" : "web"
        try completeAuthentication()
    }

    /// Adds an authentication that the server has.
    private mutating func completeAuthentication() throws {
        // Without a list a server has HTTP Basic (RFC 8414, section 2). Many want client_id in the form beside that.
        let offered = provider.metadata?.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
        let usable = metadata.tokenEndpointAuthMethod.map { [$0] } ?? [.none, .clientSecretPost, .clientSecretBasic]
        metadata.tokenEndpointAuthMethod = usable.first { offered.contains($0.rawValue) }
        guard metadata.tokenEndpointAuthMethod == nil else { return }
        throw AuthStateError(
            .unsupported, stage: .registration, "The server has no authentication for a client that registers itself.",
            expected: usable.map(\.rawValue).joined(separator: ", "), received: offered.joined(separator: ", "),
            hint: "Give the metadata a tokenEndpointAuthMethod, and keys for private_key_jwt; or register by hand.")
    }
}

extension AuthStateError {
    /// Whether a store for one key has no room for another one.
    var isLackOfRoom: Bool { code == .invalidArgument && stage == .store }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import AuthStateStorage
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
                let openScopes = request.metadata.scopes.isEmpty ? plan.registeredScopes : []
                request.metadata.scopes += openScopes
                try request.complete(for: redirectURI, in: login)
                registration = try await register(request, openScopes, by: plan)
            }
            return (plan.record(of: registration, credential).client, registration)
        }
    }

    /// Registers, with up to two changes of what the server refuses.
    ///
    /// - Parameter openScopes: The scopes that the program has not chosen.
    /// - Throws: The first refusal where the last attempt is refused too, any other error as it is.
    private func register(
        _ request: RegistrationRequest, _ openScopes: [Scope], by plan: Plan
    ) async throws -> RegistrationResponse {
        var (request, first, attempts) = (request, AuthStateError?.none, 1)
        while true {
            do { return try await register(request, by: plan) } catch let refusal as AuthStateError {
                guard attempts < 3, request.change(after: refusal, openScopes, in: login) else {
                    let refusals: [AuthStateError.Code] = [
                        .invalidClientMetadata, .invalidScope, .registrationRedirectURIRefused,
                    ]
                    throw refusals.contains(refusal.code) ? first ?? refusal : refusal
                }
                (first, attempts) = (first ?? refusal, attempts + 1)
            }
        }
    }

    /// Keeps a registered client where the access's state will be, while nothing is stored there: a store for one key has room
    /// nowhere else.
    private func keepFirst(_ plan: Plan, _ registration: RegistrationResponse) async {
        var record = plan.record(of: registration)
        record.annotations = annotations
        try? await place.saveFirst(record)
        if let found = try? await restored(), state == nil { state = found }
    }

    /// Registers, and keeps the registration under a key of its own: for the time when the resource names its server again, and
    /// for the other users of the program. The lease covers the request, so that they register once.
    private func register(_ request: RegistrationRequest, by plan: Plan) async throws -> RegistrationResponse {
        guard let issuer = plan.provider.issuer else { return try await registerAnew(request) }
        let place = place(of: issuer)
        do {
            return try await place.withLease { lease in
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
        registration.clientSecret == nil
            || registration.clientSecretExpiresAt.map { $0 > service.configuration.clock.now } ?? true
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
        let grants = metadata["grant_types"]?.arrayValue?.compactMap(\.stringValue)
        if login.isOnDevice { return grants?.contains(GrantType.deviceCode.rawValue) ?? redirectURIs.isEmpty }
        guard let redirectURI else { return true }
        // Without a list this is the only grant (RFC 7591, section 2).
        return grants?.contains(GrantType.authorizationCode.rawValue) ?? true && redirectURIs.contains(redirectURI)
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
        } else if let redirectURI {
            metadata.redirectURIs = [redirectURI]
            metadata.grantTypes = metadata.grantTypes ?? [.authorizationCode, .refreshToken]
            metadata.responseTypes = metadata.responseTypes ?? [.code]
            let isNative = redirectURI.isLoopback || !redirectURI.parts.hasScheme("https")
            metadata.applicationType = isNative ? "native" : "web"
        } else {
            throw AuthStateError(
                .invalidRedirectURI, stage: .registration, "A client cannot register without a redirect URI.",
                expected: "the redirect URI of a user agent, or one in the options")
        }
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

    /// Changes what a server may want of every client, for one more attempt: one thing, by the server's words.
    ///
    /// - Parameters:
    ///   - refusal: The server's refusal of the request.
    ///   - openScopes: The scopes that the program has not chosen.
    /// - Returns: Whether there is anything to change.
    fileprivate mutating func change(
        after refusal: AuthStateError, _ openScopes: [Scope], in login: ResourceLogin
    ) -> Bool {
        // In any spelling: redirect_uris, redirectUris, Redirect URIs.
        let words = [refusal.response?.errorDescription, refusal.response?.errorURI].compactMap(\.self).joined()
            .lowercased().filter(\.isLetter)
        let isOfPages =
            refusal.code == .registrationRedirectURIRefused
            || ["redirecturi", "granttype", "responsetype", "authorizationcode"].contains(where: words.contains)
        let wantsGrant =
            words.contains("authorizationcode") && metadata.grantTypes?.contains(.authorizationCode) != true
        let takesPage =
            login.isOnDevice && refusal.httpStatus == 400 && (metadata.redirectURIs.isEmpty || wantsGrant)
        let hasOpenScopes = !openScopes.isEmpty && !metadata.scopes.isEmpty
        switch refusal.code {
        // A server may want a redirect URI of every client, also of one without a page, or the grant of a page.
        case .registrationRedirectURIRefused where takesPage, .invalidClientMetadata where takesPage && isOfPages:
            return addPage(grant: wantsGrant)
        // Another one lets no client choose its scopes.
        case .invalidClientMetadata where hasOpenScopes, .invalidScope where hasOpenScopes:
            metadata.scopes = []
            return true
        // It was not for the scopes, or not for them alone.
        case .invalidClientMetadata where takesPage: return addPage(grant: false)
        default: return false
        }
    }

    /// Adds what a client of pages has; returns whether it could.
    private mutating func addPage(grant: Bool) -> Bool {
        guard let uri = try? RedirectURI("http://127.0.0.1/callback") else { return false }
        metadata.redirectURIs = [uri]
        if grant { metadata.grantTypes = [.authorizationCode] + (metadata.grantTypes ?? []) }
        if grant { metadata.responseTypes = [.code] }
        return true
    }
}

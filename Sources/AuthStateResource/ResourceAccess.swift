import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateServer
public import AuthStateStorage
import AuthStateSystem

/// Access to one protected resource of which the program knows the URL: logs in when it must, renews, and gets more rights
/// when the resource asks for them (RFC 9728; Model Context Protocol, Authorization).
///
/// ```swift
/// let access = try ResourceAccess(
///     "https://mcp.example/mcp", clients: [.document(url), .registering(metadata)],
///     login: .presenting(LoopbackUserAgent()), store: FileAuthStateStore(folder: folder))
/// let answer = try await access.performAction(TransportRequest(url: URL(string: "https://mcp.example/mcp")!))
/// ```
///
/// The first request goes out without a token. A 401 leads to the resource's metadata, to the authorization server, to a
/// client there, and to a login, whose grant is kept as an `AuthState`. Any number of requests at the same time share one
/// login. Tokens go to the origin of the resource only, and nothing of one authorization server reaches another.
public actor ResourceAccess {
    /// The resource.
    public nonisolated let resource: ResourceIdentifier
    /// The options of this access.
    public nonisolated let options: Options
    nonisolated let clients: [ResourceClient]
    nonisolated let login: ResourceLogin
    nonisolated let place: AuthState.Place
    /// The beginning of the keys of registrations.
    nonisolated let registrationKey: AuthStateKey

    /// The state of the login; nil until it was looked for, or where there is none.
    var state: AuthState? { didSet { shown.withLock { $0 = state } } }
    /// The same, for readers outside the actor.
    private nonisolated let shown = Lock<AuthState?>(nil)
    /// The login in progress, or the last one.
    var running: SharedLogin<Bool>?
    /// The outcomes of the logins.
    var history: History

    /// The annotation of a state that names its resource, see `AuthState.Record.annotations`.
    public static let annotation = "resource"
    /// The annotation with the scopes that the login asked for and was not granted.
    static let notGranted = "scopes not granted"

    /// Makes an access; nothing is read or sent until the first call.
    ///
    /// - Parameters:
    ///   - resource: The URL of the resource.
    ///   - clients: The ways in which the program is a client at the resource's authorization server.
    ///   - login: How a login is made.
    ///   - store: Where the state is kept.
    ///   - key: The key of the state; nil makes one from the resource.
    ///   - service: The service that talks to the resource's servers; its transport sends the requests too.
    ///   - stateOptions: The options of the state. `allowedOrigins` is the resource's origin, regardless of their own.
    ///   - options: The options of this access.
    /// - Throws: `AuthStateError` with `.invalidArgument` for a URL that names no resource, `.insecureURL` for http elsewhere
    ///   than on this machine.
    public init(
        _ resource: String, clients: [ResourceClient], login: ResourceLogin = .elsewhere,
        store: any AuthStateStore, key: AuthStateKey? = nil,
        service: AuthorizationService = AuthorizationService(), stateOptions: AuthState.Options = AuthState.Options(),
        options: Options = Options()
    ) throws {
        let resource = try ResourceIdentifier(resource)
        let isPlain = resource.parts.hasScheme("http") && !resource.parts.isLoopback
        guard TrustCheck.endpointTLS.holds(!isPlain || service.configuration.allowsInsecureHTTP) else {
            throw AuthStateError(
                .insecureURL, stage: .resource, "The resource is not protected by TLS.", expected: "https",
                received: resource.rawValue, hint: "Use https; http is for resources on this machine.")
        }
        let key = key ?? AuthStateKey("resource \(resource)")
        self.init(
            resource, clients: clients, login: login,
            place: AuthState.Place(store, key: key, service: service, options: stateOptions), registrationKey: key,
            options: options)
    }

    /// - Parameters:
    ///   - place: Where the state is kept; its `allowedOrigins` do not count.
    ///   - registrationKey: The beginning of the keys of registrations, which several accesses may share.
    init(
        _ resource: ResourceIdentifier, clients: [ResourceClient], login: ResourceLogin, place: AuthState.Place,
        registrationKey: AuthStateKey, options: Options
    ) {
        var stateOptions = place.options
        stateOptions.allowedOrigins = [resource.origin]
        stateOptions.allowsLoopbackHTTP = resource.parts.isLoopback
        self.resource = resource
        self.clients = clients
        self.login = login
        self.options = options
        self.place = AuthState.Place(place.store, key: place.key, service: place.service, options: stateOptions)
        self.registrationKey = registrationKey
        history = History(distrustsRegistration: options.registersAnew)
    }

    /// The service that talks to the resource's servers.
    public nonisolated var service: AuthorizationService { place.service }

    /// Returns the state of the login, read from the store when need be; nil when there is none.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when what is stored cannot be read.
    public func authState() async throws -> AuthState? {
        if let state, isOurs(state) { return state }
        let found = try await restored()
        // Another call may have logged in meanwhile.
        if let state, isOurs(state) { return state }
        state = found
        return found
    }

    /// Whether a state is one of this resource; another access under the same key may have replaced it.
    nonisolated func isOurs(_ state: AuthState) -> Bool {
        TrustCheck.resourceKey.holds(state.record.annotations[Self.annotation] == resource.rawValue)
    }

    /// Reads the stored state, if it is one of this resource, and gives it the program's credential.
    func restored() async throws -> AuthState? {
        do {
            let bound = try await bindings()
            let signed = try await signedGrant()
            let grant = login.assertionGrant().map { AuthState.MachineGrant.assertion($0) } ?? signed
            let found = try await place.restored(grant: grant) { [clients, login] record in
                // The key signs the grant, and no proof beside it.
                if case .signedAssertion = login.way { return nil }
                let isRegistered = record.lastRegistrationResponse != nil
                let credential = clients.credential(of: record.client, isRegistered: isRegistered, bound: bound)
                return credential.flatMap { $0.isProof ? $0 : nil }
            }
            return isOurs(found) ? found : nil
        } catch AuthStateError.Code.notLoggedIn { return nil }
    }

    /// The stored grant with the key of the program's client that made it; nil for every other login.
    private func signedGrant() async throws -> AuthState.MachineGrant? {
        guard case .signedAssertion = login.way, let kept = try await stored(at: place),
            case .jwtBearer(var grant) = kept.machineGrant
        else { return nil }
        for client in clients {
            let (id, key) =
                switch client.way {
                case .known(let id, let key, _), .document(let id, let key, _): (id, key)
                case .registering: ("", ClientCredential.none)
                }
            guard id == grant.issuer else { continue }
            grant.key = key
            return .jwtBearer(grant)
        }
        return nil
    }
}

extension ResourceAccess: PoolMember {
    nonisolated var key: AuthStateKey { place.key }

    /// Whether the object can be freed without a loss.
    nonisolated var isEvictable: Bool { shown.withLock { $0 }?.isEvictable ?? true }
}

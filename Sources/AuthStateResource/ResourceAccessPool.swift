public import AuthStateKit
import AuthStateOAuth
import AuthStateServer
public import AuthStateStorage

/// The accesses of many users to one resource, for a server: each has its own state under the user's key, calls for the same
/// user share one access, and all share the registration of the program.
public actor ResourceAccessPool {
    private let make: @Sendable (AuthStateKey) -> ResourceAccess
    private let limit: Int
    private let resource: ResourceIdentifier
    private var table = PoolTable<ResourceAccess>()

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - resource: The URL of the resource.
    ///   - clients: The ways in which the server is a client at the resource's authorization server.
    ///   - store: Where the states are kept.
    ///   - service: The service that talks to the resource's servers.
    ///   - stateOptions: The options of the states.
    ///   - options: The options of the accesses.
    ///   - limit: The number of accesses in memory; one that was not used lately goes first, and is read from the store again
    ///     at its next use. One in use, and one whose state could not be saved, stay beyond the limit.
    /// - Throws: `AuthStateError` with `.invalidArgument` for a URL that names no resource.
    public init(
        _ resource: String, clients: [ResourceClient], store: any AuthStateStore,
        service: AuthorizationService = AuthorizationService(), stateOptions: AuthState.Options = AuthState.Options(),
        options: ResourceAccess.Options = ResourceAccess.Options(), limit: Int = 10_000
    ) throws {
        let identifier = try ResourceAccess(resource, clients: clients, store: store, service: service).resource
        self.limit = max(1, limit)
        self.resource = identifier
        make = { key in
            ResourceAccess(
                identifier, clients: clients, login: .elsewhere,
                place: AuthState.Place(store, key: key, service: service, options: stateOptions),
                registrationKey: AuthStateKey("resource \(identifier)"), options: options)
        }
    }

    /// Returns the access of a user, who is known by a key of their own, for example that of their session.
    public func access(for user: AuthStateKey) -> ResourceAccess {
        let key = key(of: user)
        if let found = table.use(key, PoolTable<ResourceAccess>.fingerprint(key), reading: { $0 }) { return found }
        let access = make(key)
        table.insert(access, jitter: 0)
        _ = table.makeRoom(limit) { $0.isEvictable }
        return access
    }

    private func key(of user: AuthStateKey) -> AuthStateKey { AuthStateKey("resource \(resource) of \(user)") }

    /// Ends a user's login, as `AuthState.logOut(_:)` does; without a login nothing happens.
    ///
    /// - Returns: What became of each part. Where `removal` failed the store still has the login: it is read again at the next
    ///   access.
    /// - Throws: `AuthStateError` of kind `.store` when the stored login cannot be read.
    public func logOut(_ user: AuthStateKey, _ logout: AuthState.Logout = .revoking) async throws -> LogoutOutcome {
        let access = access(for: user)
        table.remove(access.key)
        return try await access.authState()?.logOut(logout) ?? .nothing
    }
}

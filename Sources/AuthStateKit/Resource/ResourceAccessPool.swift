import AuthStateOAuth
public import AuthStateStorage

/// The accesses of many users to one resource, for a server: each has its own state under the user's key, calls for the same
/// user share one access, and all share the registration of the program.
public actor ResourceAccessPool {
    private let make: @Sendable (AuthStateKey) -> ResourceAccess
    private let limit: Int
    private var accesses: [AuthStateKey: ResourceAccess] = [:]
    /// The keys in the order of their last use, the newest last.
    private var order: [AuthStateKey] = []

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - resource: The URL of the resource.
    ///   - clients: The ways in which the server is a client at the resource's authorization server.
    ///   - store: Where the states are kept.
    ///   - service: The service that talks to the resource's servers.
    ///   - stateOptions: The options of the states.
    ///   - options: The options of the accesses.
    ///   - limit: The number of accesses in memory; the one that was not used for the longest time goes first, and is read
    ///     from the store again at its next use.
    /// - Throws: `AuthStateError` with `.invalidArgument` for a URL that names no resource.
    public init(
        _ resource: String, clients: [ResourceClient], store: any AuthStateStore,
        service: AuthorizationService = AuthorizationService(), stateOptions: AuthState.Options = AuthState.Options(),
        options: ResourceAccess.Options = ResourceAccess.Options(), limit: Int = 10_000
    ) throws {
        let identifier = try ResourceAccess(resource, clients: clients, service: service).resource
        self.limit = max(1, limit)
        make = { user in
            let key = AuthStateKey("resource \(identifier) of \(user)")
            return ResourceAccess(
                identifier, clients: clients, login: .elsewhere,
                place: AuthState.Place(store, key: key, service: service, options: stateOptions),
                registrationKey: AuthStateKey("resource \(identifier)"), options: options)
        }
    }

    /// Returns the access of a user.
    ///
    /// - Parameter user: The user's key, for example that of their session.
    public func access(for user: AuthStateKey) -> ResourceAccess {
        if let found = accesses[user] {
            if order.last != user, let place = order.lastIndex(of: user) { order.append(order.remove(at: place)) }
            return found
        }
        if accesses.count >= limit { accesses[order.removeFirst()] = nil }
        let access = make(user)
        accesses[user] = access
        order.append(user)
        return access
    }

    /// Forgets a user's grant, here and in the store; the authorization server is not told. Without a login nothing happens.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the end could not be saved; in memory the grant is gone.
    public func remove(_ user: AuthStateKey) async throws {
        let access = access(for: user)
        accesses[user] = nil
        order.removeAll { $0 == user }
        try await access.authState()?.clear()
    }
}

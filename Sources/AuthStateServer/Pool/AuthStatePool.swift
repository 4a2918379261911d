import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateStorage

/// The states of many users in one server: each loaded when it is needed, renewed ahead of expiry, and evicted when
/// idle.
///
/// The process has one `AuthState` for a key, and one reading of the store at a time for it, for any number of callers.
/// Everything is in the store too: an eviction loses nothing, and several servers may share a store.
///
/// ```swift
/// let client = NamedClient(.issuer("https://op.example"), id: "web", credential: .environment("CLIENT_SECRET"))
/// let pool = AuthStatePool(client, store: store)
/// let profile = try await pool.withFreshToken(for: "user-17") { tokens in … }
/// ```
///
/// Nothing happens in the background unless `run()` does; give it to the server's service lifecycle.
public final class AuthStatePool: Sendable {
    /// The store that keeps the states.
    public let store: any AuthStateStore
    /// The service that talks to the providers.
    public let service: AuthorizationService
    /// The options of the pool.
    public let options: Options
    /// The client of the pool's logins; nil for a pool of several clients, or of states that come from elsewhere.
    public let client: NamedClient?

    let credential: @Sendable (AuthStateKey) -> ClientCredential?
    /// Returns a number between 0 and 1, another one each time.
    let jitter: @Sendable () -> Double
    /// Where the states are, but for their keys.
    let place: AuthState.Place
    let contents = Lock(Contents())
    let parts = Lock(SharedParts())

    /// The mutable part of the pool; the table, which is a value, makes its decisions.
    struct Contents {
        var table = PoolTable<AuthState>()
        var loads: [AuthStateKey: Load] = [:]
        var cooldowns = Cooldowns()
        var statistics = Statistics()
    }

    /// Makes a pool for the users of one client, whose provider is asked for the endpoints by the first login.
    public convenience init(
        _ client: NamedClient, store: any AuthStateStore, service: AuthorizationService = AuthorizationService(),
        options: Options = Options()
    ) {
        let credential = client.ownCredential
        self.init(
            store: store, service: service, options: options, client: client, jitter: { .random(in: 0..<1) }
        ) { _ in credential }
    }

    /// Makes a pool of clients with one credential, or with none.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the states.
    ///   - service: The service that talks to the providers.
    ///   - credential: The credential for all states; nil when each stored state refers to its own.
    ///   - options: The options of the pool, and of its states.
    public convenience init(
        store: any AuthStateStore,
        service: AuthorizationService = AuthorizationService(),
        credential: ClientCredential? = nil,
        options: Options = Options()
    ) {
        self.init(store: store, service: service, options: options) { _ in credential }
    }

    /// Makes a pool that asks for the credential of each key.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the states.
    ///   - service: The service that talks to the providers.
    ///   - options: The options of the pool, and of its states.
    ///   - credential: Returns the credential of a key, at every load and login; nil when the stored state refers to
    ///     it.
    public convenience init(
        store: any AuthStateStore,
        service: AuthorizationService = AuthorizationService(),
        options: Options = Options(),
        credential: @escaping @Sendable (AuthStateKey) -> ClientCredential?
    ) {
        self.init(
            store: store, service: service, options: options, jitter: { .random(in: 0..<1) }, credential: credential)
    }

    init(
        store: any AuthStateStore, service: AuthorizationService, options: Options, client: NamedClient? = nil,
        jitter: @escaping @Sendable () -> Double, credential: @escaping @Sendable (AuthStateKey) -> ClientCredential?
    ) {
        self.store = store
        self.service = service
        self.options = options
        self.client = client
        self.jitter = jitter
        self.credential = credential
        place = AuthState.Place(store, service: service, options: options.state)
    }

    /// Returns the state of a key, loaded when it is not in memory; a failure is not remembered.
    ///
    /// Adopts what another process stored first, so that a user who logged out elsewhere is not returned as logged in.
    ///
    /// - Throws: `AuthStateError`: `.notLoggedIn` when nothing is stored or granted, kind `.store` when it cannot be
    ///   read; `CancellationError` as soon as the calling task is cancelled, which does not affect other callers.
    public nonisolated(nonsending) func state(for key: AuthStateKey) async throws -> AuthState {
        if let state = loadedState(for: key) {
            if state.isInSight { return state }
            try await state.notice()
            if state.isGranted { return state }
        }
        return try await load(key)
    }

    /// Returns the state of a key, for a use that itself checks for changes by others.
    @usableFromInline
    nonisolated(nonsending) func stateAtHand(_ key: AuthStateKey) async throws -> AuthState {
        if let state = loadedState(for: key) { return state }
        return try await load(key)
    }

    /// Returns the state of a key if it is in memory, else nil; never waits.
    public func loadedState(for key: AuthStateKey) -> AuthState? {
        // A caller that holds the state may have logged it out.
        guard let state = use(key, reading: { $0 }), state.isGranted else { return nil }
        return state
    }

    /// Returns tokens of a key that can be used at once, else nil.
    @usableFromInline
    func tokensAtHand(_ key: AuthStateKey) -> Tokens? {
        let now = service.configuration.clock.secondsSince1970
        return use(key) { $0.tokensAtHand(at: now) }
    }

    /// Returns a state with tokens that can be used at once, else nil.
    @usableFromInline
    func stateWithTokens(_ key: AuthStateKey) -> (state: AuthState, tokens: Tokens)? {
        let now = service.configuration.clock.secondsSince1970
        return use(key) { state in state.tokensAtHand(at: now).map { (state: state, tokens: $0) } }
    }

    /// Finds a state in memory, and counts this as a use of it when there is a result.
    ///
    /// The state is read under the table's lock, because a reference to it costs as much as the rest. A reader may lock
    /// the state, and ask its store's watch for a number; neither asks the pool for anything.
    @inline(__always)
    private func use<R: Sendable>(_ key: AuthStateKey, reading read: (AuthState) -> R?) -> R? {
        let fingerprint = PoolTable<AuthState>.fingerprint(key)
        return contents.withLock { contents -> R? in
            guard let result = contents.table.use(key, fingerprint, reading: read) ?? nil else { return nil }
            contents.statistics.hits &+= 1
            return result
        }
    }

    /// Returns fresh tokens of a key: at once when they are in memory, else after a load, a renewal, or both.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - validity: The time for which the access token must be valid from now.
    ///   - parameters: Scopes and other parameters beyond the default.
    /// - Throws: As `state(for:)` and `AuthState.freshTokens(validFor:_:)` do.
    @inlinable
    public nonisolated(nonsending) func freshTokens(
        for key: AuthStateKey, validFor validity: Duration? = nil, _ parameters: RenewalParameters = .none
    ) async throws -> Tokens {
        if validity == nil, parameters.isNone, let tokens = tokensAtHand(key) { return tokens }
        return try await stateAtHand(key).freshTokens(validFor: validity, parameters)
    }

    /// Runs a body with fresh tokens of a key; when it throws `TokenRejected`, renews once and runs it once more.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - validity: The time for which the access token must be valid from now.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - body: Uses the tokens, and throws `TokenRejected` when a resource refuses them.
    /// - Throws: As `state(for:)` and `AuthState.withFreshToken(validFor:_:policy:_:)` do.
    @inlinable
    public nonisolated(nonsending) func withFreshToken<R>(
        for key: AuthStateKey,
        validFor validity: Duration? = nil,
        _ parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil,
        _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        guard validity == nil, parameters.isNone, let (state, tokens) = stateWithTokens(key) else {
            return try await stateAtHand(key).withFreshToken(validFor: validity, parameters, policy: policy, body)
        }
        return try await state.run(body, with: tokens, parameters, policy: policy)
    }
}

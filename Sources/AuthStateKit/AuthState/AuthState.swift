import AuthStateJOSE
public import AuthStateOAuth

/// Remembers what a provider granted, hands out tokens that are fresh, and never loses them.
///
/// Mirrors AppAuth's `OIDAuthState`. The transitions are the pure function `Record.applying`; the actor serialises them,
/// saves before it publishes, and lets any number of callers share one renewal.
public actor AuthState {
    /// Talks to the provider.
    public nonisolated let service: AuthorizationService
    /// How this state behaves.
    public nonisolated let options: Options
    /// Where it is kept.
    public nonisolated let store: any AuthStateStore
    /// Under which key.
    public nonisolated let key: AuthStateKey

    nonisolated let published: Lock<Visible>
    nonisolated let changes: ChangeBroadcast<Current>

    /// The newest state, saved or not.
    var record: Record {
        get { recordBox.value }
        set { recordBox = Box(newValue) }
    }
    private var recordBox: Box<Record>
    /// The stored version that `record` builds on; nil when nothing is stored.
    var storedVersion: StoredAuthState.Version?
    /// What happened since the last successful save; replayed on top of what another process stored meanwhile.
    var unsaved: [Change] = []
    /// Why the last save failed; nil when everything is saved.
    var storeError: AuthStateError? {
        get { storeErrorBox?.value }
        set { storeErrorBox = newValue.map(Box.init) }
    }
    private var storeErrorBox: Box<AuthStateError>?
    /// Transactions on the store that are under way here.
    var transactions = 0
    /// The reading of the store that is under way.
    var looking: SharedResult<AuthStateError?>?
    /// Renewals under way, one for each set of parameters.
    var flights: [RenewalParameters: Flight] = [:]
    /// Tokens asked for with parameters: in memory, beside the default ones.
    var sideTokens: [RenewalParameters: Tokens.Storage] = [:]
    /// The last access token that was renewed because a resource refused it.
    var lastRejected: String?

    /// Makes a state from a record; nothing is saved until something changes.
    ///
    /// - Parameters:
    ///   - record: What is known, for example an empty record of a client.
    ///   - storedVersion: The stored version that the record was read from.
    public init(
        _ record: Record,
        service: AuthorizationService,
        store: any AuthStateStore = InMemoryAuthStateStore(),
        key: AuthStateKey = .default,
        storedVersion: StoredAuthState.Version? = nil,
        options: Options = Options()
    ) {
        self.init(
            record, service: service, store: store, key: key, storedVersion: storedVersion, options: options,
            sight: StoreSight(nil, at: service.configuration.clock.secondsSince1970))
    }

    init(
        _ record: Record, service: AuthorizationService, store: any AuthStateStore, key: AuthStateKey,
        storedVersion: StoredAuthState.Version?, options: Options, sight: StoreSight
    ) {
        let box = Box(record)
        recordBox = box
        self.service = service
        self.store = store
        self.key = key
        self.storedVersion = storedVersion
        self.options = options
        let first = Published(
            box, options: options, allowsInsecureHTTP: service.configuration.allowsInsecureHTTP)
        published = Lock(Visible(state: first, sight: sight))
        changes = ChangeBroadcast(first.current)
    }

    /// The state as it can be shown; read from anywhere, without waiting.
    public nonisolated var current: Current { published.withLock { $0.state }.current }

    /// Whether there is no error, and an access, ID or refresh token.
    public nonisolated var isAuthorized: Bool { current.isAuthorized }

    /// Why the state is in error; nil when it is not.
    public nonisolated var authorizationError: AuthStateError? { current.authorizationError }

    /// Everything that the state remembers, tokens included.
    public nonisolated var snapshot: Record { published.withLock { $0.state }.record }

    /// The changes from now on, the current state first; each subscriber has a stream of its own with the newest 64.
    ///
    /// A task that iterates keeps the state alive: cancel it, or leave the loop, when it has seen enough.
    public nonisolated var stateChanges: AsyncStream<Current> { changes.subscribe() }

    /// Tokens if they are fresh at this moment; never waits and never renews.
    ///
    /// Nil, too, once the store has told of a change that was not looked at yet: `freshTokens()` looks.
    public nonisolated func tokensIfFresh() -> Tokens? { tokens(readWithin: .infinity) }

    /// Tokens if they are fresh, and the store was read within these seconds or told of no change.
    @usableFromInline
    nonisolated func tokens(readWithin interval: Double) -> Tokens? {
        let now = service.configuration.clock.secondsSince1970
        let tokens = published.withLock { visible in
            now < visible.state.freshUntil && visible.sight.isCurrent(at: now, interval: interval)
                ? visible.state.tokens : nil
        }
        return tokens.map(Tokens.init(storage:))
    }

    /// Lets everybody see the state as it is now.
    func publish() {
        let next = Published(
            recordBox, storeError: storeErrorBox, options: options,
            allowsInsecureHTTP: service.configuration.allowsInsecureHTTP)
        let previous = published.withLock { visible in
            defer { visible.state = next }
            return visible.state
        }
        guard previous.current != next.current else { return }
        changes.send(next.current)
        notify(.changed(next.current))
    }

    nonisolated func notify(_ event: AuthStateEvent) { options.observer?.authState(self, did: event) }
}

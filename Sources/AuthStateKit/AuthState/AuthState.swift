import AuthStateJOSE
public import AuthStateOAuth

/// Remembers what a provider granted, hands out tokens that are fresh, and never loses them.
///
/// Mirrors AppAuth's `OIDAuthState`. The transitions are the pure function `Record.applying`; the actor serialises them,
/// saves before it publishes, and lets any number of callers share one renewal.
public actor AuthState {
    /// Talks to the provider.
    @inlinable public nonisolated var service: AuthorizationService { surroundings.service }
    /// How this state behaves.
    @inlinable public nonisolated var options: Options { surroundings.options }
    /// Where it is kept.
    @inlinable public nonisolated var store: any AuthStateStore { surroundings.store }
    /// Under which key.
    public nonisolated let key: AuthStateKey

    nonisolated let published: Lock<Visible>
    @usableFromInline nonisolated let surroundings: Surroundings
    /// Made when somebody listens for the first time: few states ever have a listener.
    nonisolated let broadcast = Lock<ChangeBroadcast<Current>?>(nil)

    /// The newest state, saved or not.
    var record: Record {
        get { recordBox.value }
        set { recordBox = Box(newValue) }
    }
    var recordBox: Box<Record>
    /// The state as readers see it, see `publish()`.
    var shownBox: Box<Record>
    /// The version that is stored, as far as is known; nil when nothing is.
    var storedVersion: StoredAuthState.Version?
    /// What is stored, as far as is known; nil when nothing is.
    var storedBox: Box<Record>?
    /// A login that stores itself now, and so is later than what it finds, whatever clocks say.
    var undecided: Stamp?
    /// Why the last save failed; nil when everything is saved.
    var storeError: AuthStateError? {
        get { storeErrorBox?.value }
        set { storeErrorBox = newValue.map(Box.init) }
    }
    private var storeErrorBox: Box<AuthStateError>?
    /// Transactions on the store that run here.
    var transactions = 0
    /// Counts their beginnings and ends.
    var transactionSteps = 0
    /// The reading of the store that goes on.
    var looking: SharedResult<AuthStateError?>?
    /// Renewals under way, one for each set of parameters.
    var flights: [RenewalParameters: Flight] = [:]
    /// The login for requests that wait to be sent again, if one is under way.
    var reauthorization: SharedLogin<Void>?
    /// Tokens asked for with parameters: in memory, beside the default ones.
    var sideTokens: [RenewalParameters: Tokens.Storage] = [:]
    /// The last access token that was renewed because a resource refused it.
    var lastRejected: String?

    /// Makes a state from a record; nothing is saved until something changes.
    ///
    /// The record is the program's word: its endpoints get its credential. For what a store keeps use `restore`.
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
        let surroundings = Surroundings(service: service, store: store, options: options)
        self.init(surroundings.vouched(record), in: surroundings, key: key, storedVersion: storedVersion)
    }

    /// - Parameter sight: How changes by others are noticed; nil reads the store from time to time.
    init(
        _ record: Record, in surroundings: Surroundings, key: AuthStateKey,
        storedVersion: StoredAuthState.Version? = nil, sight: StoreSight? = nil
    ) {
        let (service, options) = (surroundings.service, surroundings.options)
        let box = Box(record)
        recordBox = box
        shownBox = box
        storedBox = box
        self.surroundings = surroundings
        self.key = key
        self.storedVersion = storedVersion
        let sight =
            sight
            ?? StoreSight(
                nil, at: service.configuration.clock.secondsSince1970, interval: options.storeCheckInterval)
        published = Lock(Visible(state: Published(box, options: options, service: service), sight: sight))
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
    public nonisolated var stateChanges: AsyncStream<Current> {
        let broadcast = broadcast.withLock { broadcast in
            let made = broadcast ?? ChangeBroadcast(current)
            broadcast = made
            return made
        }
        return broadcast.subscribe()
    }

    /// Tokens if they are fresh at this moment; never waits and never renews.
    ///
    /// Nil, too, once the store has told of a change that was not looked at yet: `freshTokens()` looks.
    public nonisolated func tokensIfFresh() -> Tokens? {
        let now = service.configuration.clock.secondsSince1970
        let tokens = published.withLock { visible in
            now < visible.freshUntil && visible.sight.isUnchanged ? visible.tokens : nil
        }
        return tokens.map(Tokens.init(storage:))
    }

    /// Tokens if they are fresh, and the store need not be looked at.
    @usableFromInline
    nonisolated func tokensInSight() -> Tokens? {
        let now = service.configuration.clock.secondsSince1970
        let tokens = published.withLock { visible in
            now < visible.freshUntil && visible.sight.isCurrent(at: now) ? visible.tokens : nil
        }
        return tokens.map(Tokens.init(storage:))
    }

    /// Lets readers see what is stored, or what is not stored together with the reason; an end of the grant at once.
    ///
    /// The one rule of what is seen outside: no token is shown before what came with it is on disk.
    func publish() {
        if isSaved { storeError = nil }
        if isSaved || record.isLoggedOut { shownBox = recordBox }
        let next = Published(shownBox, storeError: storeErrorBox, options: options, service: service)
        let previous = published.withLock { visible in
            defer { visible.state = next }
            return visible.state
        }
        let current = next.current
        guard previous.current != current else { return }
        broadcast.withLock { $0 }?.send(current)
        notify(.changed(current))
    }

    /// What does not change, and is the same for all states of a pool.
    @usableFromInline
    final class Surroundings: Sendable {
        @usableFromInline let service: AuthorizationService
        @usableFromInline let store: any AuthStateStore
        @usableFromInline let options: Options

        init(service: AuthorizationService, store: any AuthStateStore, options: Options) {
            self.service = service
            self.store = store
            self.options = options
        }
    }

    nonisolated func notify(_ event: AuthStateEvent) {
        service.configuration.trace?.note(event)
        options.observer?.authState(self, did: event)
    }
}

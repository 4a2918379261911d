import AuthStateJOSE
public import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// A client's authorization at a provider: keeps the grant, hands out fresh tokens, and never loses them.
///
/// Mirrors AppAuth's `OIDAuthState`. The transitions are those of a value, the `Ledger`; the actor serialises them,
/// saves before it publishes, and lets any number of callers share one renewal.
public actor AuthState {
    /// The service that talks to the provider.
    @inlinable public nonisolated var service: AuthorizationService { environment.service }
    /// The options of this state.
    @inlinable public nonisolated var options: Options { environment.options }
    /// The store that keeps this state.
    @inlinable public nonisolated var store: any AuthStateStore { environment.store }
    /// The key of this state in the store.
    public nonisolated let key: AuthStateKey

    nonisolated let published: Lock<Visible>
    @usableFromInline nonisolated let environment: Environment

    /// The newest, shown and stored records; changed by `change` alone.
    private(set) var ledger: Ledger
    /// The newest state, saved or not.
    package var newest: Record { ledger.newest.value }
    /// What the state is doing, and did. A state that was loaded from a watched store and is only read never has it.
    lazy var work = Work()
    var flights: [RenewalParameters: Flight] { work.flights }
    nonisolated var clock: WallClock { service.configuration.clock }

    /// Makes a state from a record; nothing is saved until something changes.
    ///
    /// The record is trusted as the program's own: its endpoints receive its credential. For a stored state use
    /// `restore`.
    ///
    /// - Parameters:
    ///   - record: The record to start from, for example an empty record of a client.
    ///   - service: The service that talks to the provider.
    ///   - store: The store that keeps the state.
    ///   - key: The key of the state in the store.
    ///   - storedVersion: The stored version that the record was read from.
    ///   - options: The options of the state.
    public init(
        _ record: Record,
        service: AuthorizationService,
        store: any AuthStateStore,
        key: AuthStateKey = .default,
        storedVersion: StoredAuthState.Version? = nil,
        options: Options = Options()
    ) {
        let environment = Environment(service: service, store: store, options: options)
        self.init(environment.vouched(record), in: environment, key: key, storedVersion: storedVersion)
    }

    /// - Parameter freshness: The way in which changes by others are noticed; nil reads the store from time to time.
    init(
        _ record: Record, in environment: Environment, key: AuthStateKey,
        storedVersion: StoredAuthState.Version? = nil, freshness: StoreFreshness? = nil
    ) {
        let box = Box(record)
        ledger = Ledger(box, version: storedVersion)
        self.environment = environment
        self.key = key
        let state = Published(box, options: environment.options, service: environment.service)
        published = Lock(Visible(state: state, freshness: freshness ?? environment.freshness(nil)))
    }

    /// The state as it can be shown; read from anywhere, without waiting.
    public nonisolated var status: Status { published.withLock { $0.state }.status }

    /// Whether there is no error, and an access, ID or refresh token.
    public nonisolated var isAuthorized: Bool { status.isAuthorized }

    /// The error that the state is in; nil when there is none.
    public nonisolated var authorizationError: AuthStateError? { status.authorizationError }

    /// Everything that the state remembers, tokens included.
    public nonisolated var record: Record { published.withLock { $0.state }.record }

    /// The changes from now on, the current state first; each subscriber has a stream of its own with the newest 64.
    ///
    /// A task that iterates keeps the state alive: cancel it, or leave the loop, when it has seen enough.
    public nonisolated var stateChanges: AsyncStream<Status> {
        let broadcast = published.withLock { visible in
            let made = visible.broadcast ?? ChangeBroadcast(visible.state.status)
            visible.broadcast = made
            return made
        }
        return broadcast.subscribe()
    }

    /// Returns the tokens if they are fresh at this moment, else nil; never waits and never renews.
    ///
    /// Returns nil, too, after the store has reported a change that this state has not read yet; `freshTokens()` reads
    /// it.
    public nonisolated func tokensIfFresh() -> Tokens? {
        let now = service.configuration.clock.secondsSince1970
        let tokens = published.withLock { visible in
            now < visible.state.freshUntil && visible.freshness.isUnchanged ? visible.state.tokens : nil
        }
        return tokens.map(Tokens.init(storage:))
    }

    /// Returns the tokens if they are fresh and the store need not be read, else nil.
    @usableFromInline
    nonisolated func tokensIfUpToDate() -> Tokens? {
        tokensAtHand(at: service.configuration.clock.secondsSince1970)
    }

    /// - Parameter now: The time, in seconds since 1970.
    @inline(__always)
    package nonisolated func tokensAtHand(at now: Double) -> Tokens? {
        published.withLock { visible in
            now < visible.state.freshUntil && visible.freshness.isCurrent(at: now) ? visible.state.tokens : nil
        }.map(Tokens.init(storage:))
    }

    /// The one way to change what this state knows: tells the observer what came of it, then shows readers what they may see.
    func change(_ verb: (inout Ledger) throws -> [AuthStateEvent]) rethrows {
        let (shown, storeError, grantID) = (ledger.shown, ledger.storeError, newest.grantID)
        defer {
            // First: a caller that sees the end of a grant joins no renewal of it.
            if newest.grantID != grantID { showFlight() }
            if shown !== ledger.shown || storeError !== ledger.storeError { publish() }
        }
        for event in try verb(&ledger) { notify(event) }
    }

    private func publish() {
        let next = Published(ledger.shown, storeError: ledger.storeError, options: options, service: service)
        let (previous, broadcast) = published.withLock { visible in
            defer { visible.state = next }
            return (visible.state, visible.broadcast)
        }
        let status = next.status
        guard previous.status != status else { return }
        broadcast?.send(status)
        notify(.changed(status))
    }

    /// The parts that do not change, and that all states of a pool share.
    @usableFromInline
    final class Environment: Sendable {
        @usableFromInline let service: AuthorizationService
        @usableFromInline let store: any AuthStateStore
        @usableFromInline let options: Options

        init(service: AuthorizationService, store: any AuthStateStore, options: Options) {
            (self.service, self.store, self.options) = (service, store, options)
        }
    }

    /// The part of a state that renewals, saves and readings of the store in progress need.
    final class Work {
        /// The number of transactions on the store in progress in this state.
        var transactions = 0
        /// The reading of the store in progress.
        var looking: SharedResult<AuthStateError?>?
        /// The renewals in progress, one for each set of parameters.
        var flights: [RenewalParameters: Flight] = [:]
        /// The renewals in progress of a grant that has ended, which others have replaced in `flights`.
        var overtaken: [Flight] = []
        /// The login that requests wait for before they are sent again; nil before the first one, and it may be over.
        var reauthorization: SharedLogin<Void>?
        /// The access tokens that were refused after a renewal without ending the login, each with the time of that, in seconds
        /// since 1970: for a minute another refusal of it leads to no renewal (`UnauthorizedPolicy`).
        var refusals: [String: Double] = [:]
    }

    nonisolated func notify(_ event: AuthStateEvent) {
        service.configuration.trace?.note(event)
        options.observer?.authState(self, did: event)
    }
}

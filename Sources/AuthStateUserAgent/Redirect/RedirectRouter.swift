public import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth
public import AuthStateStorage
public import AuthStateSystem

/// Brings URLs that the system opens the app with to the logins and logouts that wait for them.
///
/// One for the whole app: give it every URL, from `onOpenURL`, from the scene or application delegate, or the
/// `webpageURL` of an `NSUserActivity`. A flow is matched by its redirect URI and its `state`, and accepts one URL. Any
/// program or web page can open an app with a URL of its scheme: one with another `state` ends nothing, and is
/// reported.
///
/// With a store, flows survive the app: the answer to one that began in an earlier process arrives in `restored`.
///
/// ```swift
/// let router = RedirectRouter(redirectURIs: [redirectURI], store: KeychainAuthStateStore(service: "com.example.app"))
/// let userAgent = RedirectUserAgent(router: router) { await UIApplication.shared.open($0) }
///
/// ContentView()
///     .onOpenURL { router.open($0) }
///     .task { for await redirect in router.restored { await model.complete(redirect) } }
/// ```
public final class RedirectRouter: Sendable {
    private struct State {
        var table: RedirectTable
        /// The most URLs that wait: any program can open the app with more.
        static let parkedLimit = 64
        /// URLs that wait until the store was read.
        var parked: [String] = []
        var isLoading = false
    }

    private let state: Lock<State>
    private let queue = RedirectQueue()
    private let storage: RedirectStorage?
    private let clock: WallClock
    private let refused: @Sendable (AuthStateError) -> Void

    /// Makes a router.
    ///
    /// - Parameters:
    ///   - redirectURIs: The addresses that flows of an earlier process may come back to: with a store, every redirect
    ///     URI of the app (or the callback URL, where a page stands between). Flows of this process bring their own.
    ///   - store: Keeps pending flows, with their PKCE verifiers; nil lets them end with the process.
    ///   - key: The place in the store, which nothing else may use.
    ///   - clock: The time of day, for expiry.
    ///   - refused: Called for each URL at a place of this router that belongs to no flow, and for a store that cannot
    ///     be read; on any thread.
    public init(
        redirectURIs: [RedirectURI] = [], store: (any AuthStateStore)? = nil, key: AuthStateKey = "pending-redirects",
        clock: WallClock = .system, refused: @escaping @Sendable (AuthStateError) -> Void = { _ in }
    ) {
        state = Lock(State(table: RedirectTable(redirectURIs: redirectURIs, isComplete: store == nil)))
        storage = store.map { RedirectStorage(store: $0, key: key, clock: clock) }
        (self.clock, self.refused) = (clock, refused)
    }

    /// Takes a URL that the system opened the app with; callable from any thread, and returns at once.
    ///
    /// - Returns: Whether it is the answer to a flow of this router, or has yet to be compared with the store's; false
    ///   leaves it to the app.
    @discardableResult
    public func open(_ url: URL) -> Bool { open(url.absoluteString) }

    /// Answers to flows that began in an earlier process, including those that came before the first reader.
    ///
    /// Each goes to one reader. A sequence ends with its task only; the next one continues where it ended.
    public var restored: AsyncStream<RestoredRedirect> { AsyncStream { [queue] in await queue.next() } }

    /// Begins to wait for a flow, and keeps it in the store before that.
    func add(_ flow: RedirectTable.Waiting, keeping pending: PendingRedirect?) async throws {
        if let pending { try await storage?.add(pending) }
        state.withLock { $0.table.add(flow) }
    }

    /// Stops waiting for a flow, and forgets it in the store as well; an entry that cannot be removed there expires.
    func remove(_ flow: RedirectTable.Waiting, keeping pending: PendingRedirect?) async {
        state.withLock { $0.table.remove(flow) }
        guard let storage, let pending else { return }
        // A task of its own, which the caller's cancellation does not reach; the lease has a deadline.
        await Task { _ = try? await storage.remove(pending) }.value
    }

    /// The time at which a flow that begins now expires.
    var expiry: Date { clock.now.addingTimeInterval(600) }

    private func open(_ address: String) -> Bool {
        let (verdict, loads) = state.withLock { state -> (RedirectTable.Verdict, Bool) in
            let verdict = state.table.take(address)
            guard case .unknown = verdict else { return (verdict, false) }
            guard state.parked.count < State.parkedLimit else { return (.refused, false) }
            state.parked.append(address)
            defer { state.isLoading = true }
            return (verdict, !state.isLoading)
        }
        switch verdict {
        case .answer(let flow, let callback): flow.answer.finish(.success(callback))
        case .restored(let pending, let callback): Task { await claim(pending, callback) }
        case .unknown: if loads { Task { await load() } }
        case .refused:
            refused(.unexpectedRedirect(address))
            return false
        case .foreign: return false
        }
        return true
    }

    /// Reads the store once, then judges the URLs that waited for that.
    private func load() async {
        let stored: Result<[PendingRedirect], any Error>
        do { stored = .success(try await storage?.load() ?? []) } catch { stored = .failure(error) }
        let parked = state.withLock { state in
            if case .success(let entries) = stored { state.table.complete(with: entries) }
            state.isLoading = false
            defer { state.parked = [] }
            return state.parked
        }
        switch stored {
        case .success: for address in parked { _ = open(address) }
        case .failure(let error): for _ in parked { refused(AuthStateError(wrapping: error, stage: .store)) }
        }
    }

    /// Takes a flow out of the store; only the process that finds it there may go on with it.
    private func claim(_ pending: PendingRedirect, _ callback: AuthorizationCallback) async {
        do {
            guard let storage, clock.now < pending.expiresAt, try await storage.remove(pending) else {
                return refused(.unexpectedRedirect(callback.url))
            }
            queue.put(RestoredRedirect(flow: pending.flow, label: pending.label, callback: callback))
        } catch {
            // The flow may still be stored: the same URL, opened again, finds it.
            state.withLock { $0.table.giveBack(pending) }
            refused(AuthStateError(wrapping: error, stage: .store))
        }
    }
}

extension AuthStateError {
    fileprivate static func unexpectedRedirect(_ address: String) -> AuthStateError {
        AuthStateError(
            .stateMismatch, stage: .authorization, "A redirect arrived that no login or logout waits for.",
            expected: "the state of a flow that waits, once", received: URIReference(address).redacted,
            hint: "It was used before, came too late, or another program opened the app with it; begin again.")
    }
}

package import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// Where a state is kept, and what it talks to the provider with.
    ///
    /// ```swift
    /// let authState = try await AuthState.logIn(.browser(client), at: .folder("~/.local/state/tool"))
    /// let again = try await AuthState.restore(at: .folder("~/.local/state/tool"))
    /// ```
    public struct Place: Sendable {
        let environment: Environment
        /// The key of the state in the store.
        public let key: AuthStateKey

        /// The store that keeps the state.
        public var store: any AuthStateStore { environment.store }
        /// The service that talks to the provider.
        public var service: AuthorizationService { environment.service }
        /// The options of the state.
        public var options: Options { environment.options }

        /// Makes a place.
        public init(
            _ store: any AuthStateStore, key: AuthStateKey = .default,
            service: AuthorizationService = AuthorizationService(), options: Options = Options()
        ) {
            self.init(Environment(service: service, store: store, options: options), key)
        }

        init(_ environment: Environment, _ key: AuthStateKey) { (self.environment, self.key) = (environment, key) }
    }
}

extension AuthState.Place {
    /// In files of a folder that only the user can read, see `FileAuthStateStore`.
    ///
    /// - Parameters:
    ///   - path: The folder; `~/` means the home folder, and a relative path is taken from the current folder now.
    ///   - key: The key of the state; other keys are other logins.
    ///   - service: The service that talks to the provider.
    ///   - options: The options of the state.
    public static func folder(
        _ path: String, key: AuthStateKey = .default, service: AuthorizationService = AuthorizationService(),
        options: AuthState.Options = AuthState.Options()
    ) -> Self {
        Self(FileAuthStateStore(folder: path), key: key, service: service, options: options)
    }

    /// In this process's memory alone: the login is lost when the process ends.
    public static func memory(
        service: AuthorizationService = AuthorizationService(), options: AuthState.Options = AuthState.Options()
    ) -> Self {
        Self(InMemoryAuthStateStore(), service: service, options: options)
    }

    /// Checks that the store can be written, and holds nothing unreadable that would be lost, before anything is
    /// redeemed.
    package func tryStore() async throws {
        try await service.traced {
            try await withLease { lease in
                if let stored = try await lease.load() { _ = try AuthStateArchive(data: stored.archive) }
                try await lease.reserve()
            }
        }
    }

    /// Runs a transaction on the stored state, while no other process changes it.
    package nonisolated(nonsending) func withLease<R>(
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await store.withLease(key, deadline: options.leaseDeadline, body)
    }

    package func saveFirst(_ record: AuthState.Record) async throws {
        let archive = try AuthStateArchive(record).data()
        try await withLease { lease in
            guard try await lease.load() == nil else { return }
            _ = try await lease.save(archive, expecting: nil)
        }
    }

    /// Returns a new state, saved over the one that was stored under the key, or kept in memory with the reason.
    package func state(_ record: AuthState.Record, _ event: AuthState.Event) async -> AuthState {
        let state = AuthState(environment.vouched(record), in: environment, key: key)
        // A separate task, which the caller's cancellation does not reach: the grant must not be lost.
        await Task { await state.begin(with: event) }.value
        return state
    }
}

extension AuthState {
    /// Saves a first grant over the stored state, and continues its count of epochs.
    fileprivate func begin(with event: Event) async {
        do {
            try await transaction { lease in
                let stored = try await lease.load()
                let theirs = try stored.map {
                    try environment.record(of: $0).with(credentialOf: newest).sharing(newest)
                }
                change { $0.begin(with: event, at: clock.now, over: theirs, stored?.version) }
                await persist(under: lease, of: newest.grantID)
                // Still under the lease: another process's change comes after it, and is noticed from the first moment.
                let freshness = environment.freshness(await store.watch(key))
                published.withLock { $0.freshness = freshness }
            }
        } catch {
            if newest.stamps.grant == .never { apply(event) }
            let login = newest.grantID
            change { $0.saveFailed(error, of: login) }
        }
    }
}

public import AuthStateFoundation
import AuthStateOAuth

/// Shows what another store keeps and changes nothing: for an app extension or a helper that must never renew.
///
/// A state over it serves tokens until they expire, and adopts what the owner of the state has stored since. When they
/// have expired, and what is stored is no fresher, it throws `.storeReadOnly` before anything is sent to the provider.
public struct ReadOnlyAuthStateStore: AuthStateStore {
    private let base: any AuthStateStore
    private let owner: String

    /// Makes a store that only reads.
    ///
    /// - Parameters:
    ///   - base: The store to read.
    ///   - owner: The program that renews and writes, as the error names it.
    public init(_ base: any AuthStateStore, renewedBy owner: String = "the program that logged in") {
        (self.base, self.owner) = (base, owner)
    }

    /// Reads a state.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    /// Runs a transaction that can only read: it excludes no other holder, never waits, and its `reserve` throws.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: Not used: the transaction never waits.
    ///   - look: Not called.
    ///   - body: The transaction, which runs in the caller's isolation.
    /// - Throws: `AuthStateError` with `.storeReadOnly` when the body reserves, saves or deletes.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await body(ReadingLease(base: base, key: key, owner: owner))
    }

    /// The other store's answer.
    public var mayBeWrittenByOthers: Bool { base.mayBeWrittenByOthers }

    /// The place in the store around which this one is.
    public func location(of key: AuthStateKey) -> String { base.location(of: key) }

    /// Lists the other store's states.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        try await base.entries(savedBefore: date)
    }

    /// Watches the other store.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await base.watch(key) }
}

/// A lease that reads what others write, and writes nothing.
private struct ReadingLease: AuthStateLease {
    let base: any AuthStateStore
    let key: AuthStateKey
    let owner: String

    func load() async throws -> StoredAuthState? { try await base.load(key) }

    func reserve() async throws { throw refusal }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        throw refusal
    }

    func delete(expecting: StoredAuthState.Version?) async throws { throw refusal }

    private var refusal: AuthStateError {
        AuthStateError(
            .storeReadOnly, stage: .store, "The stored state is only read here; it is renewed by \(owner).",
            hint: "Start \(owner), then try again.")
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateSystem

@testable import AuthStateKit
@testable import AuthStateStorage
@testable import AuthStateTesting

/// A store in memory with at most one fault.
final class BrokenStore: AuthStateStore {
    enum Fault: CaseIterable {
        case inventsVersions, foldsKeys, cutsArchives, overwrites, forgetsTheLast, deletesAnything, missesWhatIsGone
        case reservesByWriting, discardsOnlyWhatIsThere, hintsNothing
        case locksNothing, waitsOn, locksAllKeys, callsCancellationLocked, changesErrors, keepsFailedLeases
        case leasesForGood, givesUpSaving, sleepsOnWatch, listsNothing

        /// The check that finds it.
        var broken: Contract.Check {
            switch self {
            case .inventsVersions: .loading
            case .foldsKeys: .keys
            case .cutsArchives: .archives
            case .overwrites, .hintsNothing: .savingOver
            case .forgetsTheLast: .savingLast
            case .deletesAnything: .deletingOver
            case .missesWhatIsGone: .deleting
            case .reservesByWriting: .reserving
            case .discardsOnlyWhatIsThere: .discarding
            case .locksNothing: .exclusion
            case .waitsOn: .deadline
            case .locksAllKeys: .otherKeys
            case .callsCancellationLocked: .cancelledWaiting
            case .changesErrors, .keepsFailedLeases: .failing
            case .leasesForGood: .ended
            case .givesUpSaving: .cancelledSaving
            case .sleepsOnWatch: .watching
            case .listsNothing: .listing
            }
        }
    }

    fileprivate let fault: Fault?
    fileprivate let contents = Lock((states: [AuthStateKey: StoredAuthState](), changes: UInt64(0)))
    private let queue = WaitingLine<String>()

    init(_ fault: Fault?) { self.fault = fault }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { contents.withLock { $0.states[place(key)] } }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let name = fault == .locksAllKeys ? "all" : place(key).rawValue
        let limit = Deadline(after: fault == .waitsOn ? .seconds(3600) : deadline, on: ContinuousClock())
        if fault != .locksNothing {
            do {
                try await queue.enter(name, until: limit, orThrow: AuthStateError.storeLocked(name))
            } catch is CancellationError {
                throw fault == .callsCancellationLocked
                    ? AuthStateError.storeLocked(name) as any Error : CancellationError()
            }
        }
        let lease = BrokenLease(store: self, key: place(key))
        do {
            let result = try await body(lease)
            end(lease, name)
            return result
        } catch {
            if fault != .keepsFailedLeases { end(lease, name) }
            throw fault == .changesErrors ? AuthStateError.storeLocked(name) : error
        }
    }

    func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        guard fault != .listsNothing, date > .now else { return [] }
        return contents.withLock { contents in
            contents.states.map { AuthStateEntry(key: $0, savedAt: .now, version: $1.version) }
        }
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { BrokenWatch(store: self) }

    private func end(_ lease: BrokenLease, _ name: String) {
        if fault != .leasesForGood { lease.isOver.withLock { $0 = true } }
        if fault != .locksNothing { queue.leave(name) }
    }

    private func place(_ key: AuthStateKey) -> AuthStateKey {
        fault == .foldsKeys ? AuthStateKey(rawValue: key.rawValue.lowercased()) : key
    }
}

private final class BrokenLease: AuthStateLease {
    let isOver = Lock(false)
    private let store: BrokenStore
    private let key: AuthStateKey

    init(store: BrokenStore, key: AuthStateKey) {
        self.store = store
        self.key = key
    }

    func load() async throws -> StoredAuthState? {
        try check()
        return store.contents.withLock { $0.states[key] }
    }

    func reserve() async throws {
        try check()
        if store.fault == .reservesByWriting { _ = change(to: Data()) }
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try check()
        if store.fault == .givesUpSaving { try Task.checkCancellation() }
        if store.fault != .overwrites { try compare(expecting) }
        let version = change(to: store.fault == .cutsArchives ? archive.prefix(4096) : archive)
        return store.fault == .inventsVersions ? StoredAuthState.Version(rawValue: "another") : version
    }

    func saveLast(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        if store.fault == .forgetsTheLast { return StoredAuthState.Version(rawValue: "forgotten") }
        return try await save(archive, expecting: expecting)
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try check()
        if try await load() == nil, store.fault != .missesWhatIsGone { return }
        if store.fault != .deletesAnything { try compare(expecting) }
        remove()
    }

    func discard() async throws {
        try check()
        if store.fault == .discardsOnlyWhatIsThere, try await load() == nil { throw AuthStateError.noUserIsLoggedIn }
        remove()
    }

    private func check() throws { if isOver.withLock({ $0 }) { throw AuthStateError.leaseEnded() } }

    private func compare(_ expected: StoredAuthState.Version?) throws {
        let found = store.contents.withLock { $0.states[key]?.version }
        do { try StoredAuthState.Version.check(found, isExpected: expected) } catch var error as AuthStateError {
            if store.fault == .hintsNothing { error.hint = nil }
            throw error
        }
    }

    private func remove() {
        store.contents.withLock { contents in
            contents.states[key] = nil
            contents.changes += 1
        }
    }

    private func change(to archive: Data) -> StoredAuthState.Version {
        store.contents.withLock { contents in
            contents.changes += 1
            let version = StoredAuthState.Version(rawValue: "\(contents.changes)")
            contents.states[key] = StoredAuthState(archive: archive, version: version)
            return version
        }
    }
}

private final class BrokenWatch: AuthStateWatch {
    private let store: BrokenStore
    init(store: BrokenStore) { self.store = store }
    var generation: UInt64 { store.fault == .sleepsOnWatch ? 0 : store.contents.withLock { $0.changes } }
}

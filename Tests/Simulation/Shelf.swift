import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// The store's contents under one key, and the oracle that watches them.
final class Shelf: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let key: AuthStateKey
    let oracle: Oracle
    /// Whether processes may watch.
    let isWatched: Bool
    /// The lease holder.
    var holder: SimulatedLease?
    /// Whether a holder died after `reserve`.
    var followsCrash = false
    /// Another number with each change: what a watch tells.
    private(set) var generation: UInt64 = 0
    /// The contents, and everything that was ever stored: by process where each has a store of its own, else in one
    /// place.
    private var contents: [Int: StoredAuthState] = [:]
    private var histories: [Int: [StoredAuthState]] = [:]
    private var versions = 0
    private let breakage: Breakage?

    init(_ key: AuthStateKey, _ plan: Plan, _ oracle: Oracle) {
        (self.key, self.oracle) = (key, oracle)
        (isWatched, breakage) = (plan.isWatched, plan.breakage)
    }

    private func place(_ process: Int) -> Int { breakage == .storeIsSplit ? process : 0 }

    func content(for process: Int) -> StoredAuthState? { contents[place(process)] }

    /// The stored record.
    func record(for process: Int) -> AuthState.Record? {
        content(for: process).flatMap { try? AuthStateArchive(data: $0.archive).record }
    }

    /// The content that was stored before.
    func previous(for process: Int) -> StoredAuthState? {
        let history = histories[place(process)] ?? []
        return contents[place(process)] == nil ? history.last : history.dropLast().last
    }

    func put(_ archive: Data?, by process: Int) {
        generation += 1
        versions += 1
        let content = archive.map { StoredAuthState(archive: $0, version: .init(rawValue: "v\(versions)")) }
        contents[place(process)] = content
        if let content { histories[place(process), default: []].append(content) }
    }

    /// Releases the lease of a process that died, as the kernel does.
    func release(heldBy process: Int) {
        guard let lease = holder, lease.process == process else { return }
        followsCrash = lease.hasReserved
        holder = nil
    }

    /// The lease ends before the work under it does, as that of a store for several machines can.
    func loseLease() {
        holder?.isLost = true
        holder = nil
    }

    static func error(_ code: AuthStateError.Code, _ message: String) -> AuthStateError {
        AuthStateError(code, stage: .store, message)
    }
}

import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the store has under one key, and the oracle that watches it.
final class Shelf: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let key: AuthStateKey
    let oracle: Oracle
    /// Whether processes may watch.
    let isWatched: Bool
    /// Who holds the lease.
    var holder: SimulatedLease?
    /// Whether a holder died after `reserve`.
    var followsCrash = false
    /// Another number with each change: what a watch tells.
    private(set) var generation: UInt64 = 0
    /// What is stored, and everything that ever was: by process where each has a store of its own, else in one place.
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

    /// What is stored, as a record.
    func record(for process: Int) -> AuthState.Record? {
        content(for: process).flatMap { try? AuthStateArchive(data: $0.archive).record }
    }

    /// What was stored before.
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

    /// What a process that died leaves: the kernel gives its lease back.
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

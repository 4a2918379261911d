import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension World {
    /// Waits for the schedule before a call of the store, and says what goes wrong with it.
    func call(_ process: Int, _ site: Fault.Site, _ what: String) async throws -> Fault.Kind? {
        let fault = fault(at: site)
        let isHanging = fault == .loadHangs || fault == .saveHangs
        _ = await scheduler.park(timeout: isHanging ? 60 : nil, onlyByTime: isHanging)
        if let fault {
            note(process, "\(what): \(fault.rawValue)")
            oracle.faulted(process, fault)
        }
        switch fault {
        case .loadFails: throw SimulatedStore.error(.storeUnreadable, "The simulated store cannot be read.")
        case .leaseFails: throw SimulatedStore.error(.storeLocked, "The simulated store cannot be locked.")
        case .reserveFails, .saveFailsBefore, .deleteFailsBefore:
            throw SimulatedStore.error(.storeUnwritable, "The simulated store cannot be written.")
        default: return fault
        }
    }

    func load(_ process: Int, isUnderLease: Bool = false) async throws -> StoredAuthState? {
        let what = isUnderLease ? "load under lease" : "load"
        oracle.loads(process)
        switch try await call(process, .load, what) {
        case .loadIsOld: store.put(store.history.dropLast().last?.archive ?? store.content?.archive)
        case .loadIsEmpty: store.put(nil)
        default: break
        }
        let content = store.content
        note(process, "\(what): \(describe(content))")
        // What was read may be old when it arrives.
        _ = await scheduler.park()
        oracle.loaded(process, content.flatMap { grant(in: $0.archive) }, isUnderLease: isUnderLease)
        return content
    }

    func acquireLease(_ process: Int, deadline: Double) async throws -> SimulatedLease {
        try Task.checkCancellation()
        _ = try await call(process, .lease, "withLease")
        var lease: SimulatedLease?
        let wake = await scheduler.park(timeout: deadline, isCancellable: true) { [store] in
            store.holder == nil
        } action: { [self] in
            let made = SimulatedLease(world: self, process: process, followsCrash: store.followsCrash)
            store.followsCrash = false
            store.holder = made
            lease = made
        }
        guard let lease else {
            if wake == .cancelled { throw CancellationError() }
            note(process, "withLease: locked until the deadline")
            throw SimulatedStore.error(.storeLocked, "Another process has the simulated store.")
        }
        note(process, "withLease: acquired")
        oracle.acquired(lease)
        return lease
    }

    func releaseLease(_ lease: SimulatedLease) {
        note(lease.process, lease.isLost ? "the work under the lost lease ends" : "lease released")
        oracle.released(lease)
        if store.holder === lease { store.holder = nil }
    }

    /// Writes or deletes; a lost lease does not hinder it as long as the version is the expected one.
    @discardableResult
    func write(
        _ archive: Data?, expecting: StoredAuthState.Version?, under lease: SimulatedLease
    ) async throws -> StoredAuthState.Version {
        let process = lease.process
        oracle.writes(process)
        let fault = try await call(process, archive == nil ? .delete : .save, archive == nil ? "delete" : "save")
        if archive == nil, store.content == nil { return StoredAuthState.Version(rawValue: "none") }
        guard store.content?.version == expecting else {
            note(process, "save: another version is stored")
            throw SimulatedStore.error(.storeConflict, "Another version is stored.")
        }
        store.put(archive)
        let version = store.content?.version ?? .init(rawValue: "none")
        lease.hasReserved = false
        note(process, archive == nil ? "delete" : "save \(describe(store.content))")
        oracle.wrote(archive.flatMap { try? AuthStateArchive(data: $0).record }, under: lease)
        _ = await scheduler.park()
        if fault == .saveFailsAfter || fault == .deleteFailsAfter {
            throw SimulatedStore.error(.storeUnwritable, "The simulated store failed after it wrote.")
        }
        return version
    }

    /// The grant whose tokens an archive holds.
    func grant(in archive: Data) -> Int? {
        TokenName((try? AuthStateArchive(data: archive))?.record.refreshToken)?.grant
    }

    private func describe(_ content: StoredAuthState?) -> String {
        guard let content, let record = try? AuthStateArchive(data: content.archive).record else { return "nothing" }
        let error = record.authorizationError.map { ", error \($0.code.rawValue)" } ?? ""
        return "\(content.version.rawValue), \(record.refreshToken ?? "no refresh token")\(error)"
    }
}

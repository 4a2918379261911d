import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

extension World {
    /// Waits for the schedule before a call of the store, and says what goes wrong with it.
    func call(_ process: Int, _ site: Fault.Site, _ what: String) async throws -> Fault.Kind? {
        let fault = fault(at: site, process)
        let isHanging = fault == .loadHangs || fault == .saveHangs
        let isStuck = plan.breakage == .storeNeverReturns && site == .save && isHarsh
        _ = await scheduler.park(
            timeout: isHanging && !isStuck ? 60 : nil, onlyByTime: isHanging || isStuck)
        if let fault {
            note(process, "\(what): \(fault.rawValue)")
            faulted(process, fault)
        }
        switch fault {
        case .loadFails: throw Shelf.error(.storeUnreadable, "The simulated store cannot be read.")
        case .leaseFails: throw Shelf.error(.storeLocked, "The simulated store cannot be locked.")
        case .reserveFails, .saveFailsBefore, .deleteFailsBefore:
            throw Shelf.error(.storeUnwritable, "The simulated store cannot be written.")
        default: return fault
        }
    }

    func load(_ shelf: Shelf, _ process: Int, isUnderLease: Bool = false) async throws -> StoredAuthState? {
        let what = isUnderLease ? "load under lease" : "load"
        shelf.oracle.loads(process)
        defer { shelf.oracle.endsLoad(process) }
        switch try await call(process, .load, what) {
        case .loadIsOld:
            shelf.put((shelf.previous(for: process) ?? shelf.content(for: process))?.archive, by: process)
        case .loadIsEmpty: shelf.put(nil, by: process)
        default: break
        }
        let content = shelf.content(for: process)
        note(process, "\(what)\(name(of: shelf)): \(describe(content))")
        // The content that was read may be old when it arrives.
        _ = await scheduler.park()
        shelf.oracle.loaded(process)
        if content == nil, isUnderLease { shelf.oracle.foundNothing(process) }
        if isHarsh, !isUnderLease, plan.breakage == .readsAreOld {
            return shelf.previous(for: process) ?? content
        }
        return content
    }

    func acquireLease(_ shelf: Shelf, _ process: Int, deadline: Double) async throws -> SimulatedLease {
        try Task.checkCancellation()
        _ = try await call(process, .lease, "withLease")
        var lease: SimulatedLease?
        let excludesNone = plan.breakage == .leaseExcludesNone
        let wake = await scheduler.park(timeout: deadline, isCancellable: true) {
            shelf.holder == nil || excludesNone
        } action: { [self] in
            let made = SimulatedLease(self, shelf, process)
            shelf.followsCrash = false
            shelf.holder = made
            lease = made
        }
        guard let lease else {
            if wake == .cancelled { throw CancellationError() }
            note(process, "withLease: locked until the deadline")
            journal.excuse(.failedLoad)
            throw Shelf.error(.storeLocked, "Another process has the simulated store.")
        }
        note(process, "withLease\(name(of: shelf)): acquired")
        shelf.oracle.acquired(lease)
        return lease
    }

    func releaseLease(_ lease: SimulatedLease) {
        note(lease.process, lease.isLost ? "the work under the lost lease ends" : "lease released")
        lease.shelf.oracle.released(lease)
        if lease.shelf.holder === lease { lease.shelf.holder = nil }
    }

    /// Writes or deletes; a lost lease does not hinder it as long as the version is the expected one.
    @discardableResult
    func write(
        _ archive: Data?, expecting: StoredAuthState.Version?, under lease: SimulatedLease
    ) async throws -> StoredAuthState.Version {
        let (process, shelf) = (lease.process, lease.shelf)
        let fault = try await call(process, archive == nil ? .delete : .save, archive == nil ? "delete" : "save")
        if plan.breakage == .storeIsReadOnly, process == 1 {
            throw Shelf.error(.storeUnwritable, "The simulated store is read only.")
        }
        let content = shelf.content(for: process)
        if archive == nil, content == nil { return StoredAuthState.Version(rawValue: "none") }
        guard content?.version == expecting || plan.breakage == .leaseExcludesNone else {
            note(process, "save: another version is stored")
            throw Shelf.error(.storeConflict, "Another version is stored.")
        }
        if isDropped(archive) { return expecting ?? .init(rawValue: "none") }
        shelf.put(archive, by: process)
        let version = shelf.content(for: process)?.version ?? .init(rawValue: "none")
        lease.hasReserved = false
        note(process, archive == nil ? "delete" : "save \(describe(shelf.content(for: process)))")
        shelf.oracle.wrote(archive.flatMap { try? AuthStateArchive(data: $0).record }, under: lease)
        _ = await scheduler.park()
        if fault == .saveFailsAfter || fault == .deleteFailsAfter {
            throw Shelf.error(.storeUnwritable, "The simulated store failed after it wrote.")
        }
        return version
    }

    /// Whether the store only says that it wrote.
    private func isDropped(_ archive: Data?) -> Bool {
        isHarsh && archive != nil && plan.breakage == .savesAreDropped
    }

    private func name(of shelf: Shelf) -> String { plan.keys.count > 1 ? " of \(shelf.key)" : "" }

    private func describe(_ content: StoredAuthState?) -> String {
        guard let content, let record = try? AuthStateArchive(data: content.archive).record else { return "nothing" }
        let error = record.authorizationError.map { ", error \($0.code.rawValue)" } ?? ""
        let registration = record.lastRegistrationResponse?.registrationAccessToken.map { ", \($0)" } ?? ""
        let token = record.refreshToken ?? record.lastTokenResponse?.accessToken
        return "\(content.version.rawValue), \(token ?? "no tokens")\(registration)\(error)"
    }
}

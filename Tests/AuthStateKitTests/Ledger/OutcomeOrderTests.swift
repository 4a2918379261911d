import AuthStateFoundation
import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// Operations on the store that end late, or beside others; `LedgerTests` has the rules by themselves.
struct OutcomeOrderTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `a login stays later than what it finds although another save failed while it waited`() async throws {
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.hold(.load, at: gate)
        let login = Task { try await state.update(with: fixture.login("login")) }
        await gate.arrivals()
        let wish = Task { try await state.setNeedsTokenRefresh() }
        wish.cancel()
        _ = await wish.result
        // Another process's clock is an hour ahead.
        let later = fixture.clock.date.addingTimeInterval(3600)
        let theirs = fixture.record.applying(.loggedOut, at: fixture.record.nextStamp(at: later))
        store.overwrite(try AuthStateArchive(theirs).data())
        store.hold(.load, at: nil)
        gate.open()
        _ = await login.result
        #expect(state.record.accessToken == "SECRET-login")
    }

    @Test func `a first login that could not be saved gives way to a later one`() async throws {
        let store = FaultyStore()
        store.fail(.save)
        let mine = await fixture.place(store)
            .state(AuthState.Record(fixture.record.client), .loggedIn(nil, fixture.login("mine")))
        #expect(mine.status.storeError != nil && mine.record.accessToken == "SECRET-mine")
        store.fail()
        fixture.clock.advance(by: .seconds(10))
        try await fixture.state(store: store).update(with: fixture.login("theirs"))
        try await mine.save()
        #expect(mine.record.accessToken == "SECRET-theirs")
        #expect(try await store.inner.login()?.accessToken == "SECRET-theirs")
    }

    @Test("tokens that a login replaces are not delivered once the login is stored, although its save has not returned")
    func ownSaveSeen() async throws {
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        try await state.save()
        #expect(try await state.freshTokens().accessToken == "SECRET-access-0")
        store.hold(.written, at: gate)
        let login = Task { try await state.update(with: fixture.login("login")) }
        await gate.arrivals()
        fixture.clock.advance(by: .seconds(61))
        #expect(try await bounded { try await state.freshTokens() }.accessToken == "SECRET-login")
        gate.open()
        try await login.value
        #expect(state.record.accessToken == "SECRET-login" && state.status.storeError == nil)
    }

    @Test("a save that returns after its lease was lost does not hide what was stored since", arguments: [true, false])
    func lateSave(isRead: Bool) async throws {
        let (store, gate) = (LeaselessStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.holdNextWritten(at: gate)
        let late = Task { try await state.update(with: fixture.login("late")) }
        await gate.arrivals()
        let other = try await AuthState.restore(at: fixture.place(store))
        fixture.clock.advance(by: .seconds(10))
        try await other.update(with: fixture.login("other"))
        if isRead { try await state.catchUp() }
        gate.open()
        _ = await late.result
        try await state.catchUp()
        // The two logins overlap: one that has not returned is later than what it finds.
        #expect(state.record.accessToken == (isRead ? "SECRET-late" : "SECRET-other"))
        #expect(await state.ledger.version == store.version)
        // A removal is noticed, and the login does not come back.
        store.removeAll()
        try await state.catchUp()
        try await state.save()
        #expect(state.record.isLoggedOut && store.version == nil)
    }

    @Test("a reading under the lease that the end of an older save overtakes is repeated")
    func overtakenReading() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        let (store, saveGate, loadGate) = (LeaselessStore(), ScriptedTransport.Gate(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.holdNextWritten(at: saveGate)
        let late = Task { try await state.update(with: fixture.login("late")) }
        await saveGate.arrivals()
        let other = try await AuthState.restore(at: fixture.place(store))
        _ = try await other.refresh()
        store.holdNextLoad(at: loadGate)
        let caller = Task { try await state.refresh() }
        await loadGate.arrivals()
        saveGate.open()
        try await late.value
        loadGate.open()
        #expect(try await caller.value.accessToken == "SECRET-access-2")
        #expect(fixture.spent == ["SECRET-late-refresh", "SECRET-refresh-1"])
    }

    @Test func `a look is repeated when the reading of the process's own login ends first`() async throws {
        let (store, loadGate, saveGate, lookGate) = (
            LeaselessStore(), ScriptedTransport.Gate(), ScriptedTransport.Gate(), ScriptedTransport.Gate()
        )
        let state = fixture.state(store: store)
        try await state.update(with: fixture.login("former"))
        store.holdNextLoad(at: loadGate)
        store.holdNextSave(at: saveGate)
        let login = Task { try await state.update(with: fixture.login("login")) }
        await loadGate.arrivals()
        // Removed after the login has read it, and before it is taken in.
        store.removeAll()
        store.holdNextLook(at: lookGate)
        fixture.clock.advance(by: .seconds(2))
        let caller = Task { try await state.freshTokens() }
        await lookGate.arrivals()
        loadGate.open()
        await saveGate.arrivals()
        lookGate.open()
        #expect(try await bounded { try await caller.value }.accessToken == "SECRET-login")
        saveGate.open()
        try await login.value
    }

    @Test func `a record that was removed does not come back with a look that had begun before`() async throws {
        let (contents, gate) = (InMemoryAuthStateStore(), ScriptedTransport.Gate())
        let store = WatchedStore(contents)
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        try await state.clear()
        store.hold(at: gate)
        let look = Task { try await state.reload() }
        await gate.arrivals()
        try await state.forgetLogout()
        store.hold(at: nil)
        gate.open()
        try await look.value
        #expect(await state.ledger.version == nil)
        try await state.update(with: fixture.login("login"))
        #expect(try await contents.login()?.accessToken == "SECRET-login")
    }

    @Test(
        "a refusal of the former login's token is not thrown when a login came while it was stored",
        arguments: [true, false])
    func refusedBesideLogin(isExplicit: Bool) async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant"), Fixture.tokens(2)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        store.hold(.save, at: gate)
        let caller = Task { try await isExplicit ? state.refresh() : state.freshTokens() }
        await gate.arrivals()
        let login = Task { try await state.update(with: fixture.login("login")) }
        try await eventually { fixture.transport.requests.count == 1 }
        while await state.newest.accessToken != "SECRET-login" { await Task.yield() }
        store.hold(.save, at: nil)
        gate.open()
        #expect(try await caller.value.accessToken == (isExplicit ? "SECRET-access-2" : "SECRET-login"))
        try await login.value
    }
}

/// A store whose leases are lost at once: any number of holders, and only the version protects what is stored.
private final class LeaselessStore: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }

    private struct Contents {
        var stored: StoredAuthState?
        var saves = 0
        var gate: ScriptedTransport.Gate?
        var saveGate: ScriptedTransport.Gate?
        var loadGate: ScriptedTransport.Gate?
        var lookGate: ScriptedTransport.Gate?
    }
    private let contents = Lock(Contents())

    var version: StoredAuthState.Version? { contents.withLock { $0.stored?.version } }
    func removeAll() { contents.withLock { $0.stored = nil } }
    /// Holds the next save at this gate when it has written.
    func holdNextWritten(at gate: ScriptedTransport.Gate) { contents.withLock { $0.gate = gate } }

    /// Holds the next reading under a lease at this gate when it has read.
    func holdNextLoad(at gate: ScriptedTransport.Gate) { contents.withLock { $0.loadGate = gate } }

    /// Holds the next reading without a lease at this gate when it has read.
    func holdNextLook(at gate: ScriptedTransport.Gate) { contents.withLock { $0.lookGate = gate } }
    func holdNextSave(at gate: ScriptedTransport.Gate) { contents.withLock { $0.saveGate = gate } }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let (stored, gate) = contents.withLock { ($0.stored, $0.lookGate.take()) }
        try await gate?.pass()
        return stored
    }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await body(Lease(store: self))
    }

    private func replace(
        _ expected: StoredAuthState.Version?, with archive: Data?
    ) throws -> (StoredAuthState?, ScriptedTransport.Gate?) {
        try contents.withLock { contents in
            guard contents.stored?.version == expected else {
                throw AuthStateError(.storeConflict, stage: .store, "Another version is stored.")
            }
            contents.saves += 1
            contents.stored = archive.map {
                StoredAuthState(archive: $0, version: .init(rawValue: "v\(contents.saves)"))
            }
            return (contents.stored, contents.gate.take())
        }
    }

    private struct Lease: AuthStateLease {
        let store: LeaselessStore

        func load() async throws -> StoredAuthState? {
            let (stored, gate) = store.contents.withLock { ($0.stored, $0.loadGate.take()) }
            try await gate?.pass()
            return stored
        }
        func reserve() async throws {}
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try await store.contents.withLock { $0.saveGate.take() }?.pass()
            let (stored, gate) = try store.replace(expecting, with: archive)
            try await gate?.pass()
            return try #require(stored).version
        }
        func delete(expecting: StoredAuthState.Version?) async throws { _ = try store.replace(expecting, with: nil) }
        func discard() async throws { store.removeAll() }
    }
}

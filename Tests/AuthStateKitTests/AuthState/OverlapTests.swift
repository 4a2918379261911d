import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

/// Overlaps of two processes, or of two calls, that a simulation of their schedules found to lose or undo something.
struct OverlapTests {
    private let fixture: Fixture
    private let store = FaultyStore()

    init() throws { fixture = try Fixture() }

    private func restored(_ store: any AuthStateStore, _ fixture: Fixture) async throws -> AuthState {
        try await AuthState.restore(at: fixture.place(store))
    }

    @Test func `a reading that began during a login does not bring the old grant back`() async throws {
        let contents = FaultyStore()
        let (reading, saving) = (ScriptedTransport.Gate(), ScriptedTransport.Gate())
        let store = HeldReadings(contents, at: reading)
        let state = AuthState(fixture.record, service: fixture.service, store: store, options: fixture.options)
        try await state.setNeedsTokenRefresh()
        contents.hold(.save, at: saving)
        let login = fixture.login("new")
        let update = Task { try await state.update(with: login) }
        await saving.arrivals()
        let reload = Task { try await state.reload() }
        await reading.arrivals()
        saving.open()
        try await bounded { try await update.value }
        reading.open()
        try await bounded { try await reload.value }
        #expect(state.record.accessToken == "SECRET-new")
        #expect(try await state.freshTokens().accessToken == "SECRET-new")
    }

    @Test func `a reading that found nothing before the first save does not end the grant`() async throws {
        let reading = ScriptedTransport.Gate()
        let store = HeldReadings(FaultyStore(), at: reading)
        let state = AuthState(fixture.record, service: fixture.service, store: store, options: fixture.options)
        let reload = Task { try await state.reload() }
        await reading.arrivals()
        let login = fixture.login("new")
        try await bounded { try await state.update(with: login) }
        reading.open()
        try await bounded { try await reload.value }
        #expect(state.record.accessToken == "SECRET-new" && !state.record.isLoggedOut)
    }

    @Test("a login that was written although its save failed stays ended, once another process has logged it out")
    func writtenThenLoggedOut() async throws {
        let mine = fixture.state(store: store)
        store.failAfterSaving(thenLoads: true)
        let login = fixture.login("mine")
        #expect(await authError { try await mine.update(with: login) }?.kind == .store)
        store.fail()
        try await restored(store.inner, fixture).clear()
        try await mine.save()
        #expect(!mine.isAuthorized && mine.status.storeError == nil)
        #expect(try await store.inner.login() == nil)
    }

    @Test func `an unsaved login does not come back after a later login and logout of another process`() async throws {
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        store.fail(.save)
        let login = fixture.login("mine")
        #expect(await authError { try await mine.update(with: login) }?.kind == .store)
        fixture.clock.advance(by: .seconds(10))
        try await theirs.update(with: fixture.login("theirs"))
        try await theirs.clear()
        store.fail()
        try await mine.save()
        #expect(!mine.isAuthorized && mine.status.storeError == nil)
        #expect(try await store.inner.login() == nil)
    }

    @Test(
        "a login or logout during a renewal is saved with it: no other process spends the old refresh token",
        arguments: [true, false])
    func duringRenewal(isLogin: Bool) async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))], then: Fixture.tokens(9))
        let store = InMemoryAuthStateStore()
        let mine = fixture.state(store: store)
        try await mine.setNeedsTokenRefresh()
        let theirs = try await restored(store, fixture)
        let renewal = Task { await authError { try await mine.freshTokens() } }
        await gate.arrivals()
        // The other process is the next in the line for the lease, before the login here.
        let other = Task { try? await theirs.refresh() }
        try await eventually { store.waiterCount(.default) == 1 }
        let login = fixture.login("mine")
        let change = Task { if isLogin { try await mine.update(with: login) } else { try await mine.clear() } }
        try await eventually { store.waiterCount(.default) == 2 }
        gate.open()
        _ = try await bounded { await renewal.value }
        _ = try await bounded { await other.value }
        try await bounded { try await change.value }
        #expect(fixture.spent.filter { $0 == "SECRET-refresh-0" }.count == 1)
        #expect(try await store.login()?.isAuthorized == (isLogin ? true : nil))
    }

    @Test func `a logout leaves no error of the store behind, once it is stored`() async throws {
        let state = fixture.state(store: store)
        store.fail(.save)
        #expect(await authError { try await state.setNeedsTokenRefresh() }?.kind == .store)
        store.fail()
        try await state.clear()
        #expect(state.status.storeError == nil && !state.isAuthorized)
    }

    @Test func `a failed save leaves no error behind when another save has included its change`() async throws {
        let state = fixture.state()
        try await state.setNeedsTokenRefresh()
        // The save fails, and the next one has saved everything before the failure is reported.
        await state.change { $0.saveFailed(AuthStateError(.storeUnwritable, stage: .store, "disk full")) }
        #expect(state.status.storeError == nil && state.isEvictable)
    }

    @Test func `tokens that are being saved are not shown by a call that is cancelled meanwhile`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        store.hold(.save, at: gate)
        let renewal = Task { try await state.refresh() }
        await gate.arrivals()
        let revocation = Task { try await state.revoke() }
        revocation.cancel()
        _ = await revocation.result
        #expect(state.tokensIfFresh()?.accessToken == "SECRET-access-0")
        gate.open()
        #expect(try await bounded { try await renewal.value }.accessToken == "SECRET-access-1")
        #expect(state.tokensIfFresh()?.accessToken == "SECRET-access-1")
    }

    @Test func `a store that hung once is asked again soon, and a logout of another process is seen`() async throws {
        let contents = InMemoryAuthStateStore()
        let gate = ScriptedTransport.Gate()
        let saved = fixture.state(store: contents)
        try await saved.update(with: fixture.login("old"))
        let store = WatchedStore(contents)
        let state = try await restored(store, fixture)
        fixture.clock.advance(by: .seconds(61))
        store.hold(at: gate)
        let caller = Task { try await state.freshTokens() }
        try await bounded { await fixture.clock.sleepers(within: .seconds(5)) }
        fixture.clock.advance(by: .seconds(6))
        #expect(try await bounded { try await caller.value }.accessToken == "SECRET-old")
        store.hold(at: nil)
        gate.open()
        try await saved.clear()
        fixture.clock.advance(by: .seconds(6))
        #expect(await authError { try await state.freshTokens() }?.code == .notLoggedIn)
    }

    @Test func `a renewal is not repeated once the lease is lost`() async throws {
        var fixture = try Fixture()
        fixture.options.renewalRetries = 2
        let state = fixture.state(store: store)
        fixture.transport.enqueue(
            .dynamic { _ in
                store.fail(.reserve)
                return TransportResponse(status: 503)
            })
        fixture.transport.enqueue(Fixture.tokens(1))
        let caller = Task { await authError { try await state.refresh() } }
        let clock = fixture.clock
        try await bounded { await clock.sleepers(within: .seconds(1)) }
        clock.advance(by: .seconds(1))
        #expect(try await bounded { await caller.value }?.kind == .transient)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("tokens that expired while they were saved are renewed once more for the callers that had joined")
    func expiredWhileSaving() async throws {
        var fixture = try Fixture([Fixture.tokens(1, expiresIn: 10)], then: Fixture.tokens(2))
        let (store, gate, log) = (FaultyStore(), ScriptedTransport.Gate(), EventLog())
        fixture.options.observer = log
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        store.hold(.save, at: gate)
        let first = Task { try await state.freshTokens().accessToken }
        await gate.arrivals()
        let second = Task { try await state.freshTokens().accessToken }
        try await eventually { log.events.contains(.tokensRequested(joined: true)) }
        fixture.clock.advance(by: .seconds(20))
        gate.open()
        #expect(try await bounded { try await first.value } == "SECRET-access-1")
        #expect(try await bounded { try await second.value } == "SECRET-access-2")
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `a caller with a fresh token does not wait for a renewal that another caller asked for`() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state(store: WatchedStore(InMemoryAuthStateStore(), tells: false))
        let renewal = Task { try await state.refresh() }
        await gate.arrivals()
        // The state in memory no longer counts as the stored one.
        fixture.clock.advance(by: .seconds(2))
        #expect(try await bounded { try await state.freshTokens() }.accessToken == "SECRET-access-0")
        gate.open()
        #expect(try await bounded { try await renewal.value }.accessToken == "SECRET-access-1")
    }

    @Test(
        "a refusal of an older refresh token, stored by another process, gives way to the newer one that is saved here")
    func refusalOfTheOlder() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.error("invalid_grant")])
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        store.fail(.save)
        _ = try await mine.freshTokens(RenewalParameters(scopes: ["mail"]))
        fixture.clock.advance(by: .seconds(10))
        #expect(await authError { try await theirs.refresh() }?.code == .invalidGrant)
        store.fail()
        try await mine.save()
        #expect(mine.record.refreshToken == "SECRET-refresh-1" && mine.authorizationError == nil)
        #expect(try await store.inner.login()?.authorizationError == nil)
    }

    @Test("a login stands after a logout of a machine whose clock is an hour ahead", arguments: [true, false])
    func clockAhead(isNew: Bool) async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        var ahead = try Fixture()
        ahead.record = fixture.record
        ahead.clock.advance(by: .seconds(3600))
        let store = InMemoryAuthStateStore()
        let mine = fixture.state(store: store)
        try await mine.setNeedsTokenRefresh()
        try await restored(store, ahead).clear()
        if isNew {
            let state = try await AuthState.logIn(
                .clientCredentials(Client(fixture.record.client.provider, id: "client")), at: fixture.place(store))
            #expect(state.isAuthorized && state.record.accessToken == "SECRET-access-1")
        } else {
            try await mine.update(with: fixture.login("mine"))
            #expect(mine.isAuthorized && mine.record.accessToken == "SECRET-mine")
        }
        #expect(try await store.login()?.isAuthorized == true)
    }

    @Test("a login that waits for the store stands, although a reading before finds a logout whose clock is ahead")
    func clockAheadWhileWaiting() async throws {
        var ahead = try Fixture()
        ahead.record = fixture.record
        ahead.clock.advance(by: .seconds(3600))
        let store = InMemoryAuthStateStore()
        let mine = fixture.state(store: store)
        try await mine.setNeedsTokenRefresh()
        let (login, other) = (fixture.login("mine"), try await restored(store, ahead))
        let gate = ScriptedTransport.Gate()
        let holder = Task {
            try await store.withLease(.default, deadline: .seconds(30)) { lease in
                try await gate.pass()
                let stored = try await lease.load()
                let ended = other.record.applying(.loggedOut, at: await other.stampNow())
                _ = try await lease.save(AuthStateArchive(ended).data(), expecting: stored?.version)
                try await mine.reload()
            }
        }
        await gate.arrivals()
        let change = Task { try await mine.update(with: login) }
        try await eventually { store.waiterCount(.default) == 1 }
        gate.open()
        try await bounded { try await holder.value }
        try await bounded { try await change.value }
        #expect(mine.record.accessToken == "SECRET-mine")
        #expect(try await store.login()?.accessToken == "SECRET-mine")
    }

    @Test func `a login that begins while an unsaved logout deletes the state is saved`() async throws {
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        store.fail(.save)
        store.hold(.delete, at: gate)
        let logout = Task { try await state.clear() }
        await gate.arrivals()
        store.fail()
        let login = fixture.login("new")
        let update = Task { try await state.update(with: login) }
        try await eventually { store.inner.waiterCount(.default) == 1 }
        gate.open()
        try await bounded { try await logout.value }
        try await bounded { try await update.value }
        #expect(try await store.inner.login()?.accessToken == "SECRET-new")
        #expect(state.record.accessToken == "SECRET-new" && state.status.storeError == nil)
    }

    @Test func `tokens that are being saved are not shown by a save that is cancelled meanwhile`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let state = fixture.state(store: store)
        store.hold(.save, at: gate)
        let renewal = Task { try await state.refresh() }
        await gate.arrivals()
        let save = Task { try await state.save() }
        save.cancel()
        _ = await save.result
        #expect(state.tokensIfFresh()?.accessToken == "SECRET-access-0")
        gate.open()
        #expect(try await bounded { try await renewal.value }.accessToken == "SECRET-access-1")
        #expect(state.tokensIfFresh()?.accessToken == "SECRET-access-1" && state.status.storeError == nil)
    }

    @Test func `a logout that cannot read the store leaves a registration that may be newer there`() async throws {
        var fixture = try Fixture()
        let answer = TransportResponse(
            status: 201, headers: ["Content-Type": "application/json"], body: Data(#"{"client_id":"client"}"#.utf8))
        fixture.record = fixture.record.applying(.registrationChanged(try RegistrationResponse(answer)))
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        let before = try await store.inner.load(.default)
        store.failOnce(.load)
        #expect(await authError { try await state.clear() }?.kind == .store)
        #expect(try await store.inner.load(.default) == before && !state.isAuthorized)
        try await state.save()
        #expect(try await store.inner.login() == nil)
    }

    @Test func `forgetLogout() begins nothing new, and leaves a program's client alone`() async throws {
        let store = InMemoryAuthStateStore()
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store))
        try await mine.clear()
        #expect(try await store.load(.default) == nil, "nothing was stored")
        try await mine.update(with: fixture.login("mine"))
        try await theirs.reload()
        try await theirs.clear()
        try await mine.reload()
        let before = mine.record
        let program = AuthState(
            AuthState.Record(Client(fixture.record.client.provider, id: "successor")),
            service: fixture.service, store: store)
        try await program.reload()
        #expect(program.record.client.id == "successor")
        try await theirs.forgetLogout()
        try await mine.reload()
        #expect(mine.record == before && mine.record.isForgettable)
    }

    @Test("a logout elsewhere is noticed while a transaction here has the lease and waits for its reading")
    func noticedBeforeReading() async throws {
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        try await mine.setNeedsTokenRefresh()
        try await theirs.reload()
        try await theirs.clear()
        fixture.clock.advance(by: .seconds(30))
        store.hold(.load, at: gate)
        let transaction = Task { try await mine.catchUp() }
        await gate.arrivals()
        try await bounded { try await mine.notice() }
        #expect(!mine.isAuthorized)
        gate.open()
        try await bounded { try await transaction.value }
    }

    @Test("tokens that another process stored are shown at once, also while a change is saved here")
    func adoptedWhileSaving() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        let (mine, theirs) = (fixture.state(store: store), fixture.state(store: store.inner))
        _ = try await theirs.refresh()
        store.hold(.save, at: gate)
        let change = Task { try await mine.setNeedsTokenRefresh() }
        await gate.arrivals()
        #expect(mine.record.accessToken == "SECRET-access-1" && !mine.status.needsTokenRefresh)
        gate.open()
        try await bounded { try await change.value }
        #expect(mine.status.needsTokenRefresh)
    }
}

/// A store whose loads without a lease read first and then wait at a gate.
private struct HeldReadings: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }
    let inner: FaultyStore
    let gate: ScriptedTransport.Gate
    init(_ inner: FaultyStore, at gate: ScriptedTransport.Gate) { (self.inner, self.gate) = (inner, gate) }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let stored = try await inner.load(key)
        try await gate.pass()
        return stored
    }
    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await inner.withLease(key, deadline: deadline, whileWaiting: look, body) }
}

import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// A store that fails, is locked or loses its contents between two readings, while other processes log in and out.
struct StoreTroubleTests {
    private let fixture: Fixture
    private let store = FaultyStore()
    private let mine: AuthState
    /// A state that does not wait for the lease.
    private let impatient: AuthState

    init() throws {
        var fixture = try Fixture()
        self.fixture = fixture
        mine = fixture.state(store: store)
        fixture.options.leaseDeadline = .zero
        impatient = fixture.state(store: store)
    }

    private func logIn(_ state: AuthState, _ token: String) async throws {
        try await state.update(with: fixture.response(token, refreshToken: "SECRET-refresh-of-\(token)"))
    }

    @Test("a login whose save failed after writing, and that was then found stored, ends when the state is removed")
    func loginFoundStored() async throws {
        let gate = ScriptedTransport.Gate()
        fixture.transport.enqueue(
            .dynamic { _ in
                try await gate.pass()
                return TransportResponse(status: 503)
            })
        try await mine.setNeedsTokenRefresh()
        let renewal = Task { [mine] in try await mine.freshTokens().accessToken }
        await gate.arrivals()
        let login = Task { try await logIn(mine, "SECRET-bob") }
        try await bounded { while await mine.newest.accessToken != "SECRET-bob" { await Task.yield() } }
        store.failAfterSaving()
        gate.open()
        #expect(try await bounded { try await renewal.value } == "SECRET-bob")
        try await bounded { try await login.value }
        #expect(try await store.inner.record()?.accessToken == "SECRET-bob")
        try await store.inner.withLease(.default, deadline: .seconds(1)) { try await $0.discard() }
        try await mine.reload()
        #expect(!mine.isAuthorized)
        try await mine.save()
        #expect(try await store.inner.record() == nil)
    }

    @Test(
        "a logout leaves a later login stored when its own reading fails",
        arguments: [AuthStateError.Code.storeUnwritable, .storeUnreadable, .storeReadOnly, .storeCorrupt])
    func logoutThatCannotRead(_ code: AuthStateError.Code) async throws {
        try await mine.setNeedsTokenRefresh()
        let (before, after) = (ScriptedTransport.Gate(), ScriptedTransport.Gate())
        let elsewhere = Task { [store, fixture] in
            try await store.inner.withLease(.default, deadline: .seconds(10)) { lease in
                try await before.pass()
                let login = fixture.response("SECRET-bob", refreshToken: "SECRET-bob-1")
                var record = fixture.record.applying(
                    .tokens(login), at: fixture.record.nextStamp(at: fixture.clock.date))
                var version = try await lease.load()?.version
                version = try await lease.save(AuthStateArchive(record).data(), expecting: version)
                try await after.pass()
                record = record.applying(
                    .rotated(refreshToken: "SECRET-bob-2"), at: record.nextStamp(at: fixture.clock.date))
                _ = try await lease.save(AuthStateArchive(record).data(), expecting: version)
            }
        }
        try await bounded { await before.arrivals() }
        let logout = Task { [mine] in await mine.logOut(.everywhere()) }
        try await bounded { while await !mine.newest.isLoggedOut { await Task.yield() } }
        fixture.clock.advance(by: .seconds(1))
        before.open()
        try await bounded { await after.arrivals() }
        try await mine.reload()
        #expect(mine.record.accessToken == "SECRET-bob")
        store.setCode(code)
        store.failOnce(.load)
        after.open()
        try await bounded { try await elsewhere.value }
        #expect(try await bounded { await logout.value }.failures.map(\.code) == [code])
        #expect(try await store.inner.record()?.refreshToken == "SECRET-bob-2")
    }

    @Test("while the lease is not to be had, a caller gets the tokens of the login that is stored", arguments: [1, 2])
    func lockedStore(_ callers: Int) async throws {
        let theirs = fixture.state(store: store.inner)
        try await logIn(theirs, "SECRET-ada")
        try await impatient.reload()
        fixture.clock.advance(by: .seconds(3550))
        try await logIn(theirs, "SECRET-bob")
        #expect(try await whileLocked(callers) == Array(repeating: "SECRET-bob", count: callers))
    }

    @Test("while the lease is not to be had, a caller gets no token of a login that ended elsewhere")
    func lockedAfterLogout() async throws {
        let theirs = fixture.state(store: store.inner)
        try await logIn(theirs, "SECRET-ada")
        try await impatient.reload()
        fixture.clock.advance(by: .seconds(3550))
        try await theirs.clear()
        #expect(await authError { try await whileLocked(1) }?.code == .notLoggedIn)
    }

    /// Asks for tokens while another process holds the lease for longer than this one waits.
    private func whileLocked(_ callers: Int) async throws -> [String] {
        let gate = ScriptedTransport.Gate()
        let holder = Task { [store] in
            try await store.inner.withLease(.default, deadline: .seconds(10)) { _ in try await gate.pass() }
        }
        try await bounded { await gate.arrivals() }
        let tasks = (0..<callers).map { _ in Task { [impatient] in try await impatient.freshTokens().accessToken } }
        var tokens: [String] = []
        defer { gate.open() }
        for task in tasks { tokens.append(try await bounded { try await task.value }) }
        gate.open()
        try await bounded { try await holder.value }
        return tokens
    }

    @Test func `no refresh token is spent after a login whose save has failed twice`() async throws {
        fixture.transport.enqueue(Fixture.tokens(1))
        try await mine.setNeedsTokenRefresh()
        store.fail(.save)
        #expect(await authError { try await logIn(mine, "SECRET-bob") }?.kind == .store)
        fixture.clock.advance(by: .seconds(3700))
        #expect(await authError { try await mine.freshTokens() }?.code == .storeUnwritable)
        #expect(fixture.spent == [])
        store.fail()
        #expect(try await mine.freshTokens().accessToken == "SECRET-access-1")
        #expect(try await store.inner.record()?.refreshToken == "SECRET-refresh-1")
    }
}

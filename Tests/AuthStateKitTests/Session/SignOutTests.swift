import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateApp
@testable import AuthStateKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct SignOutTests {
    @Test("a sign-out forgets the login here, revokes the tokens, and ends the session at the provider")
    func signOut() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        #expect(await fixture.core.signOut() == LogoutOutcome(removal: .done, revocation: .done, session: .ended))
        #expect(fixture.state == AuthSessionState() && fixture.core.authState == nil)
        #expect(try await fixture.stored() == nil)
        #expect(fixture.provider.provider.requestCount(.revocation) == 2)
        #expect(fixture.provider.provider.requestCount(.endSession) == 1)
    }

    @Test("a sign-out can leave the provider's session alone, and is done at once when no user is logged in")
    func here() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        #expect(await fixture.core.signOut(endingProviderSession: false).session == .notNeeded)
        #expect(fixture.provider.provider.requestCount(.endSession) == 0)
        let nothing = LogoutOutcome(removal: .notNeeded, revocation: .notNeeded, session: .notNeeded)
        #expect(await fixture.core.signOut() == nothing)
    }

    @Test func `a sign-out shows no user from the first moment, and concurrent calls share it`() async throws {
        let agent = HeldUserAgent(isOpen: true)
        let fixture = try await SessionFixture(agent: agent)
        try await fixture.core.signIn()
        let gate = ScriptedTransport.Gate()
        fixture.provider.provider.inject(.held(gate), at: .revocation)
        let first = Task { await fixture.core.signOut() }
        try await eventually { fixture.provider.provider.requestCount(.revocation) == 1 }
        #expect(!fixture.state.isAuthenticated && fixture.state.activity == .signingOut)
        let second = Task { await fixture.core.signOut() }
        // A sign-in that begins now waits for the end of the sign-out.
        let login = Task { try await fixture.core.signIn(loginHint: "bob") }
        gate.open()
        #expect(await first.value == second.value)
        #expect(try await login.value.name == "Bob Frank")
        #expect(fixture.provider.provider.requestCount(.endSession) == 1)
        #expect(try await fixture.stored()?.isAuthorized == true)
    }

    @Test("a user who comes back from the provider's page without its answer can sign in again")
    func abandoned() async throws {
        let first = try await SessionFixture()
        try await first.core.signIn()
        let agent = HeldUserAgent()
        let fixture = try await first.restarted(agent: agent)
        await fixture.core.restore()
        let logout = Task { await fixture.core.signOut() }
        await agent.gate.arrivals()
        #expect(!fixture.state.isLoading && !fixture.state.isAuthenticated)
        let login = Task { try await fixture.core.signIn(loginHint: "bob") }
        let outcome = try await bounded { await logout.value }
        #expect(outcome.removal == .done && outcome.revocation == .done && outcome.failures.map(\.code) == [.cancelled])
        agent.gate.open()
        #expect(try await bounded { try await login.value }.name == "Bob Frank")
        #expect(agent.outcomes == ["cancelled", "completed"])
    }

    @Test("a sign-in that waits for a sign-out can be cancelled")
    func cancelledWait() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let gate = ScriptedTransport.Gate()
        fixture.provider.provider.inject(.held(gate), at: .revocation)
        let logout = Task { await fixture.core.signOut() }
        try await eventually { fixture.provider.provider.requestCount(.revocation) == 1 }
        let login = Task { try await fixture.core.signIn() }
        login.cancel()
        try await expectCancelled(login)
        #expect(fixture.state.activity == .signingOut)
        gate.open()
        #expect(await logout.value.session == .ended)
    }

    @Test("a sign-out works offline; what could not be done is in the outcome, and is no error to show")
    func offline() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        fixture.provider.provider.injectFaults(at: .revocation) { _ in .status(503) }
        fixture.provider.provider.injectFaults(at: .endSession) { _ in .status(503) }
        let outcome = await fixture.core.signOut()
        #expect(outcome.removal == .done && outcome.failures.count == 2)
        #expect(fixture.state == AuthSessionState())
    }

    @Test("a sign-out cancels the sign-in in progress, whose result is not kept", arguments: [false, true])
    func duringLogin(_ isDeaf: Bool) async throws {
        let agent = HeldUserAgent(isDeaf: isDeaf)
        let fixture = try await SessionFixture(agent: agent)
        let login = Task { try await fixture.core.signIn() }
        await agent.gate.arrivals()
        await fixture.core.signOut()
        #expect(await authError { try await login.value }?.kind == .cancelled)
        agent.gate.open()
        try await eventually { agent.outcomes.count == 1 }
        #expect(fixture.state == AuthSessionState() && fixture.core.authState == nil)
        #expect(try await fixture.stored() == nil)
    }

    @Test func `a sign-out removes a login that was just being saved`() async throws {
        let (store, gate) = (FaultyStore(), ScriptedTransport.Gate())
        store.hold(.save, at: gate)
        let fixture = try await SessionFixture(store: store)
        let login = Task { try await fixture.core.signIn() }
        await gate.arrivals()
        fixture.core.cancelSignIn()
        let logout = Task { await fixture.core.signOut() }
        #expect(await authError { try await login.value }?.kind == .cancelled)
        gate.open()
        #expect(await logout.value.removal == .done)
        #expect(try await fixture.stored() == nil)
        #expect(fixture.state == AuthSessionState() && fixture.core.authState == nil)
        #expect(fixture.provider.provider.requestCount(.revocation) == 2)
        #expect(fixture.history.states.allSatisfy { $0.user == nil })
    }

    @Test func `a sign-out removes a stored login that was not restored, also when it cannot be read`() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let next = try await fixture.restarted()
        #expect(await next.core.signOut().revocation == .done)
        #expect(try await next.stored() == nil)
        try await fixture.store.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.save(.init("{}".utf8), expecting: lease.load()?.version)
        }
        #expect(await next.core.signOut().removal == .done)
        #expect(try await fixture.store.load(.default) == nil)
    }

    @Test func `a login that is still stored is an error to show`() async throws {
        let store = InMemoryAuthStateStore()
        let fixture = try await SessionFixture(store: store)
        try await fixture.core.signIn()
        let next = try await SessionFixture(store: ReadOnlyAuthStateStore(store), provider: fixture.provider)
        await next.core.restore()
        #expect(next.state.isAuthenticated)
        await next.core.signOut()
        #expect(next.state.error?.kind == .store && !next.state.isAuthenticated)
    }

    @Test func `a login that could not be removed is not shown again, and is removed later`() async throws {
        let store = FaultyStore()
        let fixture = try await SessionFixture(store: store)
        try await fixture.core.signIn()
        store.fail(.save, .delete)
        #expect(await fixture.core.signOut().removal != .done)
        await fixture.core.restore()
        #expect(fixture.state.error?.kind == .store && !fixture.state.isAuthenticated)
        #expect(try await fixture.stored() != nil)
        store.fail()
        await fixture.core.restore()
        #expect(fixture.state == AuthSessionState())
        #expect(try await fixture.stored() == nil)
        #expect(fixture.history.states.last?.user == nil)
    }
}

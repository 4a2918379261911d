import AuthStateTesting
import Testing

@testable import AuthStateApp
@testable import AuthStateKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct SessionUserInfoTests {
    @Test(
        "userinfo that is unavailable does not fail the login: the ID token has to suffice",
        arguments: [OpenIDProvider.Fault.status(503), .status(401), .text("nonsense"), .halfBody])
    func unreachable(_ fault: OpenIDProvider.Fault) async throws {
        let fixture = try await SessionFixture()
        fixture.provider.provider.inject(fault, at: .userInfo)
        let user = try await fixture.core.signIn()
        #expect(user.subject == "248289761001" && user.userInfo == nil && fixture.state.error == nil)
        // The refresh token was not spent for it.
        #expect(fixture.provider.provider.statistics.refreshRequests == 0)
        try await fixture.core.reloadUser()
        #expect(fixture.state.user?.email == "ada@example.com")
    }

    @Test func `userinfo that never comes is waited for ten seconds`() async throws {
        let clock = ManualClock()
        let fixture = try await SessionFixture(clock: clock)
        fixture.provider.provider.inject(.hang, at: .userInfo)
        let login = Task { try await fixture.core.signIn() }
        await clock.sleepers()
        clock.advance(by: .seconds(10))
        #expect(try await bounded { try await login.value }.userInfo == nil)
        #expect(fixture.state.isAuthenticated)
    }

    @Test("userinfo of another user fails the login: nothing is kept, and the tokens are revoked")
    func foreign() async throws {
        let fixture = try await SessionFixture()
        fixture.provider.provider.update { $0.deviations.userInfo = { $0["sub"] = "mallory" } }
        #expect(await authError { try await fixture.core.signIn() }?.code == .subjectMismatch)
        #expect(!fixture.state.isAuthenticated && fixture.state.error?.code == .subjectMismatch)
        #expect(fixture.core.authState == nil)
        #expect(try await fixture.stored() == nil)
        #expect(fixture.provider.provider.requestCount(.revocation) == 2)
        let next = try await fixture.restarted()
        await next.core.restore()
        #expect(!next.state.isAuthenticated)
    }

    @Test func `userinfo of another user at a second login leaves the first one as it was`() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let stored = try await fixture.stored()
        fixture.provider.provider.update { $0.deviations.userInfo = { $0["sub"] = "mallory" } }
        #expect(await authError { try await fixture.core.signIn(loginHint: "bob") } != nil)
        #expect(fixture.state.user?.email == "ada@example.com")
        #expect(try await fixture.stored() == stored)
        #expect(await authError { try await fixture.core.reloadUser() } != nil)
        #expect(fixture.state.user?.email == "ada@example.com")
    }

    @Test func `userinfo is not requested when the app does not want it`() async throws {
        let fixture = try await SessionFixture { $0.readsUserInfo = false }
        try await fixture.core.signIn()
        #expect(fixture.provider.provider.requestCount(.userInfo) == 0 && fixture.state.isAuthenticated)
    }

    @Test("userinfo of the login before is not shown under the next one")
    func overtaken() async throws {
        let fixture = try await SessionFixture()
        try await fixture.core.signIn()
        let gate = ScriptedTransport.Gate()
        fixture.provider.provider.inject(.held(gate), at: .userInfo)
        let reload = Task { try await fixture.core.reloadUser() }
        try await eventually { fixture.provider.provider.requestCount(.userInfo) == 2 }
        try await fixture.core.signIn(loginHint: "bob")
        gate.open()
        try await reload.value
        #expect(fixture.state.user?.email == "bob@example.com")
    }
}

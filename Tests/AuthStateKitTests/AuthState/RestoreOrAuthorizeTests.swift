import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct RestoreOrAuthorizeTests {
    private let clock = ManualClock()
    private let store = InMemoryAuthStateStore()

    private func fixture() async throws -> ProviderFixture {
        try await ProviderFixture(clock: clock) {
            $0.clients.append(OpenIDProvider.Client(id: "other", redirectURIs: ["http://127.0.0.1/callback"]))
        }
    }

    /// Restores or logs in, and returns the state with the number of logins that the provider has seen.
    private func enter(
        _ fixture: ProviderFixture, _ request: AuthorizationRequest? = nil
    ) async throws -> (AuthState, logins: Int) {
        let state = try await AuthState.restoreOrLogIn(
            .browser(request ?? fixture.request([.openID, .offlineAccess]), DirectUserAgent()),
            at: fixture.place(store))
        return (state, fixture.provider.requests(at: .authorization).count)
    }

    /// Replaces what is stored, as another process does.
    private func put(_ archive: Data) async throws {
        try await store.withLease(.default, deadline: .seconds(10)) { lease in
            _ = try await lease.save(archive, expecting: try await lease.load()?.version)
        }
    }

    @Test func `the first start logs in, the second restores, and one after a logout logs in`() async throws {
        let fixture = try await fixture()
        let (first, logins) = try await enter(fixture)
        let token = try await first.freshTokens().accessToken
        let (second, same) = try await enter(fixture)
        #expect(logins == 1 && same == 1)
        #expect(try await second.freshTokens().accessToken == token)
        try await second.clear()
        let (third, more) = try await enter(fixture)
        #expect(more == 2)
        #expect(try await third.freshTokens().accessToken != token)
    }

    @Test func `a state in error is replaced by a login`() async throws {
        let fixture = try await fixture()
        let (state, _) = try await enter(fixture)
        fixture.provider.revokeGrants()
        clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .invalidGrant)
        let (again, logins) = try await enter(fixture)
        #expect(logins == 2 && again.isAuthorized)
    }

    @Test("tokens that have expired are renewed where they can be, and replaced by a login where they cannot")
    func expired() async throws {
        let fixture = try await fixture()
        _ = try await enter(fixture)
        clock.advance(by: .seconds(4000))
        let (state, logins) = try await enter(fixture)
        #expect(logins == 1)
        _ = try await state.freshTokens()
        var record = state.record
        record.refreshToken = nil
        try await put(AuthStateArchive(record).data())
        #expect(try await enter(fixture).logins == 1)
        clock.advance(by: .seconds(4000))
        #expect(try await enter(fixture).logins == 2)
    }

    @Test func `a login of another client, or at another provider, is not handed out`() async throws {
        let fixture = try await fixture()
        let (state, _) = try await enter(fixture)
        let (other, logins) = try await enter(fixture, fixture.request(client: "other"))
        #expect(logins == 2 && other.record.client.id == "other" && state.record.client.id == "app")
        // The same letters in other bytes are another client.
        fixture.provider.update { $0.clients.append(.init(id: "\u{E9}", redirectURIs: ["http://127.0.0.1/callback"])) }
        _ = try await enter(fixture, fixture.request(client: "\u{E9}"))
        // The provider takes them for one, and its ID token is then for the first.
        _ = try? await enter(fixture, fixture.request(client: "e\u{301}"))
        #expect(fixture.provider.requests(at: .authorization).count == 4)
        let elsewhere = try await self.fixture()
        let (moved, first) = try await enter(elsewhere, elsewhere.request(client: "other"))
        #expect(first == 1 && moved.record.client.provider.issuer == elsewhere.configuration.issuer)
    }

    @Test func `a stored state that cannot be read is left as it is, and the user agent does not open`() async throws {
        let fixture = try await fixture()
        _ = try await enter(fixture)
        try await put(Data("{}".utf8))
        #expect(await authError { try await enter(fixture) }?.code == .storeCorrupt)
        #expect(fixture.provider.requests(at: .authorization).count == 1)
        #expect(try await store.load(.default)?.archive == Data("{}".utf8))
    }
}

import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(2))) struct NamedClientTests {
    private let fixture: ProviderFixture
    private let store = InMemoryAuthStateStore()

    init() async throws { fixture = try await ProviderFixture() }

    /// A program that has just started: its service knows no provider yet.
    private func place() -> AuthState.Place { AuthState.Place(store, service: AuthorizationService()) }

    private func client(_ id: String = "app", _ credential: ClientCredential = .none) -> NamedClient {
        NamedClient(.issuer(fixture.provider.issuer), id: id, credential: credential)
    }

    @Test("the first run discovers the provider and logs in; the next one restores without a request")
    func restores() async throws {
        let login = AuthState.Login.browser(client(), scopes: [.openID, .profile], DirectUserAgent())
        let first = try await AuthState.restoreOrLogIn(login, at: place())
        let before = fixture.provider.statistics.requests
        let second = try await AuthState.restoreOrLogIn(login, at: place())
        #expect(fixture.provider.statistics.requests == before)
        #expect(second.record.grantID == first.record.grantID && second.tokensIfFresh() != nil)
    }

    @Test func `a stored login of another client or provider is not restored`() async throws {
        let login = AuthState.Login.browser(client(), DirectUserAgent())
        let first = try await AuthState.restoreOrLogIn(login, at: place())
        let other = AuthState.Login.browser(client("service", .secret("service-secret")), DirectUserAgent())
        let second = try await AuthState.restoreOrLogIn(other, at: place())
        #expect(second.record.grantID != first.record.grantID && second.record.client.id == "service")
        let elsewhere = try await ProviderFixture()
        let away = NamedClient(.issuer(elsewhere.provider.issuer), id: "service", credential: .secret("service-secret"))
        let third = try await AuthState.restoreOrLogIn(.browser(away, DirectUserAgent()), at: place())
        #expect(third.record.client.provider.issuer?.rawValue == elsewhere.provider.issuer)
    }

    @Test func `the credential goes to the named provider alone`() async throws {
        let login = AuthState.Login.browser(client("service", .secret("service-secret")), DirectUserAgent())
        let state = try await AuthState.logIn(login, at: place())
        #expect(state.record.client.credential.custody == .provider(.issuer(fixture.provider.issuer)))
        try await state.refresh()
    }

    @Test func `a program's own login is made and restored by the same name`() async throws {
        let login = AuthState.Login.clientCredentials(client("service", .secret("service-secret")))
        let first = try await AuthState.restoreOrLogIn(login, at: place())
        let second = try await AuthState.restoreOrLogIn(login, at: place())
        #expect(first.record.accessToken == second.record.accessToken)
        #expect(fixture.provider.requestCount(.token) == 1)
    }

    @Test func `a login on another device asks for openid, profile and email unless scopes are given`() async throws {
        let state = try await AuthState.logIn(
            .device(client()) { [provider = fixture.provider] codes in
                #expect(provider.decide(userCode: codes.userCode, allow: true))
            }, at: place())
        #expect(state.user?.subject != nil)
    }

    @Test func `an unreachable provider is an error of stage discovery, and what is stored stays`() async throws {
        let away = NamedClient(.issuer("http://127.0.0.1:1"), id: "app")
        let error = await authError {
            try await AuthState.restoreOrLogIn(.browser(away, DirectUserAgent()), at: place())
        }
        #expect(error?.stage == .discovery && error?.kind == .transient)
        #expect(try await store.load(.default) == nil)
    }

    @Test("the user is known from the verified ID token, offline too, and no user from one that was not verified")
    func user() async throws {
        let login = AuthState.Login.browser(client(), DirectUserAgent())
        let state = try await AuthState.logIn(login, at: place())
        let user = try #require(state.user)
        #expect(
            user.issuer == fixture.provider.issuer
                && user.subject == fixture.provider.configuration.users.first?.subject)
        let restored = try await AuthState.restore(at: place())
        #expect(restored.user == user)
        var foreign = try #require(state.record.lastTokenResponse)
        foreign.idTokenTrust = nil
        try await restored.update(with: foreign)
        #expect(restored.record.idToken != nil && restored.user == nil)
        try await restored.clear()
        #expect(restored.user == nil)
    }

    @Test(
        "a state at a provider without an issuer, or at another token endpoint of one host, is not this client's",
        arguments: ["issuer", "realm"])
    func strangers(_ kind: String) async throws {
        let issuer = try Issuer(fixture.provider.issuer)
        let realms = ["a", "b"].map {
            ProviderConfiguration(
                authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/realms/\($0)/token")!)
        }
        let record = AuthState.Record(Client(realms[0], id: "app"))
        let named: NamedClient =
            kind == "issuer" ? client() : NamedClient(.configuration(realms[1]), id: "app")
        let login = AuthState.Login.clientCredentials(named)
        var granted = record
        granted.machineGrant = .clientCredentials(AuthState.ClientCredentialsGrant())
        #expect(!login.couldHaveMade(granted))
        var own = realms[1]
        if kind == "issuer" { own.issuer = issuer }
        var ours = AuthState.Record(Client(own, id: "app"))
        ours.machineGrant = granted.machineGrant
        #expect(login.couldHaveMade(ours))
    }
}

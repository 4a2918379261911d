import AuthStateKit
import AuthStateTesting
import Testing

/// Tokens for resources (RFC 8707).
@Suite(.timeLimit(.minutes(5))) struct ResourceLoginTests {
    private static let (a, b) = ("https://a.example", "https://b.example")

    private func fixture() async throws -> ProviderFixture {
        try await ProviderFixture { $0.resources = [Self.a, Self.b] }
    }

    private func logIn(_ fixture: ProviderFixture, _ resources: [String]) async throws -> AuthState {
        var request = fixture.request()
        request.resources = resources
        return try await fixture.logIn(request)
    }

    private func sent(_ fixture: ProviderFixture) -> [[String]] {
        fixture.provider.requests(at: .token).map { $0.parameters.values("resource") }
    }

    @Test("the only resource is named again: with the code, and on every renewal, from the archive too")
    func single() async throws {
        let fixture = try await fixture()
        let state = try await logIn(fixture, [Self.a])
        try await state.refresh()
        let restored = AuthState(
            try AuthStateArchive(data: AuthStateArchive(state.record).data()).record, service: fixture.service,
            store: InMemoryAuthStateStore())
        try await restored.refresh()
        #expect(sent(fixture) == [[Self.a], [Self.a], [Self.a]])
    }

    @Test("none of several resources is named, and a renewal picks")
    func several() async throws {
        let fixture = try await fixture()
        let state = try await logIn(fixture, [Self.a, Self.b])
        let picked = try await state.freshTokens(RenewalParameters(resources: [Self.b]))
        #expect(sent(fixture) == [[], [Self.b]])
        #expect(picked.accessToken != state.record.accessToken)
        let request = try picked.request(for: fixture)
        let answer = String(decoding: try await fixture.service.transport.send(request).body, as: UTF8.self)
        #expect(answer.contains(Self.b) && !answer.contains(Self.a))
    }

    @Test("an unknown resource is invalid_target, at the login and on a renewal, which keeps the grant")
    func unknown() async throws {
        let fixture = try await fixture()
        let error = await authError { try await logIn(fixture, ["https://c.example"]) }
        #expect(error?.code == .invalidTarget && error?.stage == .authorization && error?.kind == .configuration)
        let state = try await logIn(fixture, [Self.a])
        let refused = await authError { try await state.freshTokens(RenewalParameters(resources: [Self.b])) }
        #expect(refused?.code == .invalidTarget && refused?.stage == .refresh)
        #expect(state.isAuthorized && state.record.authorizationError == nil)
        #expect(try await state.refresh().accessToken.isEmpty == false)
    }

    @Test("a malformed resource is refused before anything is sent")
    func malformed() async throws {
        let fixture = try await fixture()
        let error = await authError { try await logIn(fixture, ["https://a.example/#x"]) }
        #expect(error?.code == .invalidArgument && error?.stage == .authorization)
        let state = try await logIn(fixture, [])
        let refused = await authError { try await state.freshTokens(RenewalParameters(resources: ["a"])) }
        #expect(refused?.code == .invalidArgument && refused?.stage == .refresh)
        #expect(sent(fixture) == [[]])
    }
}

extension Tokens {
    /// A request to the provider's protected resource with these tokens.
    fileprivate func request(for fixture: ProviderFixture) throws -> TransportRequest {
        TransportRequest(url: fixture.provider.url(of: .resource), headers: ["Authorization": "Bearer \(accessToken)"])
    }
}

import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct IntrospectionTests {
    @Test func `the provider describes both tokens, and reports revoked ones as inactive`() async throws {
        let fixture = try await ProviderFixture()
        let state = try await fixture.logIn()
        let access = try await state.introspect()
        #expect(access.isActive && access.clientID == "app" && access.scope == "openid profile")
        #expect(access.issuer == fixture.provider.issuer && access.expirationDate != nil)
        #expect(try await state.introspect(.refreshToken).isActive)
        #expect(
            fixture.provider.requests(at: .introspection).map { $0.parameters["token_type_hint"] } == [
                "access_token", "refresh_token",
            ])
        fixture.provider.revokeGrants()
        try await state.update(authorizationError: AuthStateError(.tokenRejected, stage: .resource, "Refused."))
        #expect(try await state.introspect().isActive == false)
        #expect(try await state.introspect(.refreshToken).isActive == false)
    }

    @Test("a client's own state introspects with its secret; it has no refresh token to introspect")
    func clientItself() async throws {
        let fixture = try await ProviderFixture()
        let state = try await AuthState.logIn(.clientCredentials(fixture.serviceClient), at: fixture.place())
        #expect(try await state.introspect().isActive)
        #expect(await authError { try await state.introspect(.refreshToken) }?.code == .noRefreshToken)
        try await state.clear()
        #expect(await authError { try await state.introspect() }?.code == .notLoggedIn)
    }

    @Test func `a request to each endpoint uses an authentication method that the endpoint lists`() async throws {
        let fixture = try await ProviderFixture {
            $0.authenticationMethods = [
                .introspection: [.clientSecretPost], .revocation: [.clientSecretJWT], .token: [.clientSecretBasic],
            ]
        }
        var configuration = fixture.configuration
        configuration.tolerances = [.shortSecret]
        let state = try await AuthState.logIn(
            .clientCredentials(Client(configuration, id: "service", credential: .secret("service-secret"))),
            at: fixture.place())
        #expect(try await state.introspect().isActive)
        try await state.revoke()
        #expect(fixture.provider.requests(at: .introspection).last?.parameters["client_secret"] != nil)
        #expect(fixture.provider.requests(at: .revocation).last?.parameters["client_assertion"] != nil)
    }
}

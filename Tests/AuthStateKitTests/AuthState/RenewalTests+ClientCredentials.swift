import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RenewalTests {
    @Test("a client's own state renews with its credential")
    func clientCredentials() async throws {
        let fixture = try Fixture([Fixture.tokens(1, expiresIn: 10, refresh: false), Fixture.tokens(2)])
        let state = try await AuthState.clientCredentials(
            configuration: fixture.record.configuration, clientID: "machine", credential: .secret("SECRET-client"),
            scopes: ["api"], service: fixture.service, options: fixture.options)
        fixture.clock.advance(by: .seconds(11))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(
            fixture.transport.requests.allSatisfy { $0.headers.first("Authorization")?.hasPrefix("Basic ") == true })
        #expect(state.snapshot.refreshToken == nil)
    }

    @Test("a client's own state has no ID token to show, whatever a renewal brings")
    func clientCredentialsAreNobody() async throws {
        let answer = #"{"access_token":"SECRET-access-2","token_type":"Bearer","id_token":"SECRET.id.token"}"#
        let fixture = try Fixture([Fixture.tokens(1, expiresIn: 10, refresh: false), .json(answer)])
        var configuration = fixture.record.configuration
        configuration.issuer = try Issuer("https://op.example")
        configuration.jwksURI = URL(string: "https://op.example/keys")
        let state = try await AuthState.clientCredentials(
            configuration: configuration, clientID: "machine", credential: .secret("SECRET-client"),
            service: fixture.service, options: fixture.options)
        fixture.clock.advance(by: .seconds(11))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(state.snapshot.idToken == nil)
        #expect(fixture.transport.requests.allSatisfy { $0.url.path == "/token" })
    }
}

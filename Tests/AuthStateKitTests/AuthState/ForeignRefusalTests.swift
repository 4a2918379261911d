import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// With named origins, another host's 401 says nothing of the login.
struct ForeignRefusalTests {
    private func refuse(_ url: URL?, _ fixture: inout Fixture) async throws -> AuthState {
        fixture.options.allowedOrigins = ["https://api.example"]
        let state = fixture.state()
        let error = await authError {
            try await state.withFreshToken { _ in
                throw TokenRejected(challenges: ["Bearer error=\"invalid_token\""], url: url)
            }
        }
        #expect(error?.code == .tokenRejected)
        return state
    }

    @Test("a refusal by another host neither ends the login nor renews")
    func foreign() async throws {
        var fixture = try Fixture(then: Fixture.tokens(1))
        let state = try await refuse(URL(string: "https://other.example/x"), &fixture)
        #expect(state.isAuthorized && fixture.transport.requests.isEmpty)
    }

    @Test("a refusal by an allowed origin renews once, and ends the login when that does not help")
    func named() async throws {
        var fixture = try Fixture(then: Fixture.tokens(1))
        let state = try await refuse(URL(string: "https://API.example:443/x"), &fixture)
        #expect(state.authorizationError?.code == .tokenRejected && fixture.spent.count == 1)
    }

    @Test("a refusal without a URL renews the token, and the login stays")
    func unknownPlace() async throws {
        var fixture = try Fixture(then: Fixture.tokens(1))
        let state = try await refuse(nil, &fixture)
        #expect(state.isAuthorized && fixture.spent.count == 1)
    }

    @Test func `performAction knows where its answer comes from`() async throws {
        var fixture = try Fixture([.json("{}", status: 401), Fixture.tokens(1), .json("{}", status: 401)])
        fixture.options.allowedOrigins = ["https://api.example"]
        let state = fixture.state()
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/x")))
        #expect(await authError { try await state.performAction(request) }?.code == .tokenRejected)
        #expect(state.authorizationError?.code == .tokenRejected)
    }

    @Test(
        "userInfo knows where its answer comes from",
        arguments: [
            ScriptedTransport.Reply.json("{}", status: 401),
            .json(#"{"error":{"type":"OAuthException","code":190}}"#, status: 400),
        ])
    func userInfo(_ refusal: ScriptedTransport.Reply) async throws {
        var fixture = try Fixture([refusal, Fixture.tokens(1), refusal])
        fixture.record.client.provider.userInfoEndpoint = URL(string: "https://api.example/me")
        fixture.record.client.provider.tolerances = [.errorObjects]
        fixture.options.allowedOrigins = ["https://api.example"]
        let state = fixture.state()
        #expect(await authError { try await state.userInfo() }?.code == .tokenRejected)
        #expect(state.authorizationError?.code == .tokenRejected)
    }
}

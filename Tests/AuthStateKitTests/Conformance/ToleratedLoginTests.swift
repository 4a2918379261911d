import AuthStateKit
import AuthStateTesting
import Testing

/// Deviations of some providers, accepted when they are named and refused when they are not.
@Suite(.timeLimit(.minutes(5))) struct ToleratedLoginTests {
    /// A login with a tolerance at a provider that deviates, and a renewal after it.
    private func logIn(
        _ tolerances: Set<Tolerance>, responseType: AuthorizationRequest.ResponseType = .code,
        _ change: (inout OpenIDProvider.Configuration) -> Void
    ) async throws -> AuthStateError? {
        let fixture = try await ProviderFixture(change)
        var request = fixture.request()
        request.client.provider.tolerances = tolerances
        request.responseType = responseType
        let asked = request
        let error = await authError { try await fixture.logIn(asked).refresh() }
        await fixture.provider.stop()
        return error
    }

    @Test("token_type: access_token")
    func accessTokenType() async throws {
        let deviate: @Sendable (inout OpenIDProvider.Configuration) -> Void = {
            $0.deviations.tokenResponse = { $0["token_type"] = "access_token" }
        }
        #expect(try await logIn([], deviate)?.code == .unsupportedTokenType)
        #expect(try await logIn([.accessTokenType], deviate) == nil)
    }

    @Test("no nonce in the ID token: in the code flow alone, and never another one")
    func missingNonce() async throws {
        let drop: @Sendable (inout OpenIDProvider.Configuration) -> Void = {
            $0.deviations.idToken = { claims, _ in claims["nonce"] = .none }
        }
        let error = try await logIn([], drop)
        #expect(error?.code == .invalidIDToken && error?.hint?.contains("missingNonce") == true)
        #expect(try await logIn([.missingNonce], drop) == nil)
        #expect(try await logIn([.missingNonce], responseType: .codeIDToken, drop)?.code == .invalidIDToken)
        let another = try await logIn([.missingNonce]) {
            $0.deviations.idToken = { claims, _ in claims["nonce"] = "another" }
        }
        #expect(another?.code == .invalidIDToken)
        let withoutChallenge = try await logIn([.missingNonce]) {
            drop(&$0)
            $0.deviations.metadata = { $0["code_challenge_methods_supported"] = .none }
        }
        #expect(withoutChallenge?.code == .invalidIDToken)
    }

    @Test("client_id in the form beside Basic")
    func clientIDBesideBasic() async throws {
        for (tolerances, sent) in [([], nil), ([.clientIDBesideBasic], "client")] as [(Set<Tolerance>, String?)] {
            var fixture = try Fixture([Fixture.tokens(1)])
            fixture.record.client.provider.tolerances = tolerances
            fixture.record.client.credential = .secret("SECRET-client", method: .clientSecretBasic)
            try await fixture.state().refresh()
            let request = try #require(fixture.transport.requests.last)
            let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }
            #expect(request.headers["Authorization"]?.hasPrefix("Basic ") == true)
            #expect(form?["client_id"] == sent && form?["client_secret"] == nil)
        }
    }
}

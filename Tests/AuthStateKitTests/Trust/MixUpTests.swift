import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

/// An attacker runs a provider of its own and sends people on to an honest one (RFC 9700, section 4.4).
@Suite(.timeLimit(.minutes(5))) struct MixUpTests {
    /// A login that the client begins at the attacker's provider, whose authorization endpoint is the honest one's.
    private func attack(
        _ type: AuthorizationRequest.ResponseType = .code,
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws -> (error: AuthStateError?, honest: OpenIDProvider, attacker: OpenIDProvider) {
        let honest = try await ProviderFixture(change).provider
        let endpoint = JSONValue.string(honest.url(of: .authorization).absoluteString)
        let attacker = try await ProviderFixture { configuration in
            configuration.sendsIssuerInAuthorizationResponse = false
            configuration.deviations.metadata = { $0["authorization_endpoint"] = endpoint }
        }
        var request = attacker.request()
        request.responseType = type
        let error = await authError { try await attacker.logIn(request) }
        #expect(honest.requestCount(.authorization) == 1)
        return (error, honest, attacker.provider)
    }

    @Test("iss tells whose code it is, and no provider gets it")
    func issuerParameter() async throws {
        let (error, honest, attacker) = try await attack()
        #expect(error?.code == .issuerParameterMismatch && error?.stage == .authorization)
        #expect(error?.received == honest.issuer && error?.expected == attacker.issuer)
        #expect(attacker.requestCount(.token) == 0 && honest.requestCount(.token) == 0)
    }

    @Test("without iss the ID token of the hybrid flow tells, and no provider gets the code")
    func idToken() async throws {
        let (error, honest, attacker) = try await attack(.codeIDToken) { $0.sendsIssuerInAuthorizationResponse = false }
        #expect(error?.kind == .refused && error?.stage == .authorization)
        #expect(attacker.requestCount(.token) == 0 && honest.requestCount(.token) == 0)
    }

    @Test("a code goes to the endpoints of its own request alone")
    func endpoints() async throws {
        let (error, honest, attacker) = try await attack { $0.sendsIssuerInAuthorizationResponse = false }
        #expect(error?.code == .invalidGrant)
        #expect(attacker.requestCount(.token) == 1 && honest.requestCount(.token) == 0)
    }
}

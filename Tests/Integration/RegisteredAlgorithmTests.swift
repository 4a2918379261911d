import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// django-oauth-toolkit's client `hs256`, whose ID tokens are keyed by its secret (OpenID Connect Core, section 10.1).
    struct RegisteredAlgorithmTests {
        private func logIn(registeredFor algorithm: String?) async throws -> AuthState {
            let flow = try Flow(.django).client("hs256", .secret("s3cret-s3cret-s3cret-s3cret-s3cret"))
            var members: [String: JSONValue] = ["client_id": "hs256"]
            members["id_token_signed_response_alg"] = algorithm.map { .string($0) }
            let registration = try RegistrationResponse(
                TransportResponse(status: 201, body: Data(JSONValue.object(members).serialized())))
            var request = try await flow.request()
            request.client.provider = request.client.provider.adapted(to: registration)
            return try await AuthState.logIn(
                .browser(request.with(flow.credential), flow.browser.userAgent()),
                at: .memory(service: flow.service))
        }

        @Test("clients log in and renew, once the registration names the algorithm")
        func registered() async throws {
            let state = try await logIn(registeredFor: "HS256")
            #expect(state.record.client.provider.idTokenPolicy.algorithms == [.hs256])
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test(
            "clients are refused while nothing names it, or another algorithm is registered", arguments: [nil, "RS256"])
        func other(_ algorithm: String?) async throws {
            let error = await #expect(throws: AuthStateError.self) { try await logIn(registeredFor: algorithm) }
            #expect(error?.code == .invalidSignature)
        }
    }
}

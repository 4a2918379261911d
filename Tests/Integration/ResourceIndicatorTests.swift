import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// glewlwyd's access tokens are JWTs, whose `aud` is what they are for.
    @Suite("tokens for resources (RFC 8707)") struct ResourceIndicatorTests {
        private static let (api, other) = ("https://api.example.test", "https://other.example.test")

        private func logIn(_ flow: Flow, _ resources: String..., isPushed: Bool = false) async throws -> AuthState {
            var request = try await flow.request()
            request.resources = resources
            request.isPushed = isPushed
            return try await AuthState.authorize(
                request, presenting: flow.browser.userAgent(), service: flow.service, store: flow.store)
        }

        private func audience(_ accessToken: String?) throws -> String? {
            try IDToken(parsing: try #require(accessToken)).audience.first
        }

        @Test("the only one is what every token is for", arguments: [false, true])
        func single(_ isPushed: Bool) async throws {
            let state = try await logIn(Flow(.glewlwyd), Self.api, isPushed: isPushed)
            #expect(try audience(state.snapshot.accessToken) == Self.api)
            #expect(try audience(try await state.refresh().accessToken) == Self.api)
        }

        @Test("of several a renewal picks one, beside the default tokens")
        func several() async throws {
            let state = try await logIn(Flow(.glewlwyd), Self.api, Self.other)
            let picked = try await state.freshTokens(RenewalParameters(resources: [Self.other]))
            #expect(try audience(picked.accessToken) == Self.other)
            #expect(try audience(state.snapshot.accessToken) != Self.other)
        }

        @Test("one that the provider does not know is invalid_target, and the grant of a renewal is kept")
        func unknown() async throws {
            let flow = try Flow(.glewlwyd)
            let error = await #expect(throws: AuthStateError.self) {
                try await logIn(flow, "https://none.example.test")
            }
            #expect(error?.code == .invalidTarget && error?.stage == .authorization)
            let state = try await logIn(flow, Self.api)
            let refused = await #expect(throws: AuthStateError.self) {
                try await state.freshTokens(RenewalParameters(resources: [Self.other]))
            }
            #expect(refused?.code == .invalidTarget && refused?.stage == .refresh)
            #expect(try audience(try await state.refresh().accessToken) == Self.api)
        }
    }
}

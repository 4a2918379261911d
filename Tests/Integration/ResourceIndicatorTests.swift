import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// glewlwyd's access tokens are JWTs, whose `aud` names the resources that they are for.
    struct ResourceIndicatorTests {
        private static let (api, other) = ("https://api.example.test", "https://other.example.test")

        private func logIn(_ flow: Flow, _ resources: String..., isPushed: Bool = false) async throws -> AuthState {
            var request = try await flow.request()
            request.resources = resources
            request.isPushed = isPushed
            return try await AuthState.logIn(
                .browser(request, flow.browser.userAgent()),
                at: AuthState.Place(flow.store, service: flow.service))
        }

        private func audience(_ accessToken: String?) throws -> String? {
            try IDToken(parsing: try #require(accessToken)).audience.first
        }

        @Test("every token is for the only resource", arguments: [false, true])
        func single(_ isPushed: Bool) async throws {
            let state = try await logIn(Flow(.glewlwyd), Self.api, isPushed: isPushed)
            #expect(try audience(state.record.accessToken) == Self.api)
            #expect(try audience(try await state.refresh().accessToken) == Self.api)
        }

        @Test("a renewal picks one of several resources, beside the default tokens")
        func several() async throws {
            let state = try await logIn(Flow(.glewlwyd), Self.api, Self.other)
            let picked = try await state.freshTokens(RenewalParameters(resources: [Self.other]))
            #expect(try audience(picked.accessToken) == Self.other)
            #expect(try audience(state.record.accessToken) != Self.other)
        }

        @Test("an unknown resource is invalid_target, and the grant of a renewal is kept")
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

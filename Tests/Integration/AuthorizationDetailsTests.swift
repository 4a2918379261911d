import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// Authorization details (RFC 9396).
    struct AuthorizationDetailsTests {
        private static let payment = AuthorizationDetail(
            type: "payment", locations: ["https://bank.example"], actions: ["initiate"],
            additionalMembers: ["instructedAmount": ["currency": "EUR", "amount": "123.50"]])

        private func logIn(
            _ flow: Flow, _ details: [AuthorizationDetail] = [payment],
            _ change: (inout AuthorizationRequest) -> Void = { _ in }
        ) async throws -> AuthState {
            var request = try await flow.request()
            request.authorizationDetails = details
            change(&request)
            return try await AuthState.logIn(
                .browser(request.with(flow.credential), flow.browser.userAgent()),
                at: AuthState.Place(flow.store, service: flow.service))
        }

        @Test("glewlwyd grants details, and a renewal and another process still have them", arguments: [false, true])
        func granted(_ isPushed: Bool) async throws {
            let flow = try Flow(.glewlwyd)
            let state = try await logIn(flow) { $0.isPushed = isPushed }
            #expect(state.record.authorizationDetails == [Self.payment])
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
            #expect(state.record.authorizationDetails == [Self.payment])
            let restored = try await AuthState.restore(at: AuthState.Place(flow.store, service: flow.service))
            #expect(restored.record.authorizationDetails == [Self.payment])
        }

        @Test("details travel in a signed request, whose answer is signed as well", arguments: [false, true])
        func signed(_ isPushed: Bool) async throws {
            var flow = try Flow(.glewlwydTLS)
            flow = flow.client("keyjwt", .privateKey(file: flow.provider.clientKeyFile, keyID: "client-1"))
            flow.tolerances = [.endpointAudience]
            let state = try await logIn(flow) { request in
                request.signingCredential = flow.credential
                request.isPushed = isPushed
                // glewlwyd does not heed the response mode of a pushed request.
                request.responseMode = isPushed ? nil : .queryJWT
            }
            #expect(state.record.authorizationDetails == [Self.payment])
        }

        @Test("a type that glewlwyd does not list is not sent, and an action that it does not allow is refused")
        func refused() async throws {
            let flow = try Flow(.glewlwyd)
            let unlisted = await #expect(throws: AuthStateError.self) {
                try await logIn(flow, [AuthorizationDetail(type: "other")])
            }
            #expect(unlisted?.code == .invalidAuthorizationDetails && unlisted?.expected == "payment")
            let theft = AuthorizationDetail(type: "payment", actions: ["steal"])
            let error = await #expect(throws: AuthStateError.self) { try await logIn(flow, [theft]) }
            // It says so with the code of an earlier draft.
            #expect(error?.code == .invalidRequest && error?.message.contains("authorization_details") == true)
            #expect(try await flow.tokenRequests() == 0)
        }
    }
}

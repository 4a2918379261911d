import AuthStateKit
import AuthStateOAuth
import Foundation
import Testing

extension ProviderTests {
    struct LoginTests {
        @Test("the code flow with PKCE ends with a verified ID token", arguments: Provider.all)
        func codeFlow(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            #expect(state.isAuthorized)
            #expect(state.status.canRenew)
            let record = state.record
            let token = try IDToken(parsing: try #require(record.idToken))
            #expect(token.issuer == flow.provider.issuer)
            #expect(token.audience == ["public"])
            #expect(token.subject?.isEmpty == false)
            #expect(token.nonce == record.lastAuthorizationResponse?.request.nonce)
            #expect(try algorithm(of: token) == "RS256")
            let expiry = try #require(record.accessTokenExpirationDate)
            #expect((3500...3600).contains(expiry.timeIntervalSinceNow))
            #expect(
                Set(try #require(record.scope).split(separator: " ")) == [
                    "openid", "profile", "email", "offline_access",
                ])
        }

        @Test("an ID token under ES256 is verified too", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func ellipticCurve(_ provider: Provider) async throws {
            let state = try await Flow(provider).client("public-es256").logIn()
            let token = try IDToken(parsing: try #require(state.record.idToken))
            #expect(try algorithm(of: token) == "ES256")
        }

        @Test("an ID token is not taken for another login", arguments: Provider.all)
        func nonce(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            var (request, callback) = try await flow.callback()
            request.nonce = "another"
            try await expectNoState(flow, request, callback) { error in
                #expect(error.code == .invalidIDToken && error.stage == .token)
            }
        }

        @Test("the provider refuses a code with another verifier", arguments: Provider.all)
        func verifier(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            var (request, callback) = try await flow.callback()
            request.codeVerifier = CodeVerifier()
            try await expectNoState(flow, request, callback) { error in
                #expect(error.stage == .token)
                // glewlwyd says 403 invalid_code, which no specification knows.
                #expect(error.code == (provider.software == .glewlwyd ? .providerError : .invalidGrant))
            }
        }

        @Test("a code serves once", arguments: Provider.all)
        func replay(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let (request, callback) = try await flow.callback()
            let pending = try await flow.service.begin(request)
            _ = try await AuthState.logIn(.callback(callback, of: pending), at: .memory(service: flow.service))
            // This process remembers the login, another one would have to ask the provider.
            let again = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(.callback(callback, of: pending), at: .memory(service: flow.service))
            }
            #expect(again?.code == .authorizationExpired)
            let elsewhere = await #expect(throws: AuthStateError.self) {
                try await flow.service.exchange(AuthorizationResponse(callback: callback, for: pending.request))
            }
            #expect(elsewhere?.stage == .token)
        }

        @Test("a user who declines is not logged in", arguments: Provider.all)
        func declined(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn(.decline) }
            #expect(error?.code == .accessDenied && error?.stage == .authorization)
            #expect(error?.response?.error == "access_denied")
            #expect(try await flow.store.login() == nil)
            #expect(try await flow.tokenRequests() == 0)
        }

        @Test("userinfo speaks of the user who logged in", arguments: Provider.all)
        func userInfo(_ provider: Provider) async throws {
            let state = try await Flow(provider).logIn()
            let info = try await state.userInfo()
            #expect(info.isBound)
            #expect(info.email == "alice@example.test")
            #expect(info.name == "Alice Doe")
            #expect(info.subject == (try IDToken(parsing: try #require(state.record.idToken))).subject)
        }

        @Test("tokens are not sent elsewhere in the clear", arguments: [Provider.glewlwydTLS])
        func clearText(_ provider: Provider) async throws {
            let state = try await Flow(provider).logIn()
            let error = await #expect(throws: AuthStateError.self) {
                try await state.performAction(TransportRequest(url: URL(string: "http://192.0.2.1/")!))
            }
            #expect(error?.code == .insecureURL)
        }

        private func algorithm(of token: IDToken) throws -> String? {
            let header = try #require(token.rawValue.split(separator: ".").first)
            let padded = header.replacing("-", with: "+").replacing("_", with: "/")
            let data = try #require(
                Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
            return try JSONValue(parsing: [UInt8](data))["alg"]?.stringValue
        }

        /// Completing the login fails, and nothing is kept.
        private func expectNoState(
            _ flow: Flow, _ request: AuthorizationRequest, _ callback: AuthorizationCallback,
            _ check: (AuthStateError) -> Void
        ) async throws {
            let pending = try await flow.service.begin(request)
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(
                    .callback(callback, of: pending), at: AuthState.Place(flow.store, service: flow.service))
            }
            check(try #require(error))
            #expect(try await flow.store.login() == nil)
        }
    }
}

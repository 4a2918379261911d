import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// glewlwyd lists for alice the logins that she is asked about. Its hint names the user in JSON.
    struct BackchannelTests {
        private static func flow(_ provider: Provider) throws -> Flow {
            try Flow(provider).client("ciba", .secret("s3cret", method: .clientSecretBasic))
        }

        private static func request(
            _ flow: Flow, user: String = "alice"
        ) async throws -> BackchannelAuthenticationRequest {
            BackchannelAuthenticationRequest(
                Client(try await flow.configuration(), id: flow.clientID), hint: .login(#"{"username":"\#(user)"}"#),
                scopes: flow.scopes, bindingMessage: "W4SCT")
        }

        /// The page on which alice decides.
        private static func list(_ flow: Flow) throws -> URL {
            try #require(URL(string: "\(flow.issuer)/ciba_user_list/"))
        }

        @Test("alice confirms the login: tokens, userinfo and a renewal", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func allowed(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            var request = try await Self.request(flow)
            request.userCode = "1234"
            let state = try await AuthState.logIn(
                .backchannel(request.with(flow.credential)) { response in
                    #expect(response.interval == .seconds(5) && response.request.userCode == nil)
                    try await flow.browser.open(Self.list(flow))
                }, at: AuthState.Place(flow.store, service: flow.service))
            let record = state.record
            #expect(state.status.canRenew && record.idTokenTrust == .signature)
            #expect(record.scope?.contains("profile") == true)
            #expect(try await state.userInfo().name == "Alice Doe")
            let restored = try await AuthState.restore(
                at: AuthState.Place(flow.store, service: flow.service), credential: flow.credential)
            #expect(try await restored.refresh().accessToken != record.accessToken)
        }

        @Test("alice is named by her last ID token, and her tokens are bound to a key", arguments: [Provider.glewlwyd])
        func bound(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            let first = try await AuthState.logIn(
                .backchannel((try await Self.request(flow)).with(flow.credential)) { _ in
                    try await flow.browser.open(Self.list(flow))
                }, at: .memory(service: flow.service))
            var request = try await Self.request(flow)
            request.hint = .idToken(try #require(first.record.idToken))
            request.dpopKey = try .generate(for: request.client.provider)
            let state = try await AuthState.logIn(
                .backchannel(request.with(flow.credential)) { _ in try await flow.browser.open(Self.list(flow)) },
                at: .memory(service: flow.service))
            #expect(try await state.freshTokens().isDPoPBound)
            #expect(try await state.refresh().isDPoPBound)
        }

        @Test("a login is pending until alice decides, and is refused when she refuses", arguments: [Provider.glewlwyd])
        func denied(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            let response = try await flow.service.authorizeBackchannel(
                (try await Self.request(flow)).with(flow.credential))
            let question = TokenRequest(
                Client(response.request.client.provider, id: flow.clientID),
                .backchannelAuthentication(response.authenticationRequestID))
            let pending = await #expect(throws: AuthStateError.self) {
                try await flow.service.perform(question.with(flow.credential))
            }
            #expect(pending?.code == .authorizationPending)
            try await flow.browser.open(Self.list(flow), .decline)
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(
                    .backchannel(response.with(flow.credential)),
                    at: AuthState.Place(flow.store, service: flow.service))
            }
            #expect(error?.code == .accessDenied)
            #expect(try await flow.store.login() == nil)
        }

        @Test("a wrong user code, too long a message and an unknown user are refused", arguments: [Provider.glewlwyd])
        func refused(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            func code(
                _ user: String = "alice", _ change: (inout BackchannelAuthenticationRequest) -> Void
            ) async throws -> AuthStateError.Code? {
                var request = try await Self.request(flow, user: user)
                change(&request)
                let asked = request
                return await #expect(throws: AuthStateError.self) {
                    try await flow.service.authorizeBackchannel(asked.with(flow.credential))
                }?.code
            }
            #expect(try await code { $0.userCode = "0000" } == .invalidUserCode)
            #expect(
                try await code { $0.bindingMessage = String(repeating: "x", count: 300) } == .invalidBindingMessage)
            // Its own word for unknown_user_id.
            #expect(try await code("nobody") { _ in } == .invalidRequest)
        }
    }
}

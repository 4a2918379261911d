import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    struct PushedRequestTests {
        /// A client of glewlwyd that proves itself in some way.
        enum Registered: String, CaseIterable, CustomTestStringConvertible {
            case `public`, basic, post, secretjwt, keyjwt

            var testDescription: String { rawValue }

            func flow(_ provider: Provider) throws -> Flow {
                var flow = try Flow(provider)
                let key = flow.provider.clientKeyFile
                let credential: ClientCredential =
                    switch self {
                    case .public: .none
                    case .basic: .secret("s3cret", method: .clientSecretBasic)
                    case .post: .secret("s3cret", method: .clientSecretPost)
                    case .secretjwt: .secret("s3cret-s3cret-s3cret-s3cret-s3cret", method: .clientSecretJWT)
                    case .keyjwt: .privateKey(file: key, keyID: "client-1")
                    }
                flow = flow.client(rawValue, credential)
                flow.tolerances = [.endpointAudience]
                return flow
            }
        }

        private func logIn(_ flow: Flow, _ change: (inout AuthorizationRequest) -> Void) async throws -> AuthState {
            var request = try await flow.request()
            change(&request)
            return try await AuthState.logIn(
                .browser(request.with(flow.credential), flow.browser.userAgent()),
                at: AuthState.Place(flow.store, service: flow.service))
        }

        @Test("a pushed request logs in, and the login renews", arguments: Registered.allCases)
        func pushed(_ client: Registered) async throws {
            let flow = try client.flow(.glewlwyd)
            let state = try await logIn(flow) { $0.isPushed = true }
            let endpoint = try #require(state.record.client.provider.pushedAuthorizationRequestEndpoint)
            #expect(await flow.transport.count(of: endpoint.absoluteString) == 1)
            #expect(state.record.idToken != nil)
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test("a pushed request over TLS carries claims")
        func claims() async throws {
            let flow = try Registered.basic.flow(.glewlwydTLS)
            let state = try await logIn(flow) { request in
                request.isPushed = true
                request.claims = ClaimsRequest(userInfo: ["given_name": .essential]).json
            }
            #expect(try await state.userInfo().claims["given_name"] != nil)
        }

        @Test("the reference is for the client that pushed, once")
        func reference() async throws {
            let flow = try Registered.basic.flow(.glewlwyd)
            var request = try await flow.request()
            request.isPushed = true
            request.redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
            let pending = try await flow.service.begin(request.with(flow.credential))
            let now = Date()
            let end = try #require(pending.urlExpiresAt)
            #expect(end > now.addingTimeInterval(60) && end <= now.addingTimeInterval(90))
            #expect(pending.expiresAt > now.addingTimeInterval(590))
            let query = try #require(pending.url.query)
            #expect(query.contains("client_id=basic") && query.contains("request_uri=urn"))
            #expect(!query.contains("state=") && !query.contains("redirect_uri="))
        }

        @Test("a client that cannot prove itself pushes nothing", arguments: [Registered.basic, .secretjwt, .keyjwt])
        func wrongSecret(_ client: Registered) async throws {
            var flow = try client.flow(.glewlwyd)
            flow.credential = .secret("another-another-another-another-another", method: flow.credential.method)
            if client == .keyjwt { flow.credential = .privateKey(try SigningKey.generate(.es256, keyID: "client-1")) }
            let error = await #expect(throws: AuthStateError.self) { try await logIn(flow) { $0.isPushed = true } }
            #expect(error?.stage == .authorization && error?.kind == .configuration)
        }

        @Test("the provider that requires pushing gets a pushed request without being asked")
        func required() async throws {
            let flow = try Registered.basic.flow(.glewlwyd)
            let strict = flow.provider.issuer.replacingOccurrences(of: "/api/oidc", with: "/api/strict")
            var configuration = try await flow.service.discoverConfiguration(issuer: strict)
            configuration.tolerances = [.endpointAudience]
            #expect(configuration.metadata?.requirePushedAuthorizationRequests == true)
            var request = AuthorizationRequest(Client(configuration, id: flow.clientID))
            request.redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
            let pending = try await flow.service.begin(request.with(flow.credential))
            #expect(pending.urlExpiresAt != nil)
        }

        /// The way in which a signed request reaches the provider.
        enum Way: CaseIterable { case byValue, pushed }

        @Test(
            "a signed request logs in, by value and pushed", arguments: [Registered.secretjwt, .keyjwt], Way.allCases)
        func signed(_ client: Registered, _ way: Way) async throws {
            let flow = try client.flow(.glewlwyd)
            let state = try await logIn(flow) { request in
                request.isPushed = way == .pushed
                request.signingCredential = flow.credential
                request.claims = ClaimsRequest(userInfo: ["given_name": .essential]).json
            }
            #expect(state.record.idToken != nil)
            #expect(try await state.userInfo().claims["given_name"] != nil)
        }

        @Test("a signed request brings the answer as a form; glewlwyd ignores that in a pushed one, which is noticed")
        func formPost() async throws {
            let flow = try Registered.keyjwt.flow(.glewlwyd)
            let state = try await logIn(flow) { request in
                request.signingCredential = flow.credential
                request.responseMode = .formPost
            }
            #expect(state.isAuthorized)
            let error = await #expect(throws: AuthStateError.self) {
                try await logIn(flow) { request in
                    request.isPushed = true
                    request.responseMode = .formPost
                }
            }
            #expect(error?.code == .malformedResponse && error?.received == "query")
        }

        @Test("a request signed with another key is refused")
        func wrongKey() async throws {
            let flow = try Registered.keyjwt.flow(.glewlwyd)
            var request = try await flow.request()
            request.signingCredential = .privateKey(try SigningKey.generate(.es256, keyID: "client-1"))
            request.isPushed = true
            request.redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
            let pushed = request
            let error = await #expect(throws: AuthStateError.self) {
                try await flow.service.begin(pushed.with(flow.credential))
            }
            #expect(error?.stage == .authorization && error?.kind == .configuration)
        }

        @Test("prompt=none says what is missing, and the state stays as it was")
        func promptNone() async throws {
            let flow = try Flow(.glewlwyd)
            var request = try await flow.request()
            request.prompt = [.none]
            let silent = request
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(
                    .browser(silent, flow.browser.userAgent()),
                    at: AuthState.Place(flow.store, service: flow.service))
            }
            #expect(error?.code == .interactionRequired && error?.kind == .reauthenticationRequired)
            #expect(try await flow.store.login() == nil)
        }
    }
}

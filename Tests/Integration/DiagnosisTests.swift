import AuthStateKit
import AuthStateOAuth
import Foundation
import Testing

extension ProviderTests {
    struct DiagnosisTests {
        /// The text that the provider's page shows to the user when a request is wrong; the browser is not sent back
        /// then.
        private func page(_ flow: Flow, _ change: (inout AuthorizationRequest) throws -> Void) async throws -> String {
            var request = try await flow.request()
            request.redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
            try change(&request)
            let words = flow.browser.words().filter { $0 != "--follow" }
            let result = try await Program.run(words + [try flow.service.begin(request).url.absoluteString])
            #expect(result.status == 1 && result.output.isEmpty)
            return result.errors
        }

        @Test("a wrong redirect URI, or an unknown client, strands the user at the provider", arguments: Provider.all)
        func stranded(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let redirect = try await page(flow) { $0.redirectURI = try RedirectURI("http://127.0.0.1:1/elsewhere") }
            let client = try await page(flow) { $0.client.id = "nobody" }
            // glewlwyd's page is empty. A user can copy the sentence that the others show.
            let sentences: [(shown: String, sentence: String, name: RecognizedFailure.Name)] =
                switch provider.software {
                case .glewlwyd, .pyop, .allauth, .openIDConnect: []
                case .djangoOAuthToolkit:
                    [
                        (redirect, "Mismatching redirect URI.", .redirectMismatch),
                        (client, "Invalid client_id parameter value.", .unknownClient),
                    ]
                case .doorkeeper:
                    [
                        (redirect, "doesn't match client redirect URI.", .redirectMismatch),
                        (client, "Client authentication failed due to unknown client", .clientRefused),
                    ]
                }
            if sentences.isEmpty {
                #expect(redirect.contains("answered 403") && client.contains("answered 403"))
            }
            for (shown, sentence, name) in sentences {
                #expect(shown.replacing("&#39;", with: "'").contains(sentence))
                let response = OAuthErrorResponse(error: "invalid_request", errorDescription: sentence)
                let error = AuthStateError(response.code, stage: .authorization, "", response: response)
                #expect(error.recognizedFailure?.name == name)
            }
        }

        @Test("a scope that the client may not have is refused, and explained", arguments: [Provider.django])
        func scope(_ provider: Provider) async throws {
            var flow = try Flow(provider)
            flow.scopes = [.openID, "nonsense"]
            let error = try #require(await #expect(throws: AuthStateError.self) { try await flow.logIn() })
            #expect(error.code == .invalidScope && error.stage == .authorization)
            #expect(error.recognizedFailure?.name == .scopeRefused && error.hint == error.recognizedFailure?.hint)
        }

        @Test("a certificate of an unknown authority is told from a wrong one", arguments: [Provider.glewlwydTLS])
        func certificate(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthorizationService().discoverConfiguration(issuer: flow.issuer)
            }
            #expect(error?.recognizedFailure?.name == .untrustedCertificate)
            #expect(error?.hint?.contains("certificateAuthorityFile") == true)
        }

        @Test("the trace of a login tells every step, and no secret", arguments: Provider.all)
        func trace(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let (trace, entries) = LoginTrace.makeStream()
            var configuration = AuthorizationService.Configuration()
            configuration.trace = trace
            let service = AuthorizationService(
                transport: SystemTransport(certificateAuthorityFile: flow.provider.certificateAuthorityFile),
                configuration: configuration)
            let state = try await AuthState.logIn(
                .browser(
                    AuthorizationRequest(
                        Client(service.discoverConfiguration(issuer: flow.issuer), id: "basic"), scopes: flow.scopes,
                        redirectURI: try RedirectURI(flow.provider.redirectURI)
                    ).with(.secret("s3cret")), flow.browser.userAgent()), at: .memory(service: service))
            _ = try await state.userInfo()
            var told: [LoginTrace.Entry] = []
            for await entry in entries {
                told.append(entry)
                if entry.step == .userinfo { break }
            }
            let steps = told.map(\.step).filter { $0 != .http }
            #expect(
                steps == [
                    .discovery, .request, .browser, .callback, .answer, .tokenRequest, .tokens, .idToken, .store,
                    .userinfo,
                ])
            let record = state.record
            let request = try #require(record.lastAuthorizationResponse?.request)
            let secrets = [
                record.accessToken, record.refreshToken, record.idToken, request.nonce, request.state,
                request.codeVerifier.rawValue, "s3cret", "alice", "Alice",
            ].compactMap { $0 }.filter { !$0.isEmpty }
            #expect(secrets.count >= 8)
            let text = told.map(\.description).joined(separator: "\n")
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }
}

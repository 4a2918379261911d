import AuthStateKit
import Testing

extension ProviderTests {
    struct LogoutTests {
        @Test(
            "the provider's session ends, and the browser comes back with the request's state",
            arguments: Provider.complete)
        func endSession(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            try await flow.service.endSession(
                try request(state, of: flow), presenting: flow.browser.userAgent())
            #expect(await state.logOut(.local).failures.isEmpty)
            #expect(!state.isAuthorized)
            #expect(try await flow.store.login() == nil)
        }

        @Test("glewlwyd lets a browser in without a page only until it has logged out")
        func session() async throws {
            let flow = try Flow(.glewlwyd)
            let state = try await flow.logIn()
            #expect(try await silentLogin(flow, after: state).isAuthorized)
            try await flow.service.endSession(try request(state, of: flow), presenting: flow.browser.userAgent())
            let error = await #expect(throws: AuthStateError.self) { try await silentLogin(flow, after: state) }
            #expect(error?.code == .interactionRequired)
        }

        @Test("the answer to another logout does not count", arguments: Provider.complete)
        func foreignState(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            var request = try request(state, of: flow)
            let session = try await flow.browser.userAgent().prepare(
                redirectURI: request.postLogoutRedirectURI, for: .logout)
            request.postLogoutRedirectURI = session.redirectURI
            let callback: AuthorizationCallback
            do { callback = try await session.present(request.url()) } catch {
                await session.finish(.cancelled)
                throw error
            }
            await session.finish(.completed)
            try request.validate(callback)
            request.state = "another"
            let error = #expect(throws: AuthStateError.self) { try request.validate(callback) }
            #expect(error?.code == .stateMismatch && error?.stage == .logout)
        }

        @Test("a whole logout forgets the login, revokes the tokens and ends the session", arguments: Provider.complete)
        func whole(_ provider: Provider) async throws {
            let flow = try Flow(provider).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await flow.logIn()
            let copy = flow.copy(of: state)
            try await state.update(authorizationError: AuthStateError(.tokenRejected, stage: .resource, "Refused."))
            let outcome = await state.logOut(
                .everywhere(flow.browser.userAgent(), postLogoutRedirectURI: try RedirectURI(flow.provider.redirectURI))
            )
            #expect(outcome == LogoutOutcome(removal: .done, revocation: .done, session: .ended))
            #expect(try await flow.store.login() == nil)
            let error = await #expect(throws: AuthStateError.self) { try await copy.refresh() }
            #expect(error?.kind == .reauthenticationRequired)
        }

        @Test("glewlwyd does not let public clients revoke: the session ends and the login is forgotten all the same")
        func publicClient() async throws {
            let flow = try Flow(.glewlwyd)
            let state = try await flow.logIn()
            let outcome = await state.logOut(
                .everywhere(flow.browser.userAgent(), postLogoutRedirectURI: try RedirectURI(flow.provider.redirectURI))
            )
            #expect(outcome.removal == .done && outcome.session == .ended)
            #expect(outcome.failures.map(\.code) == [.invalidClient])
            #expect(try await flow.store.login() == nil)
        }

        private func request(_ state: AuthState, of flow: Flow) throws -> EndSessionRequest {
            let record = state.record
            return EndSessionRequest(
                configuration: record.client.provider, idTokenHint: record.idToken, clientID: record.client.id,
                postLogoutRedirectURI: try RedirectURI(flow.provider.redirectURI))
        }

        private func silentLogin(_ flow: Flow, after state: AuthState) async throws -> AuthState {
            var request = try await flow.request()
            request.prompt = [.none]
            // glewlwyd wants to be told who is meant.
            request.idTokenHint = state.record.idToken
            return try await AuthState.logIn(
                .browser(request, flow.browser.userAgent()), at: .memory(service: flow.service))
        }
    }
}

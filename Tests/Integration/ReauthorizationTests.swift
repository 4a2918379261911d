import AuthStateApp
import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    struct ReauthorizationTests {
        @Test(
            "after the provider revoked the grant, the request goes out once more as the same user",
            arguments: [Provider.glewlwyd, .django])
        func samePerson(_ provider: Provider) async throws {
            let (flow, state) = try await revoked(provider)
            let request = TransportRequest(url: try #require(try await flow.configuration().userInfoEndpoint))
            let response = try await state.performAction(
                request, reauthorize: .presenting(flow.browser.userAgent()))
            #expect(response.status == 200)
            #expect(String(decoding: response.body, as: UTF8.self).contains("alice@example.test"))
            #expect(state.isAuthorized)
            #expect(try await flow.stored() == state.record)
            // The new grant is a whole one.
            try await state.refresh()
        }

        @Test("another user's login is not taken for it, and its tokens are revoked")
        func otherPerson() async throws {
            let (flow, state) = try await revoked(.glewlwyd)
            let (before, stored) = (state.record, try await flow.stored())
            let (service, credential) = (flow.service, flow.credential)
            let bob = try LoginBrowser(user: "bob")
            let seen = Seen()
            let request = TransportRequest(url: try #require(try await flow.configuration().userInfoEndpoint))
            let error = await #expect(throws: AuthStateError.self) {
                try await state.performAction(
                    request,
                    reauthorize: Reauthorization { request in
                        let result = try await service.authorize(request.with(credential), presenting: bob.userAgent())
                        await seen.take(result.1)
                        return result
                    })
            }
            #expect(error?.code == .accountChanged)
            #expect(state.record == before && stored == before)
            #expect(try await flow.stored() == before)
            // Bob's grant was revoked.
            let tokens = try #require(await seen.tokens)
            #expect(try IDToken(parsing: try #require(tokens.idToken)).subject != nil)
            let refused = await #expect(throws: AuthStateError.self) {
                try await service.perform(
                    TokenRequest(
                        Client(try await flow.configuration(), id: flow.clientID),
                        .refreshToken(tokens.refreshToken ?? "")
                    ).with(credential))
            }
            #expect(refused?.kind == .reauthenticationRequired)
        }

        @Test("a session of an app shows that it has ended, and the same user again after the login")
        func session() async throws {
            let flow = try Flow(.glewlwyd).client("basic", .secret("s3cret", method: .clientSecretBasic))
            var configuration = AuthSessionConfiguration(
                .issuer(flow.issuer), clientID: flow.clientID, redirectURI: try RedirectURI(flow.provider.redirectURI),
                scopes: flow.scopes)
            configuration.credential = flow.credential
            let session = await AuthSessionCore(
                configuration, userAgent: flow.browser.userAgent(), service: flow.service, store: flow.store)
            #expect(try await session.signIn().email == "alice@example.test")
            let state = try #require(await session.authState)
            try await flow.revokeGrant(of: state)
            await #expect(throws: AuthStateError.self) { try await state.refresh() }
            let reauthorization = await session.reauthorization
            try await state.withReauthorization(reauthorization) { _ = try await state.refresh() }
            #expect(await session.state.user?.name == "Alice Doe")
            await session.signOut()
            #expect(await !session.state.isAuthenticated)
            #expect(try await flow.store.login() == nil)
        }

        /// A state whose grant the provider has revoked, as it is found out.
        private func revoked(_ provider: Provider) async throws -> (Flow, AuthState) {
            let flow = try Flow(provider).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await flow.logIn()
            try await flow.revokeGrant(of: state)
            await #expect(throws: AuthStateError.self) { try await state.refresh() }
            return (flow, state)
        }
    }
}

/// The tokens of a login.
private actor Seen {
    private(set) var tokens: TokenResponse?
    func take(_ tokens: TokenResponse) { self.tokens = tokens }
}

extension Flow {
    /// The stored state.
    fileprivate func stored() async throws -> AuthState.Record? {
        guard let stored = try await store.load(.default) else { return nil }
        var record = try AuthStateArchive(data: stored.archive).record
        // A secret in memory is not archived.
        record.client.credential = credential
        return record
    }

    /// Revokes both tokens of a state, without telling it.
    fileprivate func revokeGrant(of state: AuthState) async throws {
        let record = state.record
        for (token, hint) in [(record.refreshToken, TokenTypeHint.refreshToken), (record.accessToken, .accessToken)] {
            try await service.revoke(
                RevocationRequest(
                    Client(record.client.provider, id: clientID), token: try #require(token), tokenTypeHint: hint
                ).with(credential))
        }
    }
}

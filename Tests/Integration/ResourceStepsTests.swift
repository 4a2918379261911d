import AuthStateKit
import AuthStateResource
import Foundation
import Testing

extension ProviderTests {
    /// The way from a resource to a token in the library's single steps, for programs that do without `ResourceAccess`.
    struct ResourceStepsTests {
        private static let softwares = [ResourceServer.Software.mcp, .fastmcp]

        private func run(
            _ software: ResourceServer.Software, _ body: (ResourceServer) async throws -> Void
        ) async throws {
            var settings = ["ACCESS_TOKEN_SECONDS": "4", "SCOPE_IN_CHALLENGE": "1"]
            if software == .fastmcp { settings["UPSTREAM_ISSUER"] = try Provider.glewlwyd.process.issuer }
            try await ResourceServer.run(software, settings, body)
        }

        /// A login at the server that the resource names, with a client that registers there.
        private func logIn(
            _ service: AuthorizationService, _ server: ResourceServer, _ browser: LoginBrowser
        ) async throws -> AuthState {
            let resource = try ResourceIdentifier(server.resource)
            let refusal = try await service.transport.send(try ToolCall(name: "add").request(to: server.resource))
            #expect(refusal.status == 401)
            let challenges = try #require(
                AuthenticationChallenge.parse(refusal.headers[values: "WWW-Authenticate"]))
            let challenge = try #require(AuthenticationChallenge.answerable(in: challenges))
            let described = try await service.describe(resource, challenge: challenge)
            #expect(described.identifier == server.resource)
            let issuer = try #require(described.metadata.authorizationServers.first)
            let provider = try await service.discoverAuthorizationServer(issuer, of: resource)
            #expect(provider.issuer?.rawValue == server.issuer)

            let redirectURI = try RedirectURI("http://127.0.0.1:\(RedirectPorts.next())/callback")
            var registration = RegistrationRequest(provider, redirectURIs: [redirectURI])
            registration.grantTypes = [.authorizationCode, .refreshToken]
            registration.responseTypes = [.code]
            registration.tokenEndpointAuthMethod = .clientSecretPost
            let state = try await AuthState.register(registration, at: .memory(service: service))
            let scopes = ScopeSelection.first(challenge, resource: described.metadata, server: provider.metadata)
            var request = AuthorizationRequest(state.record.client, scopes: scopes, redirectURI: redirectURI)
            request.resources = [described.identifier]
            try await state.authorize(request, presenting: browser.userAgent())
            return state
        }

        private func call(
            _ state: AuthState, _ server: ResourceServer, _ tool: String, _ arguments: [String: JSONValue]
        ) async throws -> String {
            let request = try ToolCall(name: tool, arguments: arguments).request(to: server.resource)
            return try ToolCall.text(try await state.performAction(request))
        }

        @Test("a login, a call, a renewal, more rights, a revoked grant and a new login", arguments: softwares)
        func life(_ software: ResourceServer.Software) async throws {
            try await run(software) { server in
                let service = AuthorizationService()
                let browser = try LoginBrowser()
                let state = try await logIn(service, server, browser)
                #expect(try await call(state, server, "add", ["a": 1, "b": 2]) == "3")
                let first = state.record
                try await Task.sleep(for: .seconds(4))
                #expect(try await call(state, server, "add", ["a": 2, "b": 2]) == "4")
                #expect(state.record.accessToken != first.accessToken && state.record.grantID == first.grantID)

                // More rights: the union of what was asked for and what the challenge names.
                let refusal = await #expect(throws: AuthStateError.self) {
                    try await call(state, server, "write_note", ["text": "x"])
                }
                #expect(refusal?.code == .insufficientScope && state.isAuthorized)
                let before = try #require(state.record.lastAuthorizationResponse?.request)
                var more = AuthorizationRequest(
                    state.record.client,
                    scopes: ScopeSelection.stepUp(
                        from: before.scopes, refusal?.challenge, server: state.record.client.provider.metadata),
                    redirectURI: before.redirectURI)
                more.resources = before.resources
                #expect(more.scopes.count > before.scopes.count)
                try await state.authorize(more, presenting: browser.userAgent())
                _ = try await call(state, server, "write_note", ["text": "x"])

                // The grant is revoked behind the state's back; the same client logs in again.
                let record = state.record
                try await service.revoke(
                    RevocationRequest(record.client, token: try #require(record.refreshToken)))
                let revoked = await #expect(throws: AuthStateError.self) { try await state.refresh() }
                #expect(revoked?.kind == .reauthenticationRequired && !state.isAuthorized)
                var again = AuthorizationRequest(
                    state.record.client, scopes: before.scopes, redirectURI: before.redirectURI)
                again.resources = before.resources
                try await state.authorize(again, presenting: browser.userAgent())
                #expect(try await call(state, server, "add", ["a": 3, "b": 3]) == "6")
                #expect(state.record.client.id == record.client.id && state.record.grantID != record.grantID)
            }
        }
    }
}

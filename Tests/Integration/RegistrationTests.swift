import AuthStateKit
import Testing

extension ProviderTests {
    @Suite("clients that register themselves") struct RegistrationTests {
        private func register(_ provider: Provider) async throws -> (AuthState, Flow) {
            var flow = try Flow(provider)
            // django-oauth-toolkit does not say when the secret ends.
            if provider == .django { flow.tolerances = [.missingSecretExpiry] }
            var request = RegistrationRequest(
                configuration: try await flow.configuration(),
                redirectURIs: [try RedirectURI(flow.provider.redirectURI)])
            request.clientName = "Registered"
            request.grantTypes = [.authorizationCode, .refreshToken]
            request.responseTypes = [.code]
            request.tokenEndpointAuthMethod = .clientSecretBasic
            let state = try await AuthState.register(request, service: flow.service, store: flow.store)
            return (state, flow)
        }

        private func logIn(_ state: AuthState, _ flow: Flow) async throws {
            let record = state.snapshot
            let registered = record.lastRegistrationResponse?.metadata["redirect_uris"]?.arrayValue?.first?.stringValue
            let request = AuthorizationRequest(
                configuration: record.configuration, clientID: record.clientID, scopes: [.openID],
                redirectURI: try RedirectURI(try #require(registered)))
            try await state.authorize(request, presenting: flow.browser.userAgent())
        }

        static let providers = [Provider.glewlwyd, .django]

        @Test("log in, renew, and log in again with the same registration", arguments: providers)
        func life(_ provider: Provider) async throws {
            let (state, flow) = try await register(provider)
            try await logIn(state, flow)
            let first = state.snapshot.accessToken
            #expect(first != nil)
            let restored = try await AuthState.restore(from: flow.store, service: flow.service)
            try await logIn(restored, flow)
            #expect(restored.snapshot.clientID == state.snapshot.clientID)
            #expect(restored.snapshot.accessToken != first)
        }

        @Test("read, change and delete their registration", arguments: providers)
        func management(_ provider: Provider) async throws {
            let (state, flow) = try await register(provider)
            try await logIn(state, flow)
            let before = state.snapshot
            let read = try await state.readRegistration()
            #expect(read.clientID == before.clientID && read.metadata["client_name"] == "Registered")
            let changed = try await state.updateRegistration { $0.clientName = "Renamed" }
            #expect(changed.metadata["client_name"] == "Renamed")
            #expect(try await state.readRegistration().metadata["client_name"] == "Renamed")
            #expect(state.snapshot.grantID == before.grantID && state.isAuthorized)
            let copy = AuthState(state.snapshot, service: flow.service)
            try await state.deleteRegistration()
            #expect(!state.isAuthorized && state.snapshot.lastRegistrationResponse == nil)
            let error = await #expect(throws: AuthStateError.self) { try await copy.readRegistration() }
            #expect(error?.code == .registrationTokenRejected)
        }
    }
}

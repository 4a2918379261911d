import AuthStateKit
import Testing

extension ProviderTests {
    struct IntrospectionTests {
        private func confidential(_ provider: Provider) throws -> Flow {
            try Flow(provider).client("basic", .secret("s3cret", method: .clientSecretBasic))
        }

        @Test(
            "the provider describes the access token, and reports it as inactive once it is revoked",
            arguments: Provider.all)
        func access(_ provider: Provider) async throws {
            let state = try await confidential(provider).logIn()
            let answer = try await state.introspect()
            #expect(answer.isActive && answer.clientID == "basic")
            #expect(answer.scope?.contains("profile") == true)
            #expect(answer.expirationDate != nil)
            let copy = AuthState(state.record, service: state.service, store: InMemoryAuthStateStore())
            try await state.revoke()
            #expect(!state.isAuthorized)
            #expect(try await copy.introspect().isActive == false)
            let error = await #expect(throws: AuthStateError.self) { try await copy.refresh() }
            #expect(error?.kind == .reauthenticationRequired)
        }

        @Test("glewlwyd describes a refresh token, and django-oauth-toolkit reports it as inactive")
        func refresh() async throws {
            #expect(try await confidential(.glewlwyd).logIn().introspect(.refreshToken).isActive)
            #expect(try await confidential(.django).logIn().introspect(.refreshToken).isActive == false)
        }

        @Test("a client without a secret gets no description", arguments: [Provider.glewlwyd, .django])
        func publicClient(_ provider: Provider) async throws {
            let state = try await Flow(provider).logIn()
            let error = await #expect(throws: AuthStateError.self) { try await state.introspect() }
            #expect(error?.code == .invalidClient && error?.kind == .configuration)
            #expect(state.isAuthorized)
        }

        @Test("Doorkeeper describes a public client's own tokens to it")
        func ownToken() async throws {
            let state = try await Flow(.doorkeeper).logIn()
            #expect(try await state.introspect().isActive)
            #expect(try await state.introspect(.refreshToken).isActive)
        }

        @Test("a public client revokes its grant, but is refused at glewlwyd")
        func publicRevocation() async throws {
            for provider in [Provider.django, .doorkeeper] {
                let taken = try await Flow(provider).logIn()
                try await taken.revoke()
                #expect(!taken.isAuthorized)
            }
            let kept = try await Flow(.glewlwyd).logIn()
            let error = await #expect(throws: AuthStateError.self) { try await kept.revoke() }
            #expect(error?.code == .invalidClient && error?.stage == .logout)
            #expect(kept.isAuthorized)
            try await kept.refresh()
        }

        @Test("a client's own state introspects its token, and revokes it")
        func machine() async throws {
            for (provider, clientID) in [(Provider.glewlwyd, "basic"), (.django, "machine"), (.doorkeeper, "machine")] {
                let flow = try Flow(provider).client(clientID, .secret("s3cret"))
                let state = try await AuthState.logIn(
                    .clientCredentials(
                        Client(try await flow.configuration(), id: clientID, credential: flow.credential),
                        scopes: [.profile]), at: .memory(service: flow.service))
                let answer = try await state.introspect()
                #expect(answer.isActive && answer.clientID == clientID && answer.scope == "profile")
                let copy = AuthState(state.record, service: flow.service, store: InMemoryAuthStateStore())
                try await state.revoke()
                #expect(try await copy.introspect().isActive == false)
            }
        }
    }
}

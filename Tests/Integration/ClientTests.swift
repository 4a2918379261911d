import AuthStateKit
import Testing

extension ProviderTests {
    struct ClientTests {
        /// A client that proves who it is.
        struct Proof: CustomTestStringConvertible {
            var provider: Provider
            var clientID: String
            var secret = "s3cret"
            var method: ClientAuthenticationMethod?

            var testDescription: String {
                "\(clientID) at \(provider.testDescription), \(method?.rawValue ?? "unspecified")"
            }

            func flow(secret other: String? = nil) throws -> Flow {
                try Flow(provider).client(clientID, .secret(other ?? secret, method: method))
            }
        }

        static let proofs = [
            Proof(provider: .glewlwyd, clientID: "basic", method: .clientSecretBasic),
            Proof(provider: .glewlwyd, clientID: "basic"),
            Proof(provider: .glewlwyd, clientID: "post", method: .clientSecretPost),
            Proof(provider: .glewlwydTLS, clientID: "post", method: .clientSecretPost),
            Proof(provider: .django, clientID: "basic", method: .clientSecretBasic),
            Proof(provider: .django, clientID: "basic", method: .clientSecretPost),
            Proof(provider: .django, clientID: "odd", secret: "p@ss:w%rd+/=", method: .clientSecretBasic),
            Proof(provider: .django, clientID: "odd", secret: "p@ss:w%rd+/=", method: .clientSecretPost),
            Proof(provider: .doorkeeper, clientID: "basic", method: .clientSecretBasic),
            Proof(provider: .doorkeeper, clientID: "basic", method: .clientSecretPost),
            Proof(provider: .doorkeeper, clientID: "odd", secret: "p@ss:w%rd+/=", method: .clientSecretPost),
        ]

        @Test("clients log in and renew with the right secret", arguments: proofs)
        func rightSecret(_ proof: Proof) async throws {
            let state = try await proof.flow().logIn()
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test(
            "clients log in where HTTP Basic is not form-decoded, only when that is tolerated",
            arguments: [Provider.glewlwyd, .doorkeeper], [true, false])
        func unencodedBasic(_ provider: Provider, _ isTolerated: Bool) async throws {
            var flow = try Flow(provider).client("odd", .secret("p@ss:w%rd+/=", method: .clientSecretBasic))
            flow.tolerances = isTolerated ? [.unencodedBasic] : []
            guard isTolerated else {
                let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
                #expect(error?.kind == .configuration)
                return
            }
            let state = try await flow.logIn()
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test("clients get nothing with a wrong secret", arguments: proofs)
        func wrongSecret(_ proof: Proof) async throws {
            let flow = try proof.flow(secret: "wrong")
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            // glewlwyd answers 403 unauthorized_client.
            #expect(error?.code == (proof.provider.software == .glewlwyd ? .unauthorizedClient : .invalidClient))
            #expect(error?.kind == .configuration)
            #expect(try await flow.store.login() == nil)
        }

        @Test("a wrong secret at a renewal does not cost the grant", arguments: proofs.filter { $0.method != nil })
        func wrongSecretAtRenewal(_ proof: Proof) async throws {
            let flow = try proof.flow()
            let state = try await flow.logIn()
            var record = state.record
            record.client.credential = .secret("wrong", method: proof.method)
            let misled = AuthState(record, service: flow.service, store: InMemoryAuthStateStore())
            let error = await #expect(throws: AuthStateError.self) { try await misled.refresh() }
            #expect(misled.isAuthorized)
            #expect(misled.record.refreshToken == record.refreshToken)
            // glewlwyd says nothing but 400, and takes the grant away.
            guard proof.provider.software != .glewlwyd else {
                #expect(error?.code == .refusedWithoutReason)
                return
            }
            #expect(error?.code == .invalidClient)
            #expect(try await state.refresh().accessToken != record.accessToken)
        }

        @Test(
            "clients get tokens of their own",
            arguments: [
                Proof(provider: .glewlwyd, clientID: "basic", method: .clientSecretBasic),
                Proof(provider: .glewlwydTLS, clientID: "post", method: .clientSecretPost),
                Proof(provider: .django, clientID: "machine", method: .clientSecretBasic),
                Proof(provider: .django, clientID: "machine", method: .clientSecretPost),
                Proof(provider: .doorkeeper, clientID: "machine", method: .clientSecretBasic),
            ])
        func clientCredentials(_ proof: Proof) async throws {
            let flow = try proof.flow()
            let state = try await AuthState.logIn(
                .clientCredentials(
                    Client(try await flow.configuration(), id: proof.clientID, credential: flow.credential),
                    scopes: [.profile]), at: .memory(service: flow.service))
            #expect(state.isAuthorized && state.status.canRenew)
            #expect(state.record.refreshToken == nil && state.record.idToken == nil)
            #expect(state.status.scope == "profile")
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test("a machine with a wrong secret gets nothing", arguments: [Provider.glewlwyd, .django, .doorkeeper])
        func wrongClientCredentials(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let configuration = try await flow.configuration()
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(
                    .clientCredentials(
                        Client(
                            configuration, id: provider.software == .glewlwyd ? "basic" : "machine",
                            credential: .secret("wrong")), scopes: [.profile]),
                    at: AuthState.Place(flow.store, service: flow.service))
            }
            // glewlwyd answers 403 with an empty body.
            #expect(error?.code == .invalidClient)
            #expect(try await flow.store.login() == nil)
        }
    }
}

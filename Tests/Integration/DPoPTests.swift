import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// Tokens bound to a key (RFC 9449).
    struct DPoPTests {
        /// A life from login to a renewal; every answer of glewlwyd's userinfo is also what a resource of one's own is.
        private func live(_ flow: Flow) async throws -> AuthState {
            let state = try await flow.logIn()
            let first = state.record
            #expect(first.lastTokenResponse?.tokenType.lowercased() == "dpop")
            #expect(try await state.userInfo().email == "alice@example.test")
            let tokens = try await state.refresh()
            #expect(tokens.isDPoPBound && tokens.accessToken != first.accessToken)
            #expect(state.record.refreshToken != first.refreshToken && state.record.dpopKey == first.dpopKey)
            let endpoint = try #require(first.client.provider.userInfoEndpoint)
            let response = try await state.performAction(TransportRequest(url: endpoint))
            #expect(response.status == 200)
            return state
        }

        private func boundFlow(_ provider: Provider, _ algorithm: SignatureAlgorithm = .es256) throws -> Flow {
            var flow = try Flow(provider)
            flow.dpopKey = try .generate(algorithm)
            return flow
        }

        @Test("bound tokens serve a login, userinfo and a renewal", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func life(_ provider: Provider) async throws {
            _ = try await live(boundFlow(provider))
        }

        @Test(
            "the strict provider gets pushed requests and nonces",
            arguments: ["public", "basic", "keyjwt"], [Provider.glewlwyd, .glewlwydTLS])
        func strict(_ client: String, _ provider: Provider) async throws {
            var flow = try boundFlow(provider)
            flow.issuer = try #require(flow.provider.strictIssuer)
            switch client {
            case "basic": flow = flow.client(client, .secret("s3cret", method: .clientSecretBasic))
            case "keyjwt": flow = flow.client(client, .privateKey(file: flow.provider.clientKeyFile, keyID: "client-1"))
            default: break
            }
            // glewlwyd wants a nonce in a pushed request's proof, and says so only at its other endpoints.
            flow.tolerances = [.endpointAudience, .unprovenPush]
            let state = try await live(flow)
            let token = state.record.accessToken
            let endpoint = try #require(state.record.client.provider.userInfoEndpoint)
            // More often than a nonce serves: each time it ends the request is repeated, and the token stays.
            for _ in 0..<12 {
                #expect(try await state.performAction(TransportRequest(url: endpoint)).status == 200)
            }
            #expect(state.record.accessToken == token)
            for _ in 0..<7 { try await state.refresh() }
            #expect(try await state.userInfo().email == "alice@example.test")
        }

        @Test("keys of other kinds sign proofs", arguments: [SignatureAlgorithm.es384, .es512, .edDSA, .rs256, .ps256])
        func algorithms(_ algorithm: SignatureAlgorithm) async throws {
            _ = try await live(boundFlow(.glewlwyd, algorithm))
        }

        @Test("a stored login goes on with its key, and is worth nothing without it")
        func stored() async throws {
            let folder = try TemporaryFolder()
            var flow = try boundFlow(.glewlwyd)
            flow.store = FileAuthStateStore(file: folder("state.json"))
            let first = try await flow.logIn().record
            let restored = try await AuthState.restore(at: AuthState.Place(flow.store, service: flow.service))
            #expect(try await restored.refresh().accessToken != first.accessToken)
            #expect(try await restored.userInfo().email == "alice@example.test")
            var stolen = restored.record
            stolen.dpopKey = try .generate()
            let thief = AuthState(stolen, service: flow.service, store: InMemoryAuthStateStore())
            // Not at userinfo, where glewlwyd takes the proof of any key.
            let renewal = await #expect(throws: AuthStateError.self) { try await thief.refresh() }
            #expect(renewal?.code == .invalidDPoPProof)
            #expect(try await restored.refresh().isDPoPBound)
        }

        @Test("a client's own tokens are bound, too")
        func clientCredentials() async throws {
            let flow = try boundFlow(.glewlwyd).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await AuthState.logIn(
                .clientCredentials(
                    Client(try await flow.configuration(), id: flow.clientID, credential: flow.credential),
                    scopes: [.profile], dpopKey: flow.dpopKey), at: .memory(service: flow.service))
            let first = state.record
            #expect(first.lastTokenResponse?.tokenType.lowercased() == "dpop")
            #expect(try await state.refresh().accessToken != first.accessToken)
        }

        @Test("a login on another device brings tokens that are bound")
        func device() async throws {
            let flow = try boundFlow(.glewlwyd)
            var request = try await DeviceTests.request(flow)
            request.dpopKey = flow.dpopKey
            let state = try await AuthState.logIn(
                .device(request) { response in
                    try await flow.browser.open(try #require(response.verificationURIComplete))
                }, at: .memory(service: flow.service))
            #expect(state.record.dpopKey == flow.dpopKey)
            #expect(try await state.userInfo().name == "Alice Doe")
            #expect(try await state.refresh().isDPoPBound)
        }

        @Test("django-oauth-toolkit, which knows no DPoP, issues bearer tokens: refused")
        func downgrade() async throws {
            let flow = try boundFlow(.django)
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .unsupportedTokenType && error?.expected == "DPoP")
            #expect(try await flow.store.login() == nil)
        }
    }
}

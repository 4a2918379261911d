import AuthStateKit
import Testing

extension ProviderTests {
    struct ClientAssertionTests {
        /// The ways in which a client of glewlwyd signs.
        enum Signer: String, CaseIterable, CustomTestStringConvertible {
            case secret = "secretjwt"
            case key = "keyjwt"

            var testDescription: String { rawValue }

            /// With the secret or the key that glewlwyd knows.
            func credential(_ process: ProviderProcess) -> ClientCredential {
                switch self {
                case .secret: .secret("s3cret-s3cret-s3cret-s3cret-s3cret", method: .clientSecretJWT)
                case .key: .privateKey(file: process.clientKeyFile, keyID: "client-1")
                }
            }

            /// With another one.
            func wrongCredential() throws -> ClientCredential {
                switch self {
                case .secret: .secret("another-another-another-another-another", method: .clientSecretJWT)
                case .key: .privateKey(try SigningKey.generate(.es256, keyID: "client-1"))
                }
            }

            func flow(_ provider: Provider) throws -> Flow {
                var flow = try Flow(provider)
                flow = flow.client(rawValue, credential(flow.provider))
                // glewlwyd wants the called endpoint's URL as the audience.
                flow.tolerances = [.endpointAudience]
                return flow
            }
        }

        static let providers = [Provider.glewlwyd, .glewlwydTLS]

        @Test("clients that sign log in, renew and revoke", arguments: Signer.allCases, providers)
        func life(_ signer: Signer, _ provider: Provider) async throws {
            let flow = try signer.flow(provider)
            let state = try await flow.logIn()
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
            let record = state.record
            try await flow.service.revoke(
                RevocationRequest(record.client, token: try #require(record.refreshToken), tokenTypeHint: .refreshToken)
                    .with(record.client.credential))
            let error = await #expect(throws: AuthStateError.self) { try await state.refresh() }
            #expect(error?.kind == .reauthenticationRequired)
        }

        @Test("clients that sign get tokens of their own", arguments: Signer.allCases)
        func clientCredentials(_ signer: Signer) async throws {
            let flow = try signer.flow(.glewlwyd)
            let state = try await AuthState.logIn(
                .clientCredentials(
                    Client(try await flow.configuration(), id: flow.clientID, credential: flow.credential),
                    scopes: [.profile]), at: .memory(service: flow.service))
            let first = state.record.accessToken
            #expect(try await state.refresh().accessToken != first)
        }

        @Test("clients that sign get nothing with another secret or key", arguments: Signer.allCases)
        func wrong(_ signer: Signer) async throws {
            var flow = try signer.flow(.glewlwyd)
            flow.credential = try signer.wrongCredential()
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.kind == .configuration)
            #expect(try await flow.store.login() == nil)
        }

        @Test(
            "clients get nothing with an assertion for the issuer, where the endpoint's URL is wanted",
            arguments: Signer.allCases)
        func issuerAudience(_ signer: Signer) async throws {
            var flow = try signer.flow(.glewlwyd)
            flow.tolerances = []
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.kind == .configuration)
        }

        @Test("a stored login renews with the key that it refers to")
        func stored() async throws {
            let folder = try TemporaryFolder()
            var flow = try Signer.key.flow(.glewlwyd)
            flow.store = FileAuthStateStore(file: folder("state.json"))
            let first = try await flow.logIn().record.accessToken
            let restored = try await AuthState.restore(at: AuthState.Place(flow.store, service: flow.service))
            #expect(try await restored.refresh().accessToken != first)
            #expect(folder.text("state.json").contains(flow.provider.clientKeyFile))
            #expect(!folder.text("state.json").contains("PRIVATE KEY"))
        }
    }
}

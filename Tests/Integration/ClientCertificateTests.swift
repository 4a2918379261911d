#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    extension ProviderTests {
        struct ClientCertificateTests {
            /// The clients of glewlwyd, known by the authority behind the certificate, or by the certificate itself.
            static let clients = ["mtls", "selfsigned"]

            /// A client of glewlwyd, with the certificate of this name; nil shows none.
            private func flow(_ client: String, certificate name: String?) throws -> Flow {
                let process = try Flow(.glewlwydTLS).provider
                let certificate = name.map { name in
                    let files = process.clientCertificateFiles(name)
                    return CurlTransport.ClientCertificate(certificateFile: files.certificate, keyFile: files.key)
                }
                let transport = CurlTransport(
                    configuration: .init(
                        certificateAuthorityFile: process.certificateAuthorityFile, clientCertificate: certificate))
                return try Flow(process, transport: transport).client(
                    client, .certificate(isSelfSigned: client == "selfsigned"))
            }

            @Test("clients log in, renew and revoke at the endpoints for certificates", arguments: clients)
            func life(_ client: String) async throws {
                let flow = try flow(client, certificate: client)
                let state = try await flow.logIn()
                let first = state.record.accessToken
                #expect(try await state.refresh().accessToken != first)
                let record = state.record
                let alias = record.client.provider.metadata?.mtlsEndpointAliases?["token_endpoint"]?.stringValue
                #expect(await flow.transport.count(of: try #require(alias)) == 2)
                #expect(try await flow.tokenRequests() == 0)
                try await flow.service.revoke(
                    RevocationRequest(
                        record.client, token: try #require(record.refreshToken), tokenTypeHint: .refreshToken
                    ).with(record.client.credential))
                await #expect(throws: AuthStateError.self) { try await state.refresh() }
            }

            @Test("clients get tokens of their own, which are bound to the certificate", arguments: clients)
            func clientCredentials(_ client: String) async throws {
                let flow = try flow(client, certificate: client)
                let state = try await AuthState.logIn(
                    .clientCredentials(
                        Client(try await flow.configuration(), id: flow.clientID, credential: flow.credential),
                        scopes: [.profile]), at: .memory(service: flow.service))
                let token = try #require(state.record.accessToken)
                let claims = try JSONWebToken(parsing: token).claims
                #expect(claims["cnf"]?["x5t#S256"]?.stringValue?.isEmpty == false)
            }

            @Test(
                "clients get nothing with another certificate, or without one",
                arguments: [
                    ("mtls", "stranger"), ("mtls", "selfsigned"), ("mtls", nil), ("selfsigned", "mtls"),
                    ("selfsigned", nil),
                ] as [(String, String?)])
            func wrong(_ client: String, _ certificate: String?) async throws {
                let flow = try flow(client, certificate: certificate)
                let configuration = try await flow.configuration()
                let error = await #expect(throws: AuthStateError.self) {
                    try await AuthState.logIn(
                        .clientCredentials(
                            Client(configuration, id: flow.clientID, credential: flow.credential), scopes: [.profile]),
                        at: AuthState.Place(flow.store, service: flow.service))
                }
                #expect(error?.kind == .configuration)
                #expect(try await flow.store.login() == nil)
            }

            @Test("a stored login renews with the certificate, of which the archive knows nothing")
            func stored() async throws {
                let folder = try TemporaryFolder()
                var flow = try flow("mtls", certificate: "mtls")
                flow.store = FileAuthStateStore(file: folder("state.json"))
                let first = try await flow.logIn().record.accessToken
                let restored = try await AuthState.restore(
                    at: AuthState.Place(flow.store, service: flow.service))
                #expect(try await restored.refresh().accessToken != first)
                #expect(!folder.text("state.json").contains("mtls.pem"))
            }
        }
    }
#endif

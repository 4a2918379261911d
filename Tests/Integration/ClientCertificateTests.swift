#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    extension ProviderTests {
        @Suite("clients with a certificate") struct ClientCertificateTests {
            /// glewlwyd's client `mtls`, with a certificate of its authority; nil shows none.
            private func flow(certificate name: String? = "mtls") throws -> Flow {
                let process = try Flow(.glewlwydTLS).provider
                let certificate = name.map { name in
                    let files = process.clientCertificateFiles(name)
                    return CurlTransport.ClientCertificate(certificateFile: files.certificate, keyFile: files.key)
                }
                let transport = CurlTransport(
                    configuration: .init(
                        certificateAuthorityFile: process.certificateAuthorityFile, clientCertificate: certificate))
                return try Flow(process, transport: transport).client("mtls", .certificate())
            }

            @Test("log in, renew and revoke at the endpoints for certificates")
            func life() async throws {
                let flow = try flow()
                let state = try await flow.logIn()
                let first = state.snapshot.accessToken
                #expect(try await state.refresh().accessToken != first)
                let record = state.snapshot
                let alias = record.configuration.metadata?.mtlsEndpointAliases?["token_endpoint"]?.stringValue
                #expect(await flow.transport.count(of: try #require(alias)) == 2)
                #expect(try await flow.tokenRequests() == 0)
                try await flow.service.revoke(
                    RevocationRequest(
                        configuration: record.configuration, clientID: record.clientID,
                        token: try #require(record.refreshToken), tokenTypeHint: .refreshToken),
                    credential: record.credential)
                await #expect(throws: AuthStateError.self) { try await state.refresh() }
            }

            @Test("get tokens of their own, which are bound to the certificate")
            func clientCredentials() async throws {
                let flow = try flow()
                let state = try await AuthState.clientCredentials(
                    configuration: try await flow.configuration(), clientID: flow.clientID,
                    credential: flow.credential, scopes: [.profile], service: flow.service)
                let token = try #require(state.snapshot.accessToken)
                let claims = try JSONWebToken(parsing: token).claims
                #expect(claims["cnf"]?["x5t#S256"]?.stringValue?.isEmpty == false)
            }

            @Test("get nothing with another certificate, or without one", arguments: ["stranger", nil])
            func wrong(_ certificate: String?) async throws {
                let flow = try flow(certificate: certificate)
                let configuration = try await flow.configuration()
                let error = await #expect(throws: AuthStateError.self) {
                    try await AuthState.clientCredentials(
                        configuration: configuration, clientID: flow.clientID, credential: flow.credential,
                        scopes: [.profile], service: flow.service, store: flow.store)
                }
                #expect(error?.kind == .configuration)
                #expect(try await flow.store.load(.default) == nil)
            }

            @Test("a stored login renews with the certificate, of which the archive knows nothing")
            func stored() async throws {
                let folder = try TemporaryFolder()
                var flow = try flow()
                flow.store = FileAuthStateStore(file: folder("state.json"))
                let first = try await flow.logIn().snapshot.accessToken
                let restored = try await AuthState.restore(from: flow.store, service: flow.service)
                #expect(try await restored.refresh().accessToken != first)
                #expect(!folder.text("state.json").contains("mtls.pem"))
            }
        }
    }
#endif

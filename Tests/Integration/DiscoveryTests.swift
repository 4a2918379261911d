import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    struct DiscoveryTests {
        @Test("the document names the issuer and its endpoints", arguments: Provider.all)
        func document(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let configuration = try await flow.configuration()
            let base = flow.provider.issuer
            #expect(configuration.issuer?.rawValue == base)
            for endpoint in [
                configuration.authorizationEndpoint, configuration.tokenEndpoint, configuration.jwksURI,
                configuration.userInfoEndpoint,
            ] {
                #expect(endpoint?.absoluteString.hasPrefix(base) == true)
            }
            // Doorkeeper has no logout, and does not say that it checks code challenges.
            let isComplete = Provider.complete.contains(provider)
            #expect(configuration.endSessionEndpoint?.absoluteString.hasPrefix(base) == (isComplete ? true : nil))
            #expect(
                configuration.metadata?.codeChallengeMethodsSupported?.contains("S256") == (isComplete ? true : nil))
        }

        @Test("the document is fetched once", arguments: [Provider.glewlwyd, .django])
        func cache(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let first = try await flow.configuration()
            #expect(try await flow.configuration() == first)
            // The second document of django-oauth-toolkit names what its first one lacks.
            #expect(await flow.transport.total == (provider == .django ? 2 : 1))
        }

        @Test("endpoints that OpenID Connect's document lacks come from RFC 8414's", arguments: Provider.complete)
        func completion(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let configuration = try await flow.configuration()
            let base = flow.provider.issuer
            for endpoint in [
                configuration.revocationEndpoint, configuration.introspectionEndpoint,
                configuration.registrationEndpoint,
            ] {
                #expect(endpoint?.absoluteString.hasPrefix(base) == true)
            }
            let second = try #require(configuration.issuer?.authorizationServerMetadataURL).absoluteString
            #expect(await flow.transport.count(of: second) == (provider == .django ? 1 : 0))
        }

        @Test("the RFC 8414 document alone is enough for OAuth", arguments: [Provider.django])
        func plainOAuth(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let url = try #require(try Issuer(flow.provider.issuer).authorizationServerMetadataURL)
            let document = try await flow.transport.send(TransportRequest(url: url))
            let configuration = try ProviderConfiguration(
                metadata: ProviderMetadata(parsing: document.body), issuer: Issuer(flow.provider.issuer),
                kind: .authorizationServer)
            let discovered = try await flow.configuration()
            #expect(configuration.tokenEndpoint == discovered.tokenEndpoint)
        }

        @Test("a slash too much makes another issuer", arguments: Provider.all)
        func otherIssuer(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let error = await #expect(throws: AuthStateError.self) {
                try await flow.service.discoverConfiguration(issuer: flow.provider.issuer + "/")
            }
            #expect([.issuerMismatch, .discoveryFailed].contains(error?.code))
            #expect(error?.kind == .configuration && error?.stage == .discovery)
        }

        @Test("a certificate authority that the program does not name is not trusted")
        func foreignAuthority() async throws {
            let issuer = try Provider.glewlwydTLS.process.issuer
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthorizationService().discoverConfiguration(issuer: issuer)
            }
            #expect(error?.code == .insecureConnection && error?.kind == .configuration)
        }

        @Test("the authority of another provider is not trusted either")
        func otherAuthority() async throws {
            let folder = try TemporaryFolder()
            let made = try await Program.run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "1", "-subj", "/CN=another authority", "-keyout", folder("key"), "-out", folder("ca.pem"),
            ])
            #expect(made.status == 0, "\(made.errors)")
            let service = AuthorizationService(
                transport: SystemTransport(certificateAuthorityFile: folder("ca.pem")))
            let issuer = try Provider.glewlwydTLS.process.issuer
            let error = await #expect(throws: AuthStateError.self) {
                try await service.discoverConfiguration(issuer: issuer)
            }
            #expect(error?.code == .insecureConnection)
        }

        @Test("a provider that cannot be reached is worth another try")
        func unreachable() async throws {
            let port = try Listener()
            port.close()
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthorizationService().discoverConfiguration(issuer: "http://127.0.0.1:\(port.port)")
            }
            #expect(error?.code == .unreachable && error?.kind == .transient)
        }
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ServiceConfigurationTests {
    @Test func `a configuration is made of the discovery document, and survives an archive`() throws {
        let configuration = try Fixtures.configuration(metadata: [
            "userinfo_endpoint": "https://op.example/me", "end_session_endpoint": "https://op.example/bye",
            "registration_endpoint": "https://op.example/register", "revocation_endpoint": "https://op.example/revoke",
            "introspection_endpoint": "https://op.example/introspect",
        ])
        #expect(configuration.issuer?.rawValue == "https://op.example")
        #expect(configuration.authorizationEndpoint?.path == "/authorize")
        #expect(configuration.tokenEndpoint.path == "/token" && configuration.jwksURI?.path == "/keys")
        #expect(configuration.userInfoEndpoint?.path == "/me" && configuration.endSessionEndpoint?.path == "/bye")
        #expect(configuration.registrationEndpoint?.path == "/register")
        #expect(configuration.revocationEndpoint?.path == "/revoke")
        #expect(configuration.introspectionEndpoint?.path == "/introspect")
        #expect(configuration.metadata?.endpoints.count == 8)
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(ProviderConfiguration.self, from: data) == configuration)
    }

    @Test func `an archive from before introspection was known can be read`() throws {
        let archive = #"{"tokenEndpoint":"https://op.example/token","tolerances":[]}"#
        let configuration = try JSONDecoder().decode(ProviderConfiguration.self, from: Data(archive.utf8))
        #expect(configuration.introspectionEndpoint == nil && configuration.tokenEndpoint.path == "/token")
    }

    @Test(
        "the document must name exactly the issuer that was asked for (OpenID Connect Discovery, section 4.3)",
        arguments: ["https://op.example/", "https://OP.example", "http://op.example", "https://evil.example"])
    func issuerMismatch(_ named: String) {
        let error = refusal { try Fixtures.configuration(metadata: ["issuer": .string(named)]) }
        #expect(error?.code == .issuerMismatch && error?.kind == .configuration)
        #expect(error?.expected == "https://op.example" && error?.received == named)
    }

    @Test func `a document from another place than its issuer's is used with the issuer that it names`() throws {
        let named = "https://tenant.b2clogin.com/0b0c6a5e-3b0f-4f0a-9a35-2b6d1f4c8e11/v2.0/"
        let changes: [String: JSONValue?] = ["issuer": .string(named)]
        let advice = refusal { try Fixtures.configuration(metadata: changes) }?.hint
        #expect(advice?.contains("ProviderConfiguration(metadata:issuer:)") == true)
        let found = try ProviderConfiguration(metadata: Fixtures.metadata(changes), issuer: Issuer(named))
        #expect(found.issuer?.rawValue == named && found.tokenEndpoint.absoluteString == "https://op.example/token")
    }

    @Test func `a document without an issuer is refused`() {
        #expect(refusal { try Fixtures.configuration(metadata: ["issuer": nil]) }?.code == .issuerMismatch)
    }

    @Test(
        "a document without a member that Discovery requires is refused",
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported",
        ])
    func required(_ name: String) {
        let error = refusal { try Fixtures.configuration(metadata: [name: nil]) }
        #expect(error?.code == .invalidMetadata && error?.message.contains(name) == true)
    }
}

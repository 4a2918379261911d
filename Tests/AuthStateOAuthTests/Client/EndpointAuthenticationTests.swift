import AuthStateJOSE
import AuthStateOAuth
import Testing

struct EndpointAuthenticationTests {
    @Test func `each endpoint has its own list; where it has none, the token endpoint's counts`() throws {
        let configuration = try Fixtures.configuration(metadata: [
            "revocation_endpoint": "https://op.example/revoke",
            "introspection_endpoint": "https://op.example/introspect",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
            "introspection_endpoint_auth_methods_supported": ["client_secret_post"],
            "introspection_endpoint_auth_signing_alg_values_supported": ["ES256"],
        ])
        func accepted(_ url: String) throws -> ProviderConfiguration.AcceptedAuthentication {
            configuration.acceptedAuthentication(at: try Fixtures.url(url))
        }
        #expect(try accepted("https://op.example/token").methods == ["client_secret_basic"])
        #expect(try accepted("https://op.example/revoke").methods == ["client_secret_basic"])
        #expect(try accepted("https://op.example/revoke").signingAlgorithms == ["RS256"])
        #expect(try accepted("https://op.example/introspect").methods == ["client_secret_post"])
        #expect(try accepted("https://op.example/introspect").signingAlgorithms == ["ES256"])
    }
}

import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

/// RFC 8414: authorization server metadata.
struct RFC8414Tests {
    /// The answer of section 3.2.
    private static let document = """
        {"issuer": "https://server.example.com",
         "authorization_endpoint": "https://server.example.com/authorize",
         "token_endpoint": "https://server.example.com/token",
         "token_endpoint_auth_methods_supported": ["client_secret_basic", "private_key_jwt"],
         "token_endpoint_auth_signing_alg_values_supported": ["RS256", "ES256"],
         "userinfo_endpoint": "https://server.example.com/userinfo",
         "jwks_uri": "https://server.example.com/jwks.json",
         "registration_endpoint": "https://server.example.com/register",
         "scopes_supported": ["openid", "profile", "email", "address", "phone", "offline_access"],
         "response_types_supported": ["code", "code token"],
         "service_documentation": "http://server.example.com/service_documentation.html",
         "ui_locales_supported": ["en-US", "en-GB", "en-CA", "fr-FR", "fr-CA"]}
        """

    @Test func `section 3.2: the document is read, and configures a client of its issuer and of no other`() throws {
        let metadata = try ProviderMetadata(parsing: Data(Self.document.utf8))
        let configuration = try ProviderConfiguration(
            metadata: metadata, issuer: Issuer("https://server.example.com"), kind: .authorizationServer)
        #expect(configuration.authorizationEndpoint?.absoluteString == "https://server.example.com/authorize")
        #expect(configuration.tokenEndpoint.absoluteString == "https://server.example.com/token")
        #expect(configuration.userInfoEndpoint?.absoluteString == "https://server.example.com/userinfo")
        #expect(configuration.jwksURI?.absoluteString == "https://server.example.com/jwks.json")
        #expect(configuration.registrationEndpoint?.absoluteString == "https://server.example.com/register")
        let methods = metadata.tokenEndpointAuthMethodsSupported
        #expect(methods == ["client_secret_basic", "private_key_jwt"])
        let accepted = configuration.acceptedAuthentication(at: configuration.tokenEndpoint)
        #expect(accepted.signingAlgorithms == ["RS256", "ES256"])
        #expect(ClientAuthentication.preferredMethod(of: methods) == .clientSecretBasic)
        let other = refusal {
            try ProviderConfiguration(
                metadata: metadata, issuer: Issuer("https://server.example.com/"), kind: .authorizationServer)
        }
        #expect(other?.code == .issuerMismatch)
    }

    @Test(
        "sections 3 and 3.1: the document's place is before the issuer's path",
        arguments: [
            ("https://example.com", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/issuer1", "https://example.com/.well-known/oauth-authorization-server/issuer1"),
        ])
    func place(_ issuer: String, _ url: String) throws {
        #expect(try Issuer(issuer).metadataURL(.authorizationServer)?.absoluteString == url)
    }
}

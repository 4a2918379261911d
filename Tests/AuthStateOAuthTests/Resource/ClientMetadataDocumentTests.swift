import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Client metadata documents (draft-ietf-oauth-client-id-metadata-document).
struct ClientMetadataDocumentTests {
    private static let url = "https://app.example/client.json"

    private static func metadata() throws -> ClientMetadata {
        var metadata = ClientMetadata(redirectURIs: [try RedirectURI("http://127.0.0.1/callback")])
        metadata.clientName = "App"
        return metadata
    }

    @Test("a document has its own URL, a name, redirect URIs and no secret, and can be read again")
    func made() throws {
        let document = try ClientMetadataDocument(url: Self.url, Self.metadata())
        #expect(document.json["client_id"] == .string(Self.url) && document.json["client_name"] == "App")
        #expect(document.json["token_endpoint_auth_method"] == "none")
        #expect(document.json["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(document.json["client_secret"] == nil)
        let again = try ClientMetadataDocument(parsing: Data(document.json.serialized()), at: Self.url)
        #expect(again.metadata.redirectURIs == document.metadata.redirectURIs && again.metadata.clientName == "App")
    }

    @Test(
        "a URL that no provider accepts is refused with the rule",
        arguments: [
            ("http://app.example/client.json", "https"), ("https://app.example", "path"),
            ("https://app.example/", "path"),
            ("https://ada@app.example/c", "user"), ("https://app.example/c#x", "fragment"),
            ("https://app.example/a/../c", "segments"), ("https://app.example/./c", "segments"),
            ("https://app.example/%2E%2e/c", "segments"), ("https://app.example/ä", "ASCII"),
            ("app.example/c", "https"),
        ])
    func urls(_ url: String, _ rule: String) throws {
        #expect(ClientMetadataDocument.problem(with: url)?.contains(rule) == true)
        let error = refusal { try ClientMetadataDocument(url: url, Self.metadata()) }
        #expect(error?.code == .invalidClientMetadata && error?.message.contains(rule) == true)
    }

    @Test("a port, a query and a path of several parts are allowed")
    func goodURLs() {
        for url in [
            "https://app.example:8443/c", "https://app.example/a/b/c.json", "https://app.example/c?v=1",
            "https://a/..c",
        ] {
            #expect(ClientMetadataDocument.problem(with: url) == nil)
        }
    }

    @Test("what a public document may not hold, or lacks, is refused")
    func refused() throws {
        func error(_ change: (inout ClientMetadata) throws -> Void) throws -> AuthStateError? {
            var metadata = try Self.metadata()
            try change(&metadata)
            return refusal { try ClientMetadataDocument(url: Self.url, metadata) }
        }
        #expect(try error { $0.clientName = nil }?.message.contains("client_name") == true)
        #expect(try error { $0.redirectURIs = [] }?.message.contains("redirect_uris") == true)
        #expect(
            try error { $0.tokenEndpointAuthMethod = .clientSecretBasic }?.expected?.contains("private_key_jwt") == true
        )
        #expect(try error { $0.tokenEndpointAuthMethod = .privateKeyJWT }?.message.contains("keys") == true)
        #expect(try error { $0.additionalMetadata["client_secret"] = "x" }?.message.contains("client_secret") == true)
        #expect(
            try error { $0.additionalMetadata["jwks"] = ["keys": [["kty": "EC", "d": "x"]]] }?.message.contains(
                "private key") == true)
        var machine = try Self.metadata()
        (machine.grantTypes, machine.redirectURIs) = ([.clientCredentials], [])
        _ = try ClientMetadataDocument(url: Self.url, machine)
    }

    @Test("of a private key only the public part is published")
    func keys() throws {
        var metadata = try Self.metadata()
        metadata.tokenEndpointAuthMethod = .privateKeyJWT
        metadata.keys = [try SigningKey.generate(.es256).privateKey]
        let json = try ClientMetadataDocument(url: Self.url, metadata).json
        let key = try #require(json["jwks"]?["keys"]?.arrayValue?.first)
        #expect(key["x"] != nil && key["d"] == nil)
    }

    @Test("a fetched document has to be the one of its URL")
    func fetched() throws {
        let document = try ClientMetadataDocument(url: Self.url, Self.metadata()).json.serialized()
        for url in ["https://app.example/other.json", Self.url + "?", "https://APP.example/client.json"] {
            #expect(
                refusal { try ClientMetadataDocument(parsing: Data(document), at: url) }?.code == .invalidClientMetadata
            )
        }
        for text in ["", "[]", "{}", #"{"client_id":1}"#] {
            #expect(
                refusal { try ClientMetadataDocument(parsing: Data(text.utf8), at: Self.url) }?.code
                    == .invalidClientMetadata)
        }
        let secret =
            #"{"client_id":"https://app.example/client.json","client_name":"a","redirect_uris":["a:/b"],"client_secret":"x"}"#
        #expect(
            refusal { try ClientMetadataDocument(parsing: Data(secret.utf8), at: Self.url) }?.message.contains(
                "client_secret") == true)
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ClientCredentialTests {
    /// Credentials as earlier versions archived them, and as this one does.
    static let golden: [(archive: String, credential: ClientCredential)] = [
        (#"{"source":"none"}"#, .none),
        (#"{"name":"S","source":"environment"}"#, .environment("S")),
        (#"{"method":"client_secret_post","name":"/s","source":"file"}"#, .file("/s", method: .clientSecretPost)),
        (
            #"{"method":"client_secret_jwt","secret":"issued","signingAlgorithm":"HS512","source":"issued"}"#,
            ClientCredential(.issued("issued"), method: .clientSecretJWT, signingAlgorithm: .hs512)
        ),
        (
            #"{"keyID":"k1","method":"private_key_jwt","name":"/k.pem","source":"file"}"#,
            .privateKey(file: "/k.pem", keyID: "k1")
        ),
        (
            #"{"method":"private_key_jwt","name":"KEY","signingAlgorithm":"PS256","source":"environment"}"#,
            .privateKey(environment: "KEY", signingAlgorithm: .ps256)
        ),
        (#"{"method":"tls_client_auth","source":"none"}"#, .certificate()),
        (
            #"{"keyID":"K","method":"client_secret_post","name":"/k.p8","signedSecret":{"audience":"https://appleid.apple.com","issuer":"T","lifetime":300},"signingAlgorithm":"ES256","source":"file"}"#,
            .appleSecret(teamID: "T", keyID: "K", key: .file("/k.p8"))
        ),
    ]

    @Test("references are archived, and archives of earlier versions are read", arguments: golden)
    func archive(_ archive: String, _ credential: ClientCredential) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(credential), as: UTF8.self) == archive)
        #expect(try JSONDecoder().decode(ClientCredential.self, from: Data(archive.utf8)) == credential)
    }

    @Test func `a key in memory is neither archived nor shown`() throws {
        let key = try SigningKey.generate(.es256, keyID: "k1")
        let secret = try #require(key.privateKey.privateJSON["d"]?.stringValue)
        let credential = ClientCredential.privateKey(key)
        let archive = try JSONEncoder().encode(credential)
        var shown = String(decoding: archive, as: UTF8.self)
        dump(credential, to: &shown)
        shown += "\(credential) \(String(reflecting: credential))"
        #expect(shown.contains("private key in memory"))
        #expect(!shown.contains(secret) && !shown.contains(#"\"d\""#))
        let restored = try JSONDecoder().decode(ClientCredential.self, from: archive)
        #expect(restored == ClientCredential(.value(""), method: .privateKeyJWT, keyID: "k1", signingAlgorithm: .es256))
    }

    @Test func `a description says where the secret or the key is`() {
        #expect(ClientCredential.privateKey(file: "/k.pem").description == "private key in the file /k.pem")
        #expect(
            ClientCredential.privateKey(environment: "KEY").description
                == "private key in the environment variable KEY")
        #expect(ClientCredential.file("/s").description == "secret in the file /s")
    }
}

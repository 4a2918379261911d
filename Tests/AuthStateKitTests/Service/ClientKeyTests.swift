import AuthStateJOSE
import Foundation
import Testing

@testable import AuthStateKit

struct ClientKeyTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func file(_ text: String, permissions: Int = 0o600) throws -> String {
        let path = folder["key"]
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    /// The error for a file, which names it and shows nothing of it.
    private func refusal(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> AuthStateError? {
        let error = #expect(throws: AuthStateError.self, sourceLocation: sourceLocation) {
            try ClientCredential.privateKey(file: path).privateKey(stage: .refresh)
        }
        #expect(error?.code == .credentialUnavailable && error?.stage == .refresh, sourceLocation: sourceLocation)
        #expect(error?.message.contains(path) == true && error?.hint != nil, sourceLocation: sourceLocation)
        return error
    }

    @Test(
        "a private key is read from PEM and JWK alike",
        arguments: [
            (ClientKeys.pkcs8, SignatureAlgorithm.es256), (ClientKeys.sec1, .es256), (ClientKeys.jwk, .es256),
            (ClientKeys.pkcs1, .rs256), (ClientKeys.ed25519, .edDSA),
            ("# openssl\n\(ClientKeys.pkcs8)\r\n", .es256), ("\n  \(ClientKeys.jwk)", .es256),
        ])
    func forms(_ text: String, _ algorithm: SignatureAlgorithm) throws {
        let credential = ClientCredential.privateKey(file: try file(text), keyID: "k1")
        let key = try credential.privateKey(stage: .token)
        #expect(key.keyID == "k1")
        let signer = try SigningKey(forAssertionsWith: key, algorithm: nil, accepted: nil, stage: .token)
        #expect(signer.algorithm == algorithm)
    }

    @Test func `all forms of a key are the same key, which signs for the public one`() throws {
        let keys = try [ClientKeys.pkcs8, ClientKeys.sec1, ClientKeys.jwk].map {
            try ClientCredential.privateKey(file: file($0), keyID: "k").privateKey(stage: .token)
        }
        let published = try JSONWebKey(json: JSONValue(parsing: ClientKeys.publicJWK.utf8))
        for key in keys {
            let token = try JSONWebToken.sign(claims: [:], with: SigningKey(key))
            try JSONWebToken(parsing: token).verify(with: VerificationKey(published), allowed: [.es256])
        }
    }

    @Test(
        "a client's secret is read from a file of its owner's alone, as a private key is",
        arguments: [(0o600, true), (0o400, true), (0o644, false), (0o620, false)])
    func secretFile(_ permissions: Int, _ isRead: Bool) throws {
        let credential = ClientCredential.file(try file("hunter2-SECRET\n", permissions: permissions))
        guard !isRead else { return #expect(try credential.secret(stage: .refresh) == "hunter2-SECRET") }
        let error = #expect(throws: AuthStateError.self) { try credential.secret(stage: .refresh) }
        #expect(error?.code == .credentialUnavailable && error?.expected == "permissions 0600")
        #expect(error.map { "\($0)" }?.contains("SECRET") == false)
    }

    @Test("another user's file is refused for secrets and keys", .enabled(if: geteuid() == 0, "needs root"))
    func foreignFile() throws {
        let path = try file(ClientKeys.pkcs8)
        chown(path, 65_534, 65_534)
        #expect(refusal(path)?.received == "owner 65534")
        #expect(throws: AuthStateError.self) { try ClientCredential.file(path).secret(stage: .refresh) }
    }

    @Test func `a private key has the JWK's identifier, unless another is given`() throws {
        let path = try file(ClientKeys.jwk)
        #expect(try ClientCredential.privateKey(file: path).privateKey(stage: .token).keyID == "jwk-1")
        #expect(try ClientCredential.privateKey(file: path, keyID: "2").privateKey(stage: .token).keyID == "2")
        #expect(try ClientCredential.privateKey(file: file(ClientKeys.pkcs8)).privateKey(stage: .token).keyID == nil)
    }

    @Test(
        "a file that holds something else is no private key",
        arguments: [
            "", "hunter2-SECRET", ClientKeys.encrypted, ClientKeys.publicPEM, ClientKeys.publicJWK, "{", "{}",
            #"{"kty":"oct","k":"U0VDUkVU"}"#, #"{"kty":"EC","crv":"P-256","d":"U0VDUkVU"}"#,
            "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----",
        ])
    func noKey(_ text: String) throws {
        let error = refusal(try file(text))
        #expect(error?.message.contains("no usable private key") == true)
        let shown = error.map { "\($0)" } ?? ""
        #expect(!shown.contains("SECRET") && !shown.contains("U0VD"))
    }

    @Test("a private key is refused where others can read it", arguments: [0o644, 0o604, 0o620, 0o602, 0o666])
    func permissions(_ permissions: Int) throws {
        let error = refusal(try file(ClientKeys.pkcs8, permissions: permissions))
        #expect(error?.message.contains("open to others") == true)
        #expect(error?.received == "0" + String(permissions, radix: 8))
    }

    @Test("a private key is read where only its owner can read it", arguments: [0o600, 0o400])
    func ownPermissions(_ permissions: Int) throws {
        _ = try ClientCredential.privateKey(file: file(ClientKeys.pkcs8, permissions: permissions))
            .privateKey(stage: .token)
    }

    @Test func `a private key that cannot be read is an error that says why`() throws {
        #expect(refusal(folder["nothing"])?.message.contains("cannot be read") == true)
        #expect(refusal(folder.path)?.message.contains("not a file") == true)
        #expect(refusal("/dev/zero")?.message.contains("not a file") == true)
        let large = String(repeating: "x", count: 70_000)
        #expect(refusal(try file(large))?.message.contains("too large") == true)
        #expect(mkfifo(folder["pipe"], 0o600) == 0)
        #expect(refusal(folder["pipe"])?.message.contains("not a file") == true)
        for credential in [
            ClientCredential.privateKey(environment: "AUTHSTATE_NO_SUCH_KEY"),
            ClientCredential(.none, method: .privateKeyJWT), ClientCredential(.value(""), method: .privateKeyJWT),
        ] {
            let error = #expect(throws: AuthStateError.self) { try credential.privateKey(stage: .token) }
            #expect(error?.code == .credentialUnavailable)
        }
    }

    @Test func `a private key is never taken for a secret`() throws {
        let key = try SigningKey.generate(.es256)
        #expect(try ClientCredential.privateKey(key).secret(stage: .token) == nil)
    }

}

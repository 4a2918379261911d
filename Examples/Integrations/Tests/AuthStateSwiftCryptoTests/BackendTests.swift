import AuthStateSwiftCrypto
import Testing

@testable import AuthStateJOSE

/// Makes the library's own tests of digests, keys, signatures and encryption, which are in the folder JOSE, use swift-crypto.
@_cdecl("AuthStateUseSwiftCrypto")
public func useSwiftCrypto() { Cryptography.use(SwiftCryptoBackend()) }

struct BackendTests {
    @Test("is in use in these tests")
    func chosen() { #expect(Cryptography.backend is SwiftCryptoBackend) }

    @Test(
        "signs what libcrypto verifies, and verifies what libcrypto signs",
        arguments: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .hs256]
            as [SignatureAlgorithm])
    func crossed(_ algorithm: SignatureAlgorithm) throws {
        let backends: [any CryptoBackend] = [SwiftCryptoBackend(), PlatformBackend()]
        for (maker, checker) in [(backends[0], backends[1]), (backends[1], backends[0])] {
            let key = try SigningKey.generate(algorithm, backend: maker)
            let published = key.privateKey.privateMaterial == nil ? key.privateKey : key.publicKey
            let signature = try key.sign("message".utf8)
            let verifier = VerificationKey(published, backend: checker)
            #expect(try verifier.isValid(signature, for: Array("message".utf8), algorithm: algorithm))
            #expect(try !verifier.isValid(signature, for: Array("massage".utf8), algorithm: algorithm))
            // The same key is also read by the other library.
            let again = try SigningKey(key.privateKey, algorithm: algorithm, backend: checker).sign("message".utf8)
            let first = VerificationKey(published, backend: maker)
            #expect(try first.isValid(again, for: Array("message".utf8), algorithm: algorithm))
        }
    }

    @Test("opens what libcrypto seals, and the reverse")
    func encryption() throws {
        let key = SecretBytes(SecureRandom.bytes(AES256GCM.keyLength))
        let ours = try AES256GCM(key: key)
        let theirs = try AES256GCM(key: key, backend: PlatformBackend())
        #expect(try ours.open(theirs.seal("a".utf8, authenticating: "b".utf8), authenticating: "b".utf8) == [0x61])
        #expect(try theirs.open(ours.seal("a".utf8, authenticating: "b".utf8), authenticating: "b".utf8) == [0x61])
        #expect(throws: JOSEError.self) {
            try ours.open(theirs.seal("a".utf8, authenticating: "b".utf8), authenticating: "c".utf8)
        }
    }
}

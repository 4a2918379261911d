import AuthStateJOSE
import Testing

@Suite(.whereWycheproofIsInstalled) struct WycheproofCipherTests {
    private struct Document: Decodable {
        struct Group: Decodable {
            let keySize: Int
            let ivSize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key: String
            let iv: String
            let aad: String
            let msg: String
            let ct: String
            let tag: String
            let result: String
        }

        let testGroups: [Group]
    }

    private static let tests = Result { try Wycheproof.document(Document.self, "aes_gcm").testGroups }

    @Test func `valid ciphertexts are made and opened, byte for byte, invalid ones refused`() throws {
        var ran = 0
        for group in try Self.tests.get() where group.keySize == 256 && group.ivSize == 96 {
            for test in group.tests {
                let cipher = try AES256GCM(key: SecretBytes(hex(test.key)))
                let (message, data) = (try hex(test.msg), try hex(test.aad))
                let sealed = try hex(test.iv + test.ct + test.tag)
                if test.result == "valid" {
                    #expect(try cipher.open(sealed, authenticating: data) == message, "test \(test.tcId)")
                    let made = try Cryptography.backend.seal(
                        message, key: hex(test.key), nonce: hex(test.iv), authenticating: data)
                    #expect(try made == hex(test.ct + test.tag))
                } else {
                    let error = #expect(throws: JOSEError.self) { try cipher.open(sealed, authenticating: data) }
                    #expect(error?.code == .decryptionFailed, "test \(test.tcId)")
                }
                ran += 1
            }
        }
        #expect(ran >= 66)
    }

    @Test func `keys and nonces of other lengths are refused, empty nonces too`() throws {
        var ran = 0
        for group in try Self.tests.get() where group.keySize != 256 || group.ivSize != 96 {
            for test in group.tests {
                let (key, nonce) = (try hex(test.key), try hex(test.iv))
                let error = #expect(throws: JOSEError.self) {
                    try Cryptography.backend.open(hex(test.ct + test.tag), key: key, nonce: nonce, authenticating: [])
                }
                #expect(error?.code == .malformed, "test \(test.tcId)")
                ran += 1
            }
        }
        #expect(ran >= 250)
    }
}

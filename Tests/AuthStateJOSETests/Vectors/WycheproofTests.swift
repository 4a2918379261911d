import Testing

@testable import AuthStateJOSE

@Suite(.whereWycheproofIsInstalled) struct WycheproofTests {
    private static let files = [
        Wycheproof("ecdsa_secp256r1_sha256_p1363", .es256, 262),
        Wycheproof("ecdsa_secp384r1_sha384_p1363", .es384, 280),
        Wycheproof("ecdsa_secp521r1_sha512_p1363", .es512, 318),
        Wycheproof("ed25519", .edDSA, 210),
        Wycheproof("rsa_signature_2048_sha256", .rs256, 259),
        Wycheproof("rsa_signature_2048_sha384", .rs384, 258),
        Wycheproof("rsa_signature_2048_sha512", .rs512, 259),
        Wycheproof("rsa_signature_3072_sha256", .rs256, 259),
        Wycheproof("rsa_signature_3072_sha384", .rs384, 259),
        Wycheproof("rsa_signature_3072_sha512", .rs512, 260),
        Wycheproof("rsa_signature_4096_sha256", .rs256, 258),
        Wycheproof("rsa_signature_4096_sha384", .rs384, 259),
        Wycheproof("rsa_signature_4096_sha512", .rs512, 259),
        Wycheproof("rsa_signature_8192_sha256", .rs256, 258),
        Wycheproof("rsa_signature_8192_sha384", .rs384, 259),
        Wycheproof("rsa_signature_8192_sha512", .rs512, 259),
        Wycheproof("rsa_pss_2048_sha256_mgf1_32", .ps256, 108),
        Wycheproof("rsa_pss_3072_sha256_mgf1_32", .ps256, 108),
        Wycheproof("rsa_pss_4096_sha256_mgf1_32", .ps256, 108),
        Wycheproof("rsa_pss_2048_sha384_mgf1_48", .ps384, 141),
        Wycheproof("rsa_pss_4096_sha384_mgf1_48", .ps384, 141),
        Wycheproof("rsa_pss_4096_sha512_mgf1_64", .ps512, 179),
    ]

    /// RFC 7518, section 3.5, wants the digest's own length of salt and mask generation with the same digest.
    private static let otherParameters = [
        Wycheproof("rsa_pss_2048_sha256_mgf1_0", .ps256, 61),
        Wycheproof("rsa_pss_2048_sha256_mgf1sha1_20", .ps256, 63),
        Wycheproof("rsa_pss_4096_sha512_mgf1_32", .ps512, 132),
    ]

    @Test("valid signatures are verified, invalid ones refused", arguments: files)
    private func signatures(_ file: Wycheproof) throws {
        var ran = 0
        for group in try file.groups() {
            let key = VerificationKey(try group.key(for: file.algorithm))
            for test in group.tests {
                let isValid = try key.isValid(hex(test.sig), for: hex(test.msg), algorithm: file.algorithm)
                // A test that is called acceptable may go either way.
                #expect(test.result == "acceptable" || isValid == (test.result == "valid"), "test \(test.tcId)")
                ran += 1
            }
        }
        #expect(ran >= file.count)
    }

    @Test("valid signatures with parameters that JOSE does not have are refused", arguments: otherParameters)
    private func parameters(_ file: Wycheproof) throws {
        var ran = 0
        for group in try file.groups() {
            let key = VerificationKey(try group.key(for: file.algorithm))
            for test in group.tests where test.result == "valid" {
                #expect(try !key.isValid(hex(test.sig), for: hex(test.msg), algorithm: file.algorithm))
                ran += 1
            }
        }
        #expect(ran >= file.count)
    }
}

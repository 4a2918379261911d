import Testing

@testable import AuthStateJOSE

struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `FIPS 180-4's examples for the message abc`() throws {
        let message = Array("abc".utf8)
        #expect(hex(try SHA2.sha256(message)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(try SHA2.digest(.sha384, of: message))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        #expect(
            hex(try SHA2.digest(.sha512, of: message))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test func `the digest of nothing, and of two blocks`() throws {
        #expect(hex(try SHA2.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let message = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(
            hex(try SHA2.sha256(message.utf8)) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test func `RFC 4231's second HMAC example`() throws {
        let code = try HMACSHA2.sha256("what do ya want for nothing?".utf8, key: "Jefe".utf8)
        #expect(hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `random bytes have the length asked for and are not the same twice`() {
        for count in [0, 1, 32, 256, 257, 1000] { #expect(SecureRandom.bytes(count).count == count) }
        #expect(SecureRandom.bytes(-1).isEmpty)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(Set(SecureRandom.bytes(1000).suffix(500)).count > 100)
    }

    @Test func `constant-time comparison gives the same answers as ==`() {
        #expect(ConstantTime.equals("abc", "abc"))
        #expect(!ConstantTime.equals("abc", "abd"))
        #expect(!ConstantTime.equals("abc", "ab"))
        #expect(!ConstantTime.equals("\u{e9}", "e\u{301}"))
        #expect(ConstantTime.equals([UInt8](), []))
        #expect(!ConstantTime.equals([1, 2] as [UInt8], [0, 2]))
    }

    #if os(Linux)
        @Test func `a missing library is one clear error that names the package`() throws {
            let error = try #require(throws: JOSEError.self) { try LibCrypto(opening: "libnothing.so.9") }
            #expect(error.code == .backendUnavailable)
            #expect(error.description.contains("libssl3"))
            #expect(error.received == "libnothing.so.9 is missing")
        }

        @Test func `a library without our symbols is the same error and names the first one`() throws {
            let error = try #require(throws: JOSEError.self) { try LibCrypto(opening: "libc.so.6") }
            #expect(error.code == .backendUnavailable)
            #expect(error.received == "OPENSSL_init_crypto is missing")
        }
    #endif
}

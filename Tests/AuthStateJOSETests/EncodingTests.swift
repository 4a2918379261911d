import Testing

@testable import AuthStateJOSE

struct EncodingTests {
    @Test(
        "RFC 4648's examples",
        arguments: [
            ("", "", ""), ("f", "Zg", "Zg=="), ("fo", "Zm8", "Zm8="), ("foo", "Zm9v", "Zm9v"),
            ("foob", "Zm9vYg", "Zm9vYg=="), ("fooba", "Zm9vYmE", "Zm9vYmE="), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
        ])
    func examples(_ plain: String, _ url: String, _ padded: String) {
        #expect(Base64URL.encode(plain.utf8) == url)
        #expect(Base64URL.decode(url) == Array(plain.utf8))
        #expect(Base64.encode(plain.utf8) == padded)
        #expect(Base64.decode(padded) == Array(plain.utf8))
    }

    @Test func `each alphabet has its own last two characters`() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
        #expect(Base64URL.decode("+//+") == nil)
        #expect(Base64.decode("-__-") == nil)
    }

    @Test(
        "base64url that is not the one encoding of its bytes is refused",
        arguments: ["Zg==", "Zg=", "Z", "Zm9vY", "Zh", "Zm9", "Zm 9v", "Zm9v\n", " Zm9v", "Zm9v.", "Zm9é", "Zm\u{0}v"])
    func strictness(_ text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test(
        "base64 with too little or too much padding is refused", arguments: ["Zg", "Zg=", "Zg===", "====", "Zh==", "="])
    func padding(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test func `every byte survives, also in a slice of a string`() {
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let text = "é" + Base64URL.encode(bytes)
            #expect(Base64URL.decode(text.dropFirst()) == bytes)
        }
    }
}

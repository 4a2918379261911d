import AuthStateOAuth
import Testing

struct LoopbackHostTests {
    @Test(
        "every way to write this machine's address is recognised",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "op.localhost", "127.0.0.1", "127.0.0.1.", "127.255.0.9", "127.1",
            "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "0x",
            "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]",
            "[::127.0.0.1]", "[::ffff:0:0]", "[::1%25lo]",
        ])
    func local(_ host: String) { #expect(URIReference("https://\(host):8443/x").reachesThisMachine) }

    @Test(
        "other hosts are not this machine",
        arguments: [
            "op.example", "localhost.example", "127.example", "128.0.0.1", "126.255.255.255", "1.0.0.127",
            "127.0.0.1.2",
            "127.0.0.256", "0x7f000001ff", "08.0.0.1", "[2001:db8::1]", "[::2]", "[fe80::1]", "[::ffff:128.0.0.1]",
            "[::ffff:8000:1]", "[1::1]", "[::1:0:0:0:0:0:0:0:0]", "[]", "",
        ])
    func remote(_ host: String) { #expect(!URIReference("https://\(host)/x").reachesThisMachine) }
}

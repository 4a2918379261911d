import Testing

@testable import AuthStateOAuth

struct URIReferenceTests {
    @Test func `a URI is taken apart as it is written (RFC 3986, section 3 and appendix B)`() {
        let all = URIReference("HTTPS://us:er@Host.Example:8443/a/%7Eb?q=1?2&r#frag#ment")
        #expect(all.scheme == "HTTPS" && all.user == "us:er" && all.host == "Host.Example" && all.port == "8443")
        #expect(all.path == "/a/%7Eb" && all.query == "q=1?2&r" && all.fragment == "frag#ment")
        let ipv6 = URIReference("http://[::1]:80/")
        #expect(ipv6.host == "[::1]" && ipv6.port == "80" && ipv6.isLoopback)
        #expect(URIReference("http://[::1]/").port == nil)
        let urn = URIReference("com.example.app:/callback")
        #expect(urn.scheme == "com.example.app" && urn.host == nil && urn.path == "/callback")
        let relative = URIReference("/a:b?x")
        #expect(relative.scheme == nil && relative.path == "/a:b" && relative.query == "x")
        let empty = URIReference("https://host?#")
        #expect(empty.path.isEmpty && empty.query == "" && empty.fragment == "")
    }

    @Test(
        "only literal loopback addresses and exactly localhost are this machine",
        arguments: [
            ("http://127.0.0.1/", true), ("http://[::1]:1/", true), ("http://LOCALHOST/", true),
            ("http://127.0.0.1.evil.example/", false), ("http://localhost.evil.example/", false),
            ("http://127.0.0.1@evil.example/", false), ("http://0.0.0.0/", false), ("http://2130706433/", false),
            ("http://evil.example/127.0.0.1", false), ("http://localhost./", false), ("mailto:localhost", false),
        ])
    func loopback(_ text: String, _ expected: Bool) { #expect(URIReference(text).isLoopback == expected) }

    @Test func `user, query and fragment are left out of what is shown`() {
        #expect(URIReference("https://a:b@h:1/p?q#f").redacted == "https://h:1/p")
        #expect(URIReference("app:/p?q").redacted == "app:/p")
    }

    @Test(
        "a plain host is read the same by every parser",
        arguments: [
            "op.example", "OP.example.", "localhost", "127.0.0.1", "[::1]", "[::ffff:1.2.3.4]", "xn--bcher-kva.de",
        ])
    func plainHosts(_ host: String) { #expect(URIReference("https://\(host):443/").hasPlainHost) }

    @Test(
        "a host that a check and a connection may read differently is not plain",
        arguments: [
            "", "127.0.0.%31", "op.example\\evil.example", "bücher.example", "op[.example", "[fe80::1%25eth0]", "[::1",
            "op example", "op.example,evil", "op.example;evil", "op.example\u{0}",
        ])
    func otherHosts(_ host: String) { #expect(!URIReference("https://\(host)/").hasPlainHost) }
}

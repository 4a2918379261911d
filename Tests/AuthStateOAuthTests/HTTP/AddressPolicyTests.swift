import Testing

@testable import AuthStateOAuth

struct AddressPolicyTests {
    @Test(
        "addresses of the public internet pass",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "[2606:4700::1111]", "[2a00::]",
            "[::ffff:1.1.1.1]", "[64:ff9b::1.1.1.1]", "[2001:200::]", "[2003::]", "[3ffe::1]",
        ])
    func isPublic(_ host: String) throws {
        #expect(try #require(InternetAddress(host: host)).isPublic)
        #expect(AddressPolicy.publicOnly.allows(host: host))
    }

    @Test(
        "other addresses do not pass: RFC 6890's registries, multicast, and addresses embedded in IPv6",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255",
            "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "127.1", "0x7f.1", "2130706433", "017700000001", "10.1", "[::]", "[::1]", "[::127.0.0.1]", "[::10.0.0.1]",
            "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1.1.1.1]", "[100::1]",
            "[2001::1]", "[2001:2::1]", "[2001:db8::1]", "[2002:0a00:0001::1]", "[2002:101:101::1]", "[3fff::1]",
            "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]", "[ff02::1]",
        ])
    func isNotPublic(_ host: String) throws {
        #expect(try !#require(InternetAddress(host: host)).isPublic)
        #expect(!AddressPolicy.publicOnly.allows(host: host))
        #expect(AddressPolicy.any.allows(host: host))
    }

    @Test func `names pass until they are resolved, those of this machine do not`() {
        for host in ["op.example", "localhost.example", "xn--a.example", "1.2.3.4.example"] {
            #expect(InternetAddress(host: host) == nil && AddressPolicy.publicOnly.allows(host: host))
        }
        for host in ["localhost", "LOCALHOST", "op.localhost", "localhost."] {
            #expect(!AddressPolicy.publicOnly.allows(host: host))
        }
    }

    @Test func `4 or 16 bytes make an address`() {
        #expect(InternetAddress(bytes: [10, 0, 0, 1])?.description == "10.0.0.1")
        #expect(
            InternetAddress(bytes: [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1])?.description
                == "fe80:0:0:0:0:0:0:1")
        for count in [0, 3, 5, 15, 17] { #expect(InternetAddress(bytes: Array(repeating: 1, count: count)) == nil) }
    }

    @Test("a policy of a newer version is as strict as publicOnly")
    func unknownPolicy() { #expect(!AddressPolicy(rawValue: "new").allows(host: "10.0.0.1")) }
}

import AuthStateFoundation
import AuthStateOAuth
import Testing

/// Identifiers of protected resources (RFC 8707; RFC 9728, section 3.1).
struct ResourceIdentifierTests {
    @Test(
        "a URL has one canonical form",
        arguments: [
            ("https://api.example", "https://api.example"), ("https://api.example/", "https://api.example"),
            ("HTTPS://API.Example/Path/", "https://api.example/Path/"),
            ("https://api.example:443/a", "https://api.example/a"),
            ("http://127.0.0.1:80/a", "http://127.0.0.1/a"), ("https://api.example:8443", "https://api.example:8443"),
            ("https://api.example:/a", "https://api.example/a"),
            ("https://api.example/?a=b", "https://api.example/?a=b"),
            ("https://api.example?a=b", "https://api.example?a=b"),
            ("https://api.example/a%2Fb", "https://api.example/a%2Fb"),
            ("http://[::1]:8080/mcp", "http://[::1]:8080/mcp"),
        ])
    func canonical(_ text: String, _ expected: String) throws {
        let identifier = try ResourceIdentifier(text)
        #expect(identifier.rawValue == expected && identifier.url.absoluteString == expected)
        #expect(try ResourceIdentifier(identifier.rawValue) == identifier)
        let archived = try JSONDecoder().decode([ResourceIdentifier].self, from: JSONEncoder().encode([identifier]))
        #expect(archived == [identifier])
    }

    @Test(
        "anything else names no resource",
        arguments: [
            "", "api.example", "ftp://api.example", "https://", "https:///path", "https://ada@api.example",
            "https://api.example#part", "https://api.example/ä", "https://api.example/a b", "urn:example:api",
            "https://api.example/\u{7F}", "https://api.example:0/", "https://api.example:0443/",
            "https://api.example:65536",
            "https://api.example:a/",
        ])
    func refused(_ text: String) { #expect(refusal { try ResourceIdentifier(text) }?.code == .invalidArgument) }

    @Test(
        "metadata are looked for before the path, then at the root",
        arguments: [
            (
                "https://a.example/b/c",
                [
                    "https://a.example/.well-known/oauth-protected-resource/b/c",
                    "https://a.example/.well-known/oauth-protected-resource",
                ]
            ),
            (
                "https://a.example/b/",
                [
                    "https://a.example/.well-known/oauth-protected-resource/b/",
                    "https://a.example/.well-known/oauth-protected-resource",
                ]
            ),
            ("https://a.example", ["https://a.example/.well-known/oauth-protected-resource"]),
            (
                "https://a.example?x=y",
                [
                    "https://a.example/.well-known/oauth-protected-resource?x=y",
                    "https://a.example/.well-known/oauth-protected-resource",
                ]
            ),
            (
                "https://a.example/b?x=y",
                [
                    "https://a.example/.well-known/oauth-protected-resource/b?x=y",
                    "https://a.example/.well-known/oauth-protected-resource",
                ]
            ),
        ])
    func locations(_ text: String, _ expected: [String]) throws {
        #expect(try ResourceIdentifier(text).metadataLocations.map(\.url.absoluteString) == expected)
    }

    @Test func `tokens go to the resource's origin, compared without regard to case and default ports`() throws {
        let identifier = try ResourceIdentifier("https://api.example/v1")
        for text in ["https://api.example/v2", "https://API.example:443/", "https://api.example/v1?x"] {
            #expect(identifier.hasOrigin(of: try #require(URL(string: text))))
        }
        for text in [
            "http://api.example/v1", "https://api.example:8443/v1", "https://api.example.evil/v1",
            "https://evil/api.example",
        ] {
            #expect(!identifier.hasOrigin(of: try #require(URL(string: text))))
        }
    }
}

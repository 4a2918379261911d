import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct WebFingerTests {
    @Test(
        "identifiers are normalised (OpenID Connect Discovery, section 2.1.2)",
        arguments: [
            ("joe@example.com", "acct:joe@example.com", "https://example.com"),
            ("acct:joe@example.com", "acct:joe@example.com", "https://example.com"),
            ("joe@other@example.com", "acct:joe@other@example.com", "https://example.com"),
            ("acct:joe%40other@example.com", "acct:joe%40other@example.com", "https://example.com"),
            ("joe@example.com#fragment", "acct:joe@example.com", "https://example.com"),
            ("example.com", "https://example.com/", "https://example.com"),
            ("example.com:8080", "https://example.com:8080/", "https://example.com:8080"),
            ("example.com:8080/joe", "https://example.com:8080/joe", "https://example.com:8080"),
            ("example.com/joe", "https://example.com/joe", "https://example.com"),
            ("joe@example.com:8080", "https://joe@example.com:8080/", "https://example.com:8080"),
            ("joe@example.com/path", "https://joe@example.com/path", "https://example.com"),
            ("https://example.com/joe#me", "https://example.com/joe", "https://example.com"),
            ("https://example.com?joe", "https://example.com?joe", "https://example.com"),
            ("http://example.com/joe", "http://example.com/joe", "https://example.com"),
            ("http://127.0.0.1:80/joe", "http://127.0.0.1:80/joe", "http://127.0.0.1:80"),
            ("acct:joe@localhost:8080", "acct:joe@localhost:8080", "http://localhost:8080"),
            ("https://localhost:8443/joe", "https://localhost:8443/joe", "https://localhost:8443"),
            ("[::1]:8080", "https://[::1]:8080/", "https://[::1]:8080"),
        ])
    func normalised(_ identifier: String, _ resource: String, _ origin: String) throws {
        let query = try WebFingerQuery(identifier)
        #expect(query.resource == resource && query.origin.rawValue == origin)
        let url = query.url.absoluteString
        #expect(url.hasPrefix("\(origin)/.well-known/webfinger?resource="))
        let sent = try #require(Parameters(decoding: url.drop { $0 != "?" }.dropFirst()))
        #expect(sent.names == ["resource", "rel"] && sent["resource"] == resource)
        #expect(sent["rel"] == "http://openid.net/specs/connect/1.0/issuer")
    }

    @Test(
        "an XRI is refused by name",
        arguments: ["=joe", "@joe", "+joe", "$joe", "!joe", "(joe)", "xri://=joe", "XRI:@joe"])
    func xri(_ identifier: String) {
        let error = refusal { try WebFingerQuery(identifier) }
        #expect(error?.code == .unsupported && error?.message.contains("XRI") == true)
    }

    @Test(
        "an identifier that leads to no host is refused",
        arguments: [
            "", "#joe", "joe smith@example.com", "jöe@example.com", "acct:joe", "acct:@example.com", "joe@", "https://",
            "acct:joe@example.com/path", "mailto:joe@example.com", "device:192.0.2.1", "https://exa%6dple.com",
            "https:example.com", "joe@exam\u{0}ple.com", "joe@[evil]", "javascript:alert(1)", "file:///etc/passwd",
        ])
    func refused(_ identifier: String) {
        let error = refusal { try WebFingerQuery(identifier) }
        #expect(error?.code == .invalidArgument && error?.stage == .discovery)
    }

    private static let link: JSONValue = [
        "rel": "http://openid.net/specs/connect/1.0/issuer", "href": "https://op.example",
    ]

    private func answer(_ members: JSONValue) throws -> WebFingerAnswer {
        try WebFingerAnswer(parsing: Data(members.serialized()))
    }

    @Test func `the first link with the relation counts, and unknown members do not`() throws {
        let other: JSONValue = ["rel": "http://openid.net/specs/connect/1.0/issuer", "href": "https://other.example"]
        let found = try answer([
            "subject": "acct:somebody@else.example", "aliases": ["x"], "vendor": ["deep": [nil]],
            "links": [["rel": "self", "href": "javascript:x"], Self.link, other, ["rel": "copyright"]],
        ])
        #expect(found.issuer.rawValue == "https://op.example" && found.subject == "acct:somebody@else.example")
    }

    @Test(
        "a descriptor of the wrong shape is refused",
        arguments: [
            [], "text", ["links": Self.link],
            ["links": [["rel": "http://openid.net/specs/connect/1.0/issuer"]]],
            ["links": [["rel": "http://openid.net/specs/connect/1.0/issuer", "href": nil]]],
        ] as [JSONValue])
    func malformed(_ members: JSONValue) { #expect(refusal { try answer(members) }?.code == .invalidMetadata) }

    @Test func `a subject or a link that cannot be used is none`() throws {
        let found = try answer(["subject": 5, "links": ["text", ["rel": 5], ["href": "https://x.example"], Self.link]])
        #expect(found.subject == nil && found.issuer.rawValue == "https://op.example")
    }

    @Test func `no link to an issuer, or a link to something else, is refused`() {
        #expect(refusal { try answer([:]) }?.code == .discoveryFailed)
        #expect(refusal { try answer(["links": [["rel": "self"]]]) }?.code == .discoveryFailed)
        for href in ["op.example", "ftp://op.example", "https://op.example?x", "https://op.example#x", "javascript:x"] {
            let link: JSONValue = ["rel": .string(WebFingerQuery.relation), "href": .string(href)]
            #expect(refusal { try answer(["links": [link]]) }?.code == .invalidIssuer)
        }
        #expect(refusal { try WebFingerAnswer(parsing: Data("{".utf8)) }?.code == .invalidMetadata)
    }

    @Test func `an allow-list compares exact strings, or asks a rule`() throws {
        let issuer = try Issuer("https://op.example")
        let lists: [(IssuerAllowList, Bool)] = [
            (["https://op.example"], true), (["https://op.example/", "https://OP.example"], false), ([], false),
            (IssuerAllowList(Set(["https://op.example"])), true), (IssuerAllowList { $0 == issuer }, true),
        ]
        for (list, isAllowed) in lists { #expect(list.allows(issuer) == isAllowed) }
    }
}

import AuthStateFoundation
import AuthStateOAuth
import Testing

struct RedirectURITests {
    @Test(
        "a redirect URI stays the exact string, also through an archive",
        arguments: [
            "https://app.example/callback", "HTTPS://App.Example/%7ecb?x=1", "http://127.0.0.1:0/", "http://[::1]/cb",
            "com.example.app:/callback", "com.example.app://callback", "https://app.example",
        ])
    func exact(_ text: String) throws {
        let uri = try RedirectURI(text)
        #expect(uri.rawValue == text && uri.description == text)
        #expect(try JSONDecoder().decode(RedirectURI.self, from: JSONEncoder().encode(uri)) == uri)
    }

    @Test(
        "a URI that is not absolute, has a fragment or an impossible port is refused",
        arguments: [
            "", "/callback", "app.example/callback", "https://", "https://app.example/#", "https://app.example/a b",
            "https://app.example/ä", "http://127.0.0.1:65536/", "http://127.0.0.1:x/", "http://127.0.0.1:-1/",
            "http://127.0.0.1:+80/",
        ])
    func refused(_ text: String) throws {
        #expect(refusal { try RedirectURI(text) }?.code == .invalidRedirectURI)
        let archived = try JSONEncoder().encode(text)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(RedirectURI.self, from: archived) }
    }

    @Test(
        "a callback matches by scheme in any case, by user, host, port and path exactly; the query does not count",
        arguments: [
            ("https://app.example/cb", "https://app.example/cb?code=1", true),
            ("https://app.example/cb", "HTTPS://app.example/cb", true),
            ("https://app.example/cb?a=1", "https://app.example/cb?code=1#x", true),
            ("com.example.app:/cb", "com.example.app:/cb?code=1", true),
            ("https://app.example/cb", "http://app.example/cb", false),
            ("https://app.example/cb", "https://APP.example/cb", false),
            ("https://app.example/cb", "https://app.example:443/cb", false),
            ("https://app.example/cb", "https://app.example/cb/", false),
            ("https://app.example/cb", "https://app.example/CB", false),
            ("https://app.example/cb", "https://app.example/%63b", false),
            ("https://app.example/cb", "https://user@app.example/cb", false),
            ("https://app.example/cb", "https://app.example.evil.example/cb", false),
            ("http://127.0.0.1:80/cb", "http://127.0.0.1:81/cb", false),
            ("https://app.example/cb", "/cb", false), ("https://app.example/cb", "", false),
            // A browser writes the slash itself (RFC 3986, section 6.2.3), and Microsoft does.
            ("https://app.example", "https://app.example/?code=1", true),
            ("http://localhost:8400", "http://localhost:8400/?code=1", true),
            ("https://app.example/", "https://app.example?code=1", true),
            ("https://app.example", "https://app.example//?code=1", false),
            ("https://app.example", "https://app.example/cb?code=1", false),
            ("com.example.app:", "com.example.app:/", false),
        ])
    func matching(_ mine: String, _ callback: String, _ expected: Bool) throws {
        #expect(try RedirectURI(mine).matches(callback) == expected)
    }

    @Test(
        "the redirect URI's own query comes back, each pair once and unchanged, beside the answer",
        arguments: [
            ("/cb", "/cb?code=1", true), ("/cb?a=1", "/cb?a=1&code=1", true), ("/cb?a=1", "/cb?code=1&a=1", true),
            ("/cb?a=1", "/cb?a=1#code=1", true), ("/cb?a=1&a=2", "/cb?a=1&a=2&code=1", true),
            ("/cb?a=b%20c", "/cb?a=b+c&code=1", true), ("/cb?a", "/cb?a&code=1", true), ("/cb?", "/cb?code=1", true),
            ("/cb?%zz", "/cb?%zz&code=1", true), ("/cb?a=1", "/cb?a=2&code=1", false), ("/cb?a=1", "/cb?code=1", false),
            ("/cb?a=1", "/cb", false), ("/cb?a=1", "/cb?a=1&a=2&code=1", false),
            ("/cb?a=1", "/cb?a=1&a=1&code=1", false), ("/cb?a=1&a=2", "/cb?a=2&a=1", false),
            ("/cb?a=1", "/cb?A=1&code=1", false), ("/cb?a=K", "/cb?a=%E2%84%AA", false),
            ("/cb?%zz", "/cb?code=1", false), ("/cb?a=1", "/cb?%zz&a=1", false), ("/cb?a=1", "/cb?code=1#a=1", false),
        ])
    func ownQuery(_ mine: String, _ callback: String, _ expected: Bool) throws {
        let uri = try RedirectURI("https://app.example\(mine)")
        #expect(uri.keepsQuery(in: "https://app.example\(callback)") == expected)
    }

    @Test("a loopback redirect is http to a literal address, and takes another port")
    func loopback() throws {
        let uri = try RedirectURI("http://127.0.0.1:0/cb?x=1")
        #expect(uri.isLoopback && uri.port == 0 && uri.path == "/cb")
        #expect(uri.withPort(8400).rawValue == "http://127.0.0.1:8400/cb?x=1")
        #expect(try RedirectURI("http://[::1]/cb").withPort(1).rawValue == "http://[::1]:1/cb")
        #expect(try !RedirectURI("https://127.0.0.1/cb").isLoopback)
        #expect(try RedirectURI("com.example.app:/cb").withPort(1).rawValue == "com.example.app:/cb")
    }
}

import AuthStateFoundation
import AuthStateOAuth
import Testing

struct IssuerTests {
    @Test(
        "an issuer stays the exact string, also through an archive",
        arguments: [
            "https://op.example", "https://op.example/", "HTTPS://OP.example:443/a%2Fb", "http://127.0.0.1:80/o",
        ])
    func exact(_ text: String) throws {
        let issuer = try Issuer(text)
        #expect(issuer.rawValue == text && issuer.description == text)
        #expect(try JSONDecoder().decode(Issuer.self, from: JSONEncoder().encode(issuer)) == issuer)
    }

    @Test func `two spellings of one URL are two issuers`() throws {
        #expect(try Issuer("https://op.example") != Issuer("https://op.example/"))
        #expect(try Issuer("https://op.example") != Issuer("https://OP.example"))
    }

    @Test(
        "an issuer has no query, fragment or user, and is http(s) (OpenID Connect Core, section 1.2)",
        arguments: [
            "", "op.example", "https://", "https:///path", "https://op.example?", "https://op.example?a=b",
            "https://op.example#", "https://user@op.example", "ftp://op.example", "https://op.example/a b",
            "https://öp.example", "https://op[.example", "https://127.0.0.%31", "https://op.example/\u{0}",
            "accounts.google.com", "javascript:alert(1)",
        ])
    func refused(_ text: String) throws {
        let error = refusal { try Issuer(text) }
        #expect(error?.code == .invalidIssuer && error?.stage == .discovery)
        let archived = try JSONEncoder().encode(text)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Issuer.self, from: archived) }
    }

    @Test(
        "the well-known places (OpenID Connect Discovery, section 4; RFC 8414, section 3)",
        arguments: [
            (
                "https://op.example", "https://op.example/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example/", "https://op.example/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example:8443/tenant/a", "https://op.example:8443/tenant/a/.well-known/openid-configuration",
                "https://op.example:8443/.well-known/oauth-authorization-server/tenant/a"
            ),
            (
                "http://[::1]:80/o/", "http://[::1]:80/o/.well-known/openid-configuration",
                "http://[::1]:80/.well-known/oauth-authorization-server/o"
            ),
        ])
    func wellKnown(_ issuer: String, _ openID: String, _ oauth: String) throws {
        let issuer = try Issuer(issuer)
        #expect(issuer.openIDConfigurationURL?.absoluteString == openID)
        #expect(issuer.authorizationServerMetadataURL?.absoluteString == oauth)
    }
}

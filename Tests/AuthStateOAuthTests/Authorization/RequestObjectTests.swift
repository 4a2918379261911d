import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Signed request objects (RFC 9101).
struct RequestObjectTests {
    private static func key(_ algorithm: SignatureAlgorithm = .es256) throws -> SigningKey {
        try SigningKey.forTests(algorithm, keyID: "client-key")
    }

    private static func token(_ request: AuthorizationRequest, _ key: SigningKey? = nil) throws -> JSONWebToken {
        let key = try key ?? Self.key()
        let token = try JSONWebToken(parsing: RequestObject(request, issuedAt: Fixtures.now).signed(with: key))
        try token.verify(with: VerificationKey(key.publicKey), allowed: [key.algorithm])
        return token
    }

    @Test func `the claims of section 4's example come out of the same request, with the same types`() throws {
        let example = try JSONWebToken(parsing: RFC9101.requestObject)
        let key = try JSONWebKey(json: JSONValue(parsing: RFC9101.publicKey.utf8))
        try example.verify(with: JSONWebKeySet(keys: [key]), allowed: [.rs256])
        var configuration = try Fixtures.configuration()
        configuration.issuer = try Issuer("https://server.example.com")
        var request = AuthorizationRequest(
            Client(configuration, id: "s6BhdRkqt3"), scopes: [.openID],
            redirectURI: try RedirectURI("https://client.example.org/cb"))
        request.responseType = .codeIDToken
        request.state = "af0ifjsldkj"
        request.nonce = "n-0S6_WzA2Mj"
        request.maxAge = 86400
        let claims = try Self.token(request).claims
        let expected = try #require(example.claims.objectValue)
        #expect(expected.count == 9)
        for (name, value) in expected { #expect(claims[name] == value, "\(name)") }
    }

    @Test func `a token is typed, short-lived, new each time, and names its key`() throws {
        let request = try Fixtures.request()
        let (first, second) = (try Self.token(request), try Self.token(request))
        #expect(first.header.type == "oauth-authz-req+jwt" && first.header.keyID == "client-key")
        let claims = first.claims
        #expect(claims["iss"]?.stringValue == "client" && claims["client_id"]?.stringValue == "client")
        #expect(claims["aud"]?.stringValue == "https://op.example")
        #expect(claims["iat"]?.intValue == 1_800_000_000 && claims["nbf"]?.intValue == 1_800_000_000)
        #expect(claims["exp"]?.intValue == 1_800_000_300)
        #expect(claims["jti"]?.stringValue?.isEmpty == false && claims["jti"] != second.claims["jti"])
        // A token with sub could be taken for a client assertion (RFC 9101, section 10.8).
        for name in ["sub", "request", "request_uri"] { #expect(claims[name] == nil) }
    }

    @Test func `every parameter of the URL is a claim: numbers, objects and lists as such`() throws {
        var request = try Fixtures.request()
        request.claims = ClaimsRequest(idToken: ["email": .essential]).json
        request.maxAge = 0
        request.prompt = [.login, .consent]
        request.resources = ["https://a.example", "https://b.example"]
        request.additionalParameters = ["authorization_details": #"[{"type":"x"}]"#, "tenant": "007"]
        let url = try request.url().absoluteString
        let sent = try #require(Parameters(decoding: url.drop { $0 != "?" }.dropFirst()))
        let claims = try Self.token(request).claims
        for name in sent.names { #expect(claims[name] != nil, "\(name)") }
        #expect(claims["claims"] == ["id_token": ["email": ["essential": true]]])
        #expect(claims["max_age"] == 0 && claims["prompt"] == "login consent" && claims["tenant"] == "007")
        #expect(claims["resource"] == ["https://a.example", "https://b.example"])
        #expect(claims["authorization_details"] == [["type": "x"]])
        request.resources = ["https://a.example"]
        #expect(try Self.token(request).claims["resource"] == "https://a.example")
    }

    @Test("every kind of key signs", arguments: [SignatureAlgorithm.hs256, .rs256, .ps256, .es256, .es384, .edDSA])
    func algorithms(_ algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(algorithm)
        #expect(try Self.token(Fixtures.request(), key).header.algorithm == algorithm)
    }

    @Test func `a provider without an issuer is known by its endpoint`() throws {
        var configuration = try Fixtures.configuration()
        configuration.issuer = nil
        let request = try Fixtures.request(configuration, scopes: ["api"])
        #expect(try Self.token(request).claims["aud"] == "https://op.example/authorize")
    }

    @Test func `the URL has the object, and beside it what makes the request one of OpenID Connect`() throws {
        let url = try Fixtures.request().url(signedAs: "a.b.c").absoluteString
        #expect(
            url == "https://op.example/authorize?client_id=client&response_type=code&scope=openid%20profile"
                + "&request=a.b.c")
    }

    @Test func `a reference of the client's own goes the same way`() throws {
        var request = try Fixtures.request()
        request.requestURI = "https://app.example/r.jwt#x"
        #expect(
            try request.url().absoluteString == "https://op.example/authorize?client_id=client&response_type=code"
                + "&scope=openid%20profile&request_uri=https%3A%2F%2Fapp.example%2Fr.jwt%23x")
        for uri in ["http://app.example/r.jwt", "r.jwt", "", "https://app.example/a b"] {
            request.requestURI = uri
            #expect(refusal { try request.url() }?.code == .invalidArgument, "\(uri)")
        }
    }

    @Test func `the metadata's rules for request objects are followed`() throws {
        var required = try Fixtures.request(Fixtures.configuration(metadata: ["require_signed_request_object": true]))
        #expect(refusal { try required.url() }?.code == .invalidArgument)
        required.requestURI = "https://app.example/r.jwt"
        #expect(try required.url().absoluteString.contains("request_uri="))
        let none = try Fixtures.configuration(
            metadata: ["request_parameter_supported": false, "request_uri_parameter_supported": false])
        var request = try Fixtures.request(none)
        #expect(refusal { try request.url(signedAs: "a.b.c") }?.code == .unsupported)
        request.requestURI = "https://app.example/r.jwt"
        #expect(refusal { try request.url() }?.code == .unsupported)
    }

    @Test func `a request that is to be signed has no URL of its own`() throws {
        var request = try Fixtures.request()
        request.signingCredential = .secret(Secrets.make("hmac"))
        Secrets.expectNone(in: request)
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }

    @Test("a request object cannot come in as an additional parameter", arguments: ["request", "request_uri"])
    func additional(_ name: String) throws {
        var request = try Fixtures.request()
        request.additionalParameters[name] = "x"
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }
}

/// RFC 9101, section 4.
private enum RFC9101 {
    static let requestObject = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsyYmRjIn0.ewogICAgImlzcyI6ICJzNkJoZF
        JrcXQzIiwKICAgICJhdWQiOiAiaHR0cHM6Ly9zZXJ2ZXIuZXhhbXBsZS5jb20iLAog
        ICAgInJlc3BvbnNlX3R5cGUiOiAiY29kZSBpZF90b2tlbiIsCiAgICAiY2xpZW50X2
        lkIjogInM2QmhkUmtxdDMiLAogICAgInJlZGlyZWN0X3VyaSI6ICJodHRwczovL2Ns
        aWVudC5leGFtcGxlLm9yZy9jYiIsCiAgICAic2NvcGUiOiAib3BlbmlkIiwKICAgIC
        JzdGF0ZSI6ICJhZjBpZmpzbGRraiIsCiAgICAibm9uY2UiOiAibi0wUzZfV3pBMk1q
        IiwKICAgICJtYXhfYWdlIjogODY0MDAKfQ.Nsxa_18VUElVaPjqW_ToI1yrEJ67BgK
        b5xsuZRVqzGkfKrOIX7BCx0biSxYGmjK9KJPctH1OC0iQJwXu5YVY-vnW0_PLJb1C2
        HG-ztVzcnKZC2gE4i0vgQcpkUOCpW3SEYXnyWnKzuKzqSb1wAZALo5f89B_p6QA6j6
        JwBSRvdVsDPdulW8lKxGTbH82czCaQ50rLAg3EYLYaCb4ik4I1zGXE4fvim9FIMs8O
        CMmzwIB5S-ujFfzwFjoyuPEV4hJnoVUmXR_W9typPf846lGwA8h9G9oNTIuX8Ft2jf
        pnZdFmLg3_wr3Wa5q3a-lfbgF3S9H_8nN3j1i7tLR_5Nz-g
        """.filter { !$0.isWhitespace }

    static let publicKey = """
        {"kty":"RSA", "kid":"k2bdc", "e":"AQAB", "n":"
        x5RbkAZkmpRxia65qRQ1wwSMSxQUnS7gcpVTV_cdHmfmG2ltd2yabEO9XadD8
        pJNZubINPpmgHh3J1aD9WRwS05ucmFq3CfFsluLt13_7oX5yDRSKX7poXmT_5
        ko8k4NJZPMAO8fPToDTH7kHYbONSE2FYa5GZ60CUsFhSonI-dcMDJ0Ary9lxI
        w5k2z4TAdARVWcS7sD07VhlMMshrwsPHBQgTatlkxyIHXbYdtak8fqvNAwr7O
        lVEvM_Ipf5OfmdB8Sd-wjzaBsyP4VhJKoi_qdgSzpC694XZeYPq45Sw-q51iF
        UlcOlTCI7z6jltUtnR6ySn6XDGFnzH5Fe5ypw"}
        """.filter { !$0.isWhitespace }
}

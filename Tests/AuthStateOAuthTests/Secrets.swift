import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Marks what is secret in a test, so that it can be looked for wherever it must not be.
enum Secrets {
    private static let marker = "SECRET"

    /// A secret that carries the marker.
    static func make(_ name: String) -> String { "\(marker)-\(name)" }

    /// The marker as it is, and as encodings write it wherever it begins within three bytes.
    private static let traces: [String] = {
        let padded = (0..<3).map { String(repeating: "x", count: $0) + marker }
        let encoded = padded.flatMap { text -> [String] in
            // The characters that depend on the marker alone: not those mixed with what stands before or after it.
            let skipped = text.utf8.count - marker.utf8.count
            let first = (skipped * 8 + 5) / 6
            let last = text.utf8.count * 8 / 6
            return [Base64.encode(Array(text.utf8)), Base64URL.encode(text.utf8)].map {
                String($0.prefix(last).dropFirst(first))
            }
        }
        let escaped = marker.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        return [marker, escaped, escaped.lowercased()] + encoded
    }()

    /// The text in which a printed value shows the marker; nil if none does.
    static func trace(in value: some Any) -> String? {
        var dumped = ""
        dump(value, to: &dumped)
        let texts = ["\(value)", String(describing: value), String(reflecting: value), dumped]
        return texts.first { text in traces.contains { text.contains($0) } }
    }

    static func expectNone(in value: some Any, sourceLocation: SourceLocation = #_sourceLocation) {
        if let text = trace(in: value) { Issue.record("a secret shows: \(text)", sourceLocation: sourceLocation) }
    }
}

struct SecretsTests {
    @Test func `the search finds the marker raw, escaped, and in base64 at every alignment`() throws {
        let secret = Secrets.make("code")
        #expect(Secrets.trace(in: "code=\(secret)") != nil)
        #expect(Secrets.trace(in: ["deep": [secret]]) != nil)
        for lead in ["", "a", "ab", "abc"] {
            #expect(Secrets.trace(in: Base64.encode(Array((lead + secret).utf8))) != nil)
            #expect(Secrets.trace(in: Base64URL.encode((lead + secret).utf8)) != nil)
        }
        #expect(Secrets.trace(in: "%53%45%43%52%45%54") != nil)
        #expect(Secrets.trace(in: "nothing to see") == nil)
    }

    @Test("no value with a secret in it prints the secret")
    func valuesPrintNoSecret() throws {
        let request = try Fixtures.request()
        var hinted = request
        hinted.idTokenHint = Secrets.make("hint")
        hinted.additionalParameters = ["login_ticket": Secrets.make("ticket")]
        let response = try Fixtures.response(
            "code=\(Secrets.make("code"))&state=\(request.state)&x=\(Secrets.make("x"))", to: request)
        let credentials: [ClientCredential] = [
            .secret(Secrets.make("client")), ClientCredential(.issued(Secrets.make("issued"))),
            ClientCredential(.value(Secrets.make("key")), method: .privateKeyJWT),
        ]
        let pushed = PushedAuthorizationRequest(hinted, requestObject: Secrets.make("object"))
        let reference = try PushedAuthorizationResponse(
            Fixtures.json(#"{"request_uri":"urn:SECRET-r","expires_in":60}"#, status: 201), sentAt: Fixtures.now)
        let token = TokenResponse(
            accessToken: Secrets.make("access"), issuedAt: Fixtures.now, refreshToken: Secrets.make("refresh"),
            idToken: Secrets.make("id"), additionalMembers: ["device_secret": .string(Secrets.make("device"))])
        let basic = try ClientAuthentication.secret(
            Secrets.make("client"), clientID: "client", method: .clientSecretBasic)
        let post = try ClientAuthentication.secret(
            Secrets.make("client"), clientID: "client", method: .clientSecretPost)
        let assertion = try ClientAuthentication.assertion(
            Secrets.make("assertion"), clientID: "client", method: .privateKeyJWT)
        let exchange = TokenRequest(exchanging: response)
        let renewal = TokenRequest(
            Client(request.client.provider, id: "client"), .refreshToken(Secrets.make("refresh")))
        let body = #"{"access_token":"SECRET-a","token_type":"mac","refresh_token":"SECRET-r"}"#
        let answer = TokenAnswer(Fixtures.json(body), to: renewal, sentAt: Fixtures.now)
        var expectation = IDTokenExpectation(
            issuer: try Issuer("https://op.example"), clientID: "client", now: Fixtures.now)
        expectation.nonce = Secrets.make("nonce")
        expectation.accessToken = Secrets.make("access")
        var registration = RegistrationRequest(request.client.provider, redirectURIs: [])
        registration.initialAccessToken = Secrets.make("initial")
        let registered = try RegistrationResponse(
            Fixtures.json(
                """
                {"client_id":"c","client_secret":"SECRET-s","client_secret_expires_at":0,
                "registration_access_token":"SECRET-t","registration_client_uri":"https://op.example/c"}
                """))
        var logout = EndSessionRequest(configuration: request.client.provider, idTokenHint: Secrets.make("hint"))
        logout.state = Secrets.make("state")
        let asked = BackchannelAuthenticationRequest(
            Client(request.client.provider, id: "client"), hint: .loginToken(Secrets.make("hint")),
            userCode: Secrets.make("user-code"))
        let asking = BackchannelAuthenticationResponse(
            request: asked, authenticationRequestID: Secrets.make("auth-req-id"), expiresAt: Fixtures.now)
        let introspection = IntrospectionRequest(
            Client(request.client.provider, id: "client"), token: Secrets.make("token"))
        let introspected = try IntrospectionResponse(
            Fixtures.json(#"{"active":true,"username":"SECRET-n","sub":"SECRET-s","cnf":{"jkt":"SECRET-j"}}"#))
        let management = RegistrationManagementRequest(.update(registration), registered)
        let messages = [
            try management.transportRequest(), try exchange.transportRequest(authentication: basic),
            try renewal.transportRequest(authentication: post),
            try renewal.transportRequest(authentication: assertion), try registration.transportRequest(),
        ]
        let values: [any Sendable] = [
            request, hinted, request.codeVerifier, response, token, basic, post, assertion, exchange, renewal, answer,
            expectation, pushed, reference, RequestObject(hinted, issuedAt: Fixtures.now), registration,
            registered, registered.credential, logout, introspection, introspected, management,
            asked, asked.hint, asking, asking.tokenRequest(),
            AuthorizationCallback(url: "https://u:SECRET-p@app.example/callback?code=SECRET-c#code=SECRET-d"),
            AuthorizationCallback(url: "https://app.example/callback", formBody: "code=SECRET-c"),
            TransportRequest(url: try request.url()), Fixtures.json(body),
            ["code": Secrets.make("code")] as Parameters,
            AuthorizationDetail(type: "payment", additionalMembers: ["iban": .string(Secrets.make("iban"))]),
        ]
        for value in values { Secrets.expectNone(in: value) }
        for credential in credentials {
            Secrets.expectNone(in: credential)
            Secrets.expectNone(in: credential.source)
        }
        for message in messages {
            Secrets.expectNone(in: message)
            for field in message.headers { Secrets.expectNone(in: field) }
        }
    }

    @Test("a code's and a token's refusal show nothing of them")
    func errorsPrintNoSecret() throws {
        let request = try Fixtures.request()
        let queries = [
            "code=SECRET-c&state=SECRET-other", "code=SECRET-c", "code=SECRET-c&code=SECRET-d&state=\(request.state)",
            "state=\(request.state)&token=SECRET-t", "code=SECRET-c&state=\(request.state)&iss=https://evil.example",
        ]
        for query in queries { _ = refusal { try Fixtures.response(query, to: request) } }
        _ = refusal {
            try AuthorizationResponse(
                callback: AuthorizationCallback(url: "https://elsewhere.example/?code=SECRET-c"), for: request)
        }
        _ = refusal { try CodeVerifier(Secrets.make("short")) }
    }

    @Test func `text from a provider is cut to 300 characters that print`() {
        let text = String(repeating: "a", count: 400)
        let error = OAuthErrorResponse(error: text, errorDescription: "\u{1B}[31m\n\u{202E}" + text, errorURI: text)
        let fields = [error.error, error.errorDescription ?? "", error.errorURI ?? ""]
        for field in fields {
            #expect(field.unicodeScalars.count <= 301)
            #expect(!field.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
        let refusal = AuthStateError(.invalidScope, stage: .token, "No.", received: text + "\u{7}")
        #expect(refusal.received?.unicodeScalars.count == 301)
    }
}

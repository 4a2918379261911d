import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import AuthStateUserAgent
import Testing

struct OpenIDProviderBrowserTests {
    /// A browser that logs in, and sends back the cookie that it got.
    private final class Visitor: Sendable {
        let fixture: ProviderFixture
        private let cookie = Lock<String?>(nil)

        init(_ fixture: ProviderFixture) { self.fixture = fixture }

        /// Visits a page, or sends its form.
        func visit(_ url: URL, _ form: Parameters? = nil) async throws -> TransportResponse {
            var request = TransportRequest(url: url)
            if let cookie = cookie.withLock({ $0 }) { request.headers["Cookie"] = "other=1; \(cookie)" }
            if let form {
                request.method = .post
                request.headers["Content-Type"] = "application/x-www-form-urlencoded"
                request.body = Data(form.encoded.utf8)
            }
            let response = try await fixture.service.transport.send(request)
            if let set = response.headers["Set-Cookie"] {
                cookie.withLock { $0 = String(set.prefix { $0 != ";" }) }
            }
            return response
        }

        /// Goes to the authorization endpoint with a request, and answers its page.
        func authorize(
            client: String = "app", scopes: [Scope] = [.openID], prompt: [AuthorizationPrompt] = [],
            maxAge: Int? = nil,
            answer: Parameters? = nil, isFromPage: Bool = true
        ) async throws -> TransportResponse {
            var request = fixture.request(scopes, client: client)
            request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
            request.prompt = prompt
            request.maxAge = maxAge
            guard var form = answer else { return try await visit(request.url()) }
            for name in try request.parameters().names { form[name] = try request.parameters()[name] }
            if form["username"] == nil, isFromPage {
                let page = try await visit(request.url()).page
                form["form"] = page.firstMatch(of: /name="form" value="([^"]*)"/).map { String($0.output.1) }
            }
            return try await visit(fixture.provider.url(of: .authorization), form)
        }
    }

    private static let ada: Parameters = ["username": "ada", "password": "lovelace", "decision": "allow"]

    private func visitor(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws -> Visitor {
        Visitor(
            try await ProviderFixture {
                $0.login = .page
                change(&$0)
            })
    }

    @Test("a browser that has logged in is asked for consent alone, also by another client")
    func consent() async throws {
        let visitor = try await visitor()
        #expect(try await visitor.authorize().page.contains("id=\"password\""))
        #expect(try await visitor.authorize(answer: Self.ada).answer?["code"] != nil)
        let page = try await visitor.authorize(client: "service").page
        #expect(page.contains("You are logged in as <strong>ada</strong>") && !page.contains("id=\"password\""))
        #expect(try await visitor.authorize(client: "service", answer: ["decision": "allow"]).answer?["code"] != nil)
        #expect(try await visitor.authorize(answer: ["decision": "deny"]).answer?["error"] == "access_denied")
        #expect(try await visitor.authorize(answer: ["decision": "other"]).page.contains("id=\"password\""))
    }

    @Test func `a form of another page grants nothing, and neither does a request by POST`() async throws {
        let visitor = try await visitor()
        _ = try await visitor.authorize(answer: Self.ada)
        for answer: Parameters in [
            ["decision": "allow"], ["decision": "allow", "form": "guessed"], ["max_age": "100"],
        ] {
            let response = try await visitor.authorize(client: "service", answer: answer, isFromPage: false)
            #expect(response.answer == nil && response.page.contains("You are logged in as"))
        }
        let none = try await visitor.authorize(prompt: [.none], answer: ["max_age": "0"], isFromPage: false)
        #expect(none.answer?["error"] == "login_required", "by POST too")
    }

    @Test("a client that wants a new login gets one, and a page is never shown to one that wants none")
    func prompts() async throws {
        let visitor = try await visitor()
        #expect(try await visitor.authorize(prompt: [.none]).answer?["error"] == "login_required")
        _ = try await visitor.authorize(answer: Self.ada)
        #expect(try await visitor.authorize(prompt: [.none]).answer?["code"] != nil)
        #expect(
            try await visitor.authorize(scopes: [.openID, .email], prompt: [.none]).answer?["error"]
                == "consent_required")
        #expect(try await visitor.authorize(prompt: [.login]).page.contains("id=\"password\""))
        #expect(try await visitor.authorize(maxAge: 0).page.contains("id=\"password\""))
    }

    @Test("a logout ends the browser's session, tells one client by its back channel and shows another its page")
    func logout() async throws {
        let told = Lock<[String]>([])
        let listener = try LoopbackServer(addresses: [.ipv4]) { request, responder in
            told.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            responder.respond(LoopbackResponse(status: 200))
        }
        defer { listener.stop() }
        let visitor = try await visitor {
            $0.clients[0].backChannelLogoutURI = "http://127.0.0.1:\(listener.port)/logout"
            $0.clients[1].frontChannelLogoutURI = "http://127.0.0.1:6000/logout"
        }
        _ = try await visitor.authorize(answer: Self.ada)
        _ = try await visitor.authorize(client: "service", answer: ["decision": "allow"])
        let end = try await visitor.visit(visitor.fixture.provider.url(of: .endSession))
        #expect(end.page.contains("src=\"http://127.0.0.1:6000/logout?iss="))
        #expect(end.headers["Content-Security-Policy"]?.contains("frame-src http://127.0.0.1:6000") == true)
        let body = try #require(told.withLock { $0.first })
        let text = try #require(Parameters(decoding: body)?["logout_token"])
        let token = try JSONWebToken(parsing: text)
        #expect(token.claims["aud"] == "app" && token.claims["sub"] == .string(OpenIDProvider.User.ada.subject))
        #expect(told.withLock { $0.count } == 1)
        #expect(try await visitor.authorize().page.contains("id=\"password\""))
    }

    @Test("a logout needs an ID token that the provider signed; expired ones and those of former keys are")
    func hints() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock)
        let compact = try #require(try await fixture.logIn().record.idToken)
        func end(_ hint: String, _ more: Parameters = [:]) async throws -> (status: Int, page: String) {
            var parameters: Parameters = [
                "id_token_hint": hint, "post_logout_redirect_uri": "http://127.0.0.1/callback",
            ]
            for name in more.names { parameters[name] = more[name] }
            let url = "\(fixture.provider.url(of: .endSession))?\(parameters.encoded)"
            let answer = try await fixture.service.transport.send(TransportRequest(url: try #require(URL(string: url))))
            return (answer.status, answer.page)
        }
        var parts = compact.split(separator: ".").map(String.init)
        parts[2] = String(parts[2].reversed())
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        for forged in [parts.joined(separator: "."), "\(unsigned).\(parts[1]).", "x"] {
            let (status, page) = try await end(forged)
            #expect(status == 400 && page.contains("not of this provider"), "\(forged)")
        }
        let other = try await end(compact, ["client_id": "service"])
        #expect(other.status == 400 && other.page.contains("another client"))
        try fixture.provider.rotateKeys()
        clock.advance(by: .seconds(7200))
        #expect(try await end(compact).status == 302)
    }

    @Test("the same user who logs in anew in a browser stays in one session, whose end all clients are told")
    func session() async throws {
        for login in [OpenIDProvider.Configuration.Login.page, .automatic] {
            let visitor = try await visitor {
                $0.login = login
                for index in $0.clients.indices {
                    $0.clients[index].frontChannelLogoutURI = "http://127.0.0.1:6000/\(index)"
                }
            }
            for client in ["app", "service"] {
                let answer = login == .page ? Self.ada : nil
                let response = try await visitor.authorize(client: client, prompt: [.login], answer: answer)
                #expect(response.answer?["code"] != nil)
            }
            let page = try await visitor.visit(visitor.fixture.provider.url(of: .endSession)).page
            for index in 0..<2 { #expect(page.contains("src=\"http://127.0.0.1:6000/\(index)?"), "\(login)") }
        }
    }

    @Test func `a login that the provider asks a user about is allowed or denied on its page`() async throws {
        for (action, isAllowed) in [("allow", true), ("deny", false)] {
            let fixture = try await ProviderFixture {
                $0.login = .page
                $0.devicePollingInterval = .zero
            }
            let url = fixture.provider.url(of: .home)
            let proof =
                ["Authorization": "Basic \(Base64.encode(Array("service:service-secret".utf8)))"] as TransportHeaders
            _ = try await fixture.post(
                ["scope": "openid", "login_hint": "ada"], headers: proof, to: .backchannelAuthentication)
            let page = try await fixture.service.transport.send(TransportRequest(url: url)).page
            let code = try #require(page.firstMatch(of: /name="login" value="([^"]*)"/)).output.1
            let form: Parameters = ["login": String(code), "action": action]
            let headers: TransportHeaders = [
                "Content-Type": "application/x-www-form-urlencoded", "Origin": fixture.provider.issuer,
            ]
            let answer = try await fixture.service.transport.send(
                TransportRequest(method: .post, url: url, headers: headers, body: Data(form.encoded.utf8)))
            #expect(answer.status == 302)
            let tokens = try await fixture.post(
                ["grant_type": GrantType.ciba.rawValue, "auth_req_id": String(code)], headers: proof)
            #expect(
                (tokens.status == 200) == isAllowed && tokens.page.contains(isAllowed ? "id_token" : "access_denied"))
        }
    }

    @Test func `a page on this machine may call the endpoints from the browser, and another site may not`() async throws
    {
        let fixture = try await ProviderFixture()
        func send(_ endpoint: OpenIDProvider.Endpoint, from origin: String, _ method: String = "GET") async throws
            -> TransportResponse
        {
            try await fixture.service.transport.send(
                TransportRequest(
                    method: TransportRequest.Method(rawValue: method), url: fixture.provider.url(of: endpoint),
                    headers: ["Origin": origin]))
        }
        let name = "Access-Control-Allow-Origin"
        for origin in ["http://localhost:5173", "http://127.0.0.1:3000"] {
            #expect(try await send(.discovery, from: origin).headers[name] == origin)
            let preflight = try await send(.userInfo, from: origin, "OPTIONS")
            #expect(preflight.status == 204 && preflight.headers[name] == origin)
            #expect(preflight.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
            #expect(try await send(.home, from: origin).headers[name] == nil, "its page shows every password")
        }
        for origin in ["https://evil.example", "http://localhost.evil.example", "null"] {
            #expect(try await send(.discovery, from: origin).headers[name] == nil)
            #expect(try await send(.token, from: origin, "OPTIONS").status == 405)
        }
    }

    @Test func `the provider's page accepts only its own form`() async throws {
        let fixture = try await ProviderFixture()
        let url = fixture.provider.url(of: .home)
        let page = try await fixture.service.transport.send(TransportRequest(url: url)).page
        #expect(page.contains("lovelace") && page.contains("lost-answer"))
        func send(origin: String?, _ form: Parameters) async throws -> Int {
            var headers: TransportHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
            headers["Origin"] = origin
            return try await fixture.service.transport.send(
                TransportRequest(method: .post, url: url, headers: headers, body: Data(form.encoded.utf8))
            ).status
        }
        #expect(try await send(origin: "https://evil.example", ["down": "1"]) == 400)
        #expect(try await send(origin: nil, ["down": "1"]) == 400)
        #expect(fixture.provider.troubles.isEmpty)
        #expect(try await send(origin: fixture.provider.issuer, ["down": "1", "clock": "1"]) == 302)
        #expect(Set(fixture.provider.troubles.map(\.rawValue)) == ["down", "clock"])
        #expect(try await send(origin: fixture.provider.issuer, ["action": "revoke"]) == 302)
        #expect(fixture.provider.troubles.count == 2, "another form's button leaves them")
        // Every endpoint refuses a name that leads here, the page too.
        let rebound = TransportRequest(url: url, headers: ["Host": "evil.example:\(fixture.provider.port)"])
        #expect(try await fixture.service.transport.send(rebound).status == 400)
    }

    @Test("an issuer may be named localhost, with a path")
    func localhost() async throws {
        let fixture = try await ProviderFixture {
            $0.isNamedLocalhost = true
            $0.issuerPath = "/tenant"
        }
        #expect(fixture.provider.issuer == "http://localhost:\(fixture.provider.port)/tenant")
        #expect(try await fixture.logIn().isAuthorized)
    }
}

extension TransportResponse {
    fileprivate var page: String { String(decoding: body, as: UTF8.self) }

    /// The parameters of a redirect back to the client.
    fileprivate var answer: Parameters? {
        headers["Location"].flatMap { URIReference($0).query.flatMap { Parameters(decoding: $0) } }
    }
}

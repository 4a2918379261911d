import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateReport
import AuthStateTesting
import Testing

/// A provider and a service that records.
struct ReportedWorld {
    let provider: OpenIDProvider
    let trace = LoginTrace.recording()
    let service: AuthorizationService

    init(
        transport: any HTTPTransport = SystemTransport.shared,
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        provider = try await OpenIDProvider(configuration: configuration)
        service = AuthorizationService(transport) { [trace] in $0.trace = trace }
    }

    func client(_ id: String = "app", _ credential: ClientCredential = .none) async throws -> Client {
        Client(try await service.discoverConfiguration(issuer: provider.issuer), id: id, credential: credential)
    }

    @discardableResult
    func logIn(
        _ client: Client, scopes: [Scope] = [.openID, .profile, .email], redirectURI: String? = nil
    ) async throws -> AuthState {
        var request = AuthorizationRequest(client, scopes: scopes)
        if let redirectURI { request.redirectURI = try RedirectURI(redirectURI) }
        return try await AuthState.logIn(.browser(request, DirectUserAgent()), at: .memory(service: service))
    }
}

struct LoginReportTests {
    @Test("nothing secret of a whole login, its use and its end is in either form, in any encoding")
    func secrecy() async throws {
        let world = try await ReportedWorld { $0.requiresDPoP = false }
        let secret = ClientCredential.secret("service-secret")
        let state = try await world.logIn(try await world.client("service", secret))
        var secrets = [try #require(state.record.accessToken), try #require(state.record.refreshToken)]
        _ = try await state.userInfo()
        _ = try await state.performAction(
            TransportRequest(url: world.provider.url(of: .resource), headers: ["Cookie": "session=cookie-of-a-user"]))
        // A provider that repeats a secret does not bring it into a report.
        let repeated = secrets[1]
        world.provider.update { configuration in
            configuration.deviations.tokenResponse = { $0["error_uri"] = .string("https://op.example/?s=\(repeated)") }
        }
        secrets.append(try await state.refresh().accessToken)
        secrets += [try #require(state.record.refreshToken), try #require(state.record.idToken)]
        _ = await state.logOut(.everywhere(DirectUserAgent()))
        for endpoint in OpenIDProvider.Endpoint.allCases {
            for request in world.provider.requests(at: endpoint) {
                secrets += ["code", "code_verifier", "state", "nonce", "id_token_hint", "token", "code_challenge"]
                    .compactMap { request.parameters[$0] }
            }
        }
        secrets += [
            "service-secret", "cookie-of-a-user", "Ada Lovelace", "ada@example.com", OpenIDProvider.User.ada.subject,
        ]
        #expect(Set(secrets).count >= 14)
        let archive = String(decoding: world.trace.harArchive(), as: UTF8.self)
        for (name, text) in [("page", world.trace.htmlReport()), ("archive", archive)] {
            for secret in Set(secrets) {
                for form in [
                    secret, PercentEncoding.uri(secret), PercentEncoding.form(secret),
                    Base64.encode(Array(secret.utf8)),
                    Base64URL.encode(Array(secret.utf8)), String(secret.reversed()),
                    Array(secret.utf8).map { String($0, radix: 16) }.joined(),
                ] { #expect(!text.contains(form), "\(name): \(secret)") }
                // Nor is the beginning of one.
                #expect(!text.contains(secret.prefix(12)), "\(name): the beginning of \(secret)")
            }
            #expect(text.contains("POST") && text.contains("/token"))
        }
    }

    @Test func `a server cannot bring the user's data into a report, and cannot hide the rest of it`() async throws {
        let world = try await ReportedWorld { configuration in
            configuration.deviations.metadata = { $0["private_note"] = "PRIVATE-metadata" }
            configuration.deviations.tokenResponse = {
                // A token answer that looks like a key set, and one that names addresses.
                $0["keys"] = ["PRIVATE-keys"]
                $0["note"] = "PRIVATE-note"
                $0["picture"] = .string("http://127.0.0.1/authorize?PRIVATE-picture")
                $0["authorization_details"] = [["type": "payment", "account": "PRIVATE-account"]]
            }
            configuration.deviations.userInfo = { $0["PRIVATE"] = "PRIVATE-claim" }
        }
        let state = try await world.logIn(try await world.client())
        _ = try await state.userInfo()
        let api = try #require(URL(string: "\(world.provider.url(of: .resource))?PRIVATE-word&prompt=PRIVATE-prompt"))
        _ = try await state.performAction(
            TransportRequest(
                method: .post, url: api,
                headers: ["Content-Type": "application/json", "X-Trace": "http://127.0.0.1/token"],
                body: Data(#"{"PRIVATE-name":"x","prompt":"PRIVATE-text"}"#.utf8)))
        world.provider.rejectAccessTokens(
            times: 2, challenge: #"UMA ticket="PRIVATE-ticket", realm="photos", Negotiate UFJJVkFURQ"#)
        _ = try? await state.performAction(TransportRequest(url: world.provider.url(of: .resource)))
        let finger = "\(world.provider.url(of: .webFinger))?resource=acct%3APRIVATE-user%40127.0.0.1"
        _ = try await world.service.transport.send(TransportRequest(url: try #require(URL(string: finger))))
        let (page, archive) = (world.trace.htmlReport(), String(decoding: world.trace.harArchive(), as: UTF8.self))
        for text in [page, archive] {
            #expect(text.matches(of: /.{0,60}PRIVATE-.{0,40}/).map { String($0.output) } == [])
            #expect(text.contains("photos") && !text.contains("UFJJVkFURQ"))
            #expect(text.contains("\(world.provider.issuer)/token") && text.contains("client_id"))
        }
        #expect(page.contains("GET /.well-known/openid-configuration") && page.contains("127.0.0.1</small>"))
    }

    @Test func `a secret that is known only later is hidden in what was recorded before`() async throws {
        let trace = LoginTrace.recording()
        let document = #"{"issuer":"https://op.example","service_documentation":"the-first-token-of-all"}"#
        let service = AuthorizationService(ScriptedTransport([.json(document)])) { $0.trace = trace }
        let url = try #require(URL(string: "https://op.example/.well-known/openid-configuration"))
        _ = try await service.transport.send(TransportRequest(url: url))
        #expect(trace.htmlReport().contains("the-first-token-of-all"))
        _ = trace.recorder?.mark("the-first-token-of-all")
        #expect(!trace.htmlReport().contains("the-first-token-of-all"))
        #expect(!String(decoding: trace.harArchive(), as: UTF8.self).contains("the-first-token-of-all"))
    }

    @Test func `a long recording keeps its secrets and its newest steps, and of a large answer a part`() async throws {
        let trace = LoginTrace.recording()
        _ = trace.recorder?.mark("the-first-token-of-all")
        var members = (0..<1999).map { "\"member\($0)\":\"value number \($0) of many\"" }.joined(separator: ",")
        members = #"{"error_description":"the-first-token-of-all",\#(members)}"#
        let replies = Array(repeating: ScriptedTransport.Reply.json("{}"), count: 1004) + [.json(members)]
        let service = AuthorizationService(ScriptedTransport(replies)) { $0.trace = trace }
        let url = try #require(URL(string: "https://op.example/introspect"))
        for number in replies.indices {
            let headers: TransportHeaders = ["DPoP": "the-proof-of-request-\(number)"]
            _ = try await service.transport.send(TransportRequest(method: .post, url: url, headers: headers))
        }
        #expect(try JSONValue(parsing: [UInt8](trace.harArchive()))["log"]?["entries"]?.arrayValue?.count == 1000)
        let page = trace.htmlReport()
        #expect(page.contains("1800 members") && page.contains("without the first 5 steps"))
        #expect(!page.contains("the-first-token-of-all") && !page.contains("the-proof-of-request"))
    }

    @Test func `equal secrets have equal marks, and another recording has other ones`() async throws {
        let world = try await ReportedWorld()
        let state = try await world.logIn(try await world.client())
        _ = try await state.userInfo()
        let page = world.trace.htmlReport()
        let marks = page.matches(of: /\d+ characters · #[0-9a-f]{6}/).map { String($0.output) }
        let counts = Dictionary(grouping: marks) { $0 }.mapValues(\.count)
        #expect(counts.values.contains { $0 >= 2 }, "the code of the answer is that of the token request")
        let other = LoginTrace.recording()
        #expect(other.htmlReport().contains("nothing recorded"))
        let first = try #require(world.trace.recorder?.mark("the same value"))
        #expect(world.trace.recorder?.mark("the same value") == first)
        #expect(other.recorder?.mark("the same value") != first)
    }

    @Test func `the archive has the members that readers of HAR 1.2 need`() async throws {
        let world = try await ReportedWorld()
        let state = try await world.logIn(try await world.client())
        world.provider.inject(.status(503), at: .userInfo)
        _ = try? await state.userInfo()
        let log = try #require(try JSONValue(parsing: [UInt8](world.trace.harArchive()))["log"])
        #expect(log["version"] == "1.2" && log["creator"]?["name"]?.stringValue != nil)
        let entries = try #require(log["entries"]?.arrayValue)
        for entry in entries {
            #expect(
                entry["startedDateTime"]?.stringValue?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(entry["time"]?.doubleValue ?? -1 >= 0 && entry["cache"] != nil)
            for name in ["send", "wait", "receive"] { #expect(entry["timings"]?[name]?.doubleValue != nil) }
            for name in [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ] {
                #expect(entry["request"]?[name] != nil, "request.\(name)")
            }
            for name in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
            ] {
                #expect(entry["response"]?[name] != nil, "response.\(name)")
            }
        }
        #expect(entries.last?["response"]?["status"] == 503)
        let token = try #require(entries.first { $0["request"]?["method"] == "POST" })
        let names = token["request"]?["postData"]?["params"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
        #expect(names?.contains("code_verifier") == true)
    }

    @Test func `a request to an API is in the API's lane, and one for the resource's metadata too`() async throws {
        let world = try await ReportedWorld()
        let state = try await world.logIn(try await world.client())
        _ = try await state.performAction(TransportRequest(url: world.provider.url(of: .resource)))
        let page = world.trace.htmlReport()
        #expect(page.contains("from-2 to-4") && page.contains("from-2 to-3") && page.contains("from-1 to-2"))
        let call = try #require(page.firstRange(of: "GET /api/hello"))
        #expect(page[..<call.lowerBound].suffix(300).contains("to-4"))
    }

    @Test func `a refused ID token has the checks that it passed before the one that failed`() async throws {
        let world = try await ReportedWorld()
        world.provider.troubles = [try #require(OpenIDProvider.Trouble(rawValue: "wrong-nonce"))]
        _ = try? await world.logIn(try await world.client())
        let page = world.trace.htmlReport()
        let checks = page.matches(of: /<li( class="no")?>([a-z_]+) ([✓✕])<\/li>/).map { "\($0.output.2)\($0.output.3)" }
        let token = try #require(checks.lastIndex(of: "signature✓"))
        #expect(checks[token...].starts(with: ["signature✓", "typ✓", "iss✓", "sub✓", "aud✓", "azp✓", "exp✓", "iat✓"]))
        #expect(checks.last == "nonce✕" && page.contains("class=\"no\">nonce ✕"))
    }

    @Test("userinfo is in the provider's lane without metadata too, where it is read and where it fails")
    func manualConfiguration() async throws {
        for fails in [false, true] {
            let world = try await ReportedWorld()
            var provider = ProviderConfiguration(
                issuer: try Issuer(world.provider.issuer),
                authorizationEndpoint: world.provider.url(of: .authorization),
                tokenEndpoint: world.provider.url(of: .token), jwksURI: world.provider.url(of: .keySet))
            provider.userInfoEndpoint = world.provider.url(of: .userInfo)
            let state = try await world.logIn(Client(provider, id: "app"))
            if fails { world.provider.inject(.status(503), at: .userInfo, times: 9) }
            _ = try? await state.userInfo()
            _ = try await state.performAction(TransportRequest(url: world.provider.url(of: .resource)))
            let page = world.trace.htmlReport()
            func lane(_ path: String) throws -> Substring {
                page[..<(try #require(page.firstRange(of: "GET \(path)"))).lowerBound].suffix(300)
            }
            #expect(try lane("/userinfo").contains("to-3") && lane("/api/hello").contains("to-4"), "fails: \(fails)")
        }
    }

    @Test func `of two hundred claims of a hostile provider none comes into a report, in whole or in part`()
        async throws
    {
        let claims = (0..<200).map { ("claim-\($0)", "value-\($0)-\(String(repeating: "x&<", count: 30))") }
        let world = try await ReportedWorld { configuration in
            configuration.deviations.userInfo = {
                for (name, value) in claims { $0[name] = .string(value) }
                $0["work_place"] = "Lüdenscheid-Zürich"
            }
        }
        let state = try await world.logIn(try await world.client())
        _ = try await state.userInfo()
        // A letter can be written in two ways.
        let words = "No: \(claims[7].1.prefix(40)), \(claims[9].1) and Lu\u{308}denscheid-Zu\u{308}rich"
        world.provider.inject(.oauthError("invalid_grant", description: words), at: .token)
        _ = try? await state.refresh()
        let page = world.trace.htmlReport()
        #expect(page.contains("claim-199") && page.contains("invalid_grant"))
        for (_, value) in claims { #expect(!page.contains(value.prefix(11))) }
        #expect(!page.contains("denscheid"))
    }

    @Test("the cause of a broken login can be read in its report", arguments: BrokenLogin.all)
    func broken(_ login: BrokenLogin) async throws {
        let page = try await login.run().htmlReport(program: "test")
        if let folder = ProcessInfo.processInfo.environment["AUTHSTATE_REPORTS"] {
            try Data(page.utf8).write(to: URL(filePath: "\(folder)/\(login.testDescription).html"))
        }
        #expect(page.contains("✕ Failed") && page.contains("What to do"))
        let text = page.replacing(/<style[\s\S]*?<\/style>/, with: "").replacing(/<[^>]*>/, with: " ")
        for word in login.words { #expect(text.lowercased().contains(word.lowercased()), "\(word)") }
    }
}

/// A login that fails, and the words by which a reader of its report finds the cause.
struct BrokenLogin: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let words: [String]
    let run: @Sendable () async throws -> LoginTrace

    private init(_ name: String, _ words: [String], _ run: @escaping @Sendable () async throws -> LoginTrace) {
        (testDescription, self.words, self.run) = (name, words, run)
    }

    /// A login at a provider that makes trouble.
    private init(_ name: String, _ words: [String], trouble: String) {
        self.init(name, words) {
            try await Self.failed(troubles: [trouble]) { try await $0.logIn(try await $0.client()) }
        }
    }

    static let all: [Self] = [
        Self("wrong redirect URI", ["This redirect URI is not registered"]) {
            try await failed { world in
                try await world.logIn(try await world.client(), redirectURI: "http://127.0.0.1:0/elsewhere")
            }
        },
        Self("clock off", ["iat", "clock", "provider"], trouble: "clock"),
        Self("wrong audience", ["aud", "another-client", "app"], trouble: "wrong-audience"),
        Self(
            "secret in the wrong place",
            ["invalid_client", "client_secret_basic", "Authorization: Basic", "client_secret_post"]
        ) {
            try await failed(configured: { $0.clients[1].authenticationMethod = .clientSecretPost }) { world in
                try await world.logIn(
                    try await world.client("service", .secret("service-secret", method: .clientSecretBasic)))
            }
        },
        Self("scope refused", ["invalid_scope", "calendar"]) {
            try await failed { try await $0.logIn(try await $0.client(), scopes: [.openID, "calendar"]) }
        },
        Self("a proxy answers", ["502", "text/html", "POST /token"], trouble: "page"),
        Self("an unknown authority", ["certificate", "openid-configuration"]) {
            let transport = ScriptedTransport([
                .failure(
                    TransportError(
                        .insecureConnection, "The certificate is not trusted.", requestMayHaveBeenSent: false))
            ])
            return try await failed(transport: transport) { try await $0.logIn(try await $0.client()) }
        },
        Self("no PKCE", ["PKCE", "code_challenge_methods_supported"]) {
            try await failed(configured: {
                $0.deviations.metadata = { $0["code_challenge_methods_supported"] = ["plain"] }
            }) { try await $0.logIn(try await $0.client()) }
        },
        Self("the same answer twice", ["This login was completed before", "one callback", "The browser came back"]) {
            try await failed { world in
                let client = try await world.client()
                var request = AuthorizationRequest(client, scopes: [.openID])
                request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
                let pending = try await world.service.begin(request)
                let answer = try await DirectUserAgent().visit(pending)
                _ = try await world.service.complete(pending, callback: answer)
                // Another process, which does not know that the answer was used.
                let service = AuthorizationService { $0.trace = world.trace }
                _ = try await service.complete(pending, callback: answer)
            }
        },
        Self("lost answer", ["POST /token", "lost", "connection"], trouble: "lost-answer"),
        Self("mixed-up issuer", ["iss", "https://another.example"], trouble: "mixed-up-issuer"),
        Self("device denied", ["access_denied", "user_code"]) {
            try await failed(configured: {
                $0.login = .page
                $0.devicePollingInterval = .milliseconds(10)
            }) { world in
                let request = DeviceAuthorizationRequest(try await world.client(), scopes: [.openID])
                _ = try await AuthState.logIn(
                    .device(request) { codes in
                        world.provider.decide(userCode: codes.userCode, allow: false)
                    }, at: .memory(service: world.service))
            }
        },
    ]

    /// Runs a login that has to fail, and returns its trace.
    private static func failed(
        troubles: [String] = [], transport: any HTTPTransport = SystemTransport.shared,
        configured change: (inout OpenIDProvider.Configuration) -> Void = { _ in },
        _ login: (ReportedWorld) async throws -> Void
    ) async throws -> LoginTrace {
        let world = try await ReportedWorld(transport: transport, change)
        world.provider.troubles = Set(troubles.compactMap(OpenIDProvider.Trouble.init(rawValue:)))
        let error = await authError { try await login(world) }
        _ = try #require(error, "the login has to fail")
        return world.trace
    }
}

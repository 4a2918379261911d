import ArgumentParser
import AuthStateKit
import AuthStateProgram
import Foundation
import Synchronization
import Testing

@testable import authstate_proxy

struct ProxyRulesTests {
    private static let key = ProxyKey()
    private let gate: ProxyGate

    init() throws {
        gate = ProxyGate(upstream: try ProxyUpstream("https://api.example/v1"), key: Self.key, port: 8080)
    }

    private static func head(_ target: String, _ headers: TransportHeaders = [:], method: String = "GET") -> ProxyHead {
        var all: TransportHeaders = headers[values: "Host"].isEmpty ? ["Host": "127.0.0.1:8080"] : [:]
        for field in headers { all.append(field.name, field.value) }
        return ProxyHead(method: method, target: target, headers: all)
    }

    private func status(of head: ProxyHead) -> Int {
        do { return try gate.url(for: head).absoluteString.isEmpty ? 0 : 200 } catch { return error.status }
    }

    @Test(
        "serves a base URL in one form",
        arguments: [
            ("https://api.example/v1", "https://api.example/v1"),
            ("HTTPS://API.example:443/v1/", "https://api.example/v1"),
            ("https://api.example", "https://api.example"), ("https://api.example/", "https://api.example"),
            ("http://127.0.0.1:9/a//", "http://127.0.0.1:9/a"), ("http://localhost:9", "http://localhost:9"),
            ("https://api.example/%7Eada", "https://api.example/%7Eada"),
        ])
    func base(_ text: String, _ base: String) throws { #expect(try "\(ProxyUpstream(text))" == base) }

    @Test(
        "serves no base URL that is open to others, or is none",
        arguments: [
            "http://api.example/v1", "ftp://api.example", "https://ada:s3cret@api.example/", "https://api.example/?a=1",
            "https://api.example/#a", "https://api.example/v1/../v2", "https://api.example/%2e%2e", "api.example", "",
            "https://", "http://127.0.0.1.example/", "https://api.example//v1",
        ])
    func refusedBase(_ text: String) throws {
        let error = #expect(throws: AuthStateError.self) { try ProxyUpstream(text) }
        #expect(error?.kind == .usage && error?.description.contains("s3cret") == false)
        #expect(throws: (any Error).self) { try Proxy.parse([text]) }
    }

    @Test("does not start where another program has its port on ::1, which programs try first for localhost")
    func otherListener() async throws {
        let uri = try RedirectURI("http://[::1]:0/callback")
        let other = try await LoopbackUserAgent(browser: .custom { _ in }).prepare(redirectURI: uri, for: .login)
        let port = other.redirectURI.port ?? 0
        let error = await #expect(throws: AuthStateError.self) { _ = try await ProxyServer(port: Int(port)) }
        #expect(error?.code == .portInUse && error?.hint?.contains("--port 0") == true)
        await other.finish(.cancelled)
    }

    @Test(
        "sends a path after the key to the same path below the base",
        arguments: [
            ("", ""), ("/", "/"), ("/items", "/items"), ("/items?", "/items?"),
            ("/items/3?a=b&c=%20", "/items/3?a=b&c=%20"),
            ("?a=../b", "?a=../b"), ("/a//b/", "/a//b/"), ("/100%25", "/100%25"), ("/caf%C3%A9", "/caf%C3%A9"),
            ("/a:b@c;d=1,2", "/a:b@c;d=1,2"), ("/...", "/..."), ("/.well-known", "/.well-known"),
            ("/a?filter[name]=\"x\"", "/a?filter%5Bname%5D=%22x%22"), ("/a|b", "/a%7Cb"),
            ("/a?x=//evil.example", "/a?x=//evil.example"),
        ])
    func target(_ target: String, _ rest: String) throws {
        let url = try gate.url(for: Self.head("/\(Self.key.segment)\(target)"))
        #expect(url.absoluteString == "https://api.example/v1\(rest)")
    }

    @Test(
        "refuses a path that could lead out of the base, at each depth of decoding",
        arguments: [
            "/..", "/../", "/a/../../b", "/.", "/./a", "/%2e%2e", "/%2E%2e/a", "/.%2e/a", "/a/%2e", "/..;x=1/a",
            "/.;/a",
            "/%2e%2e;x/a", "/..%3bx/a", "/a%2f..", "/a%2Fb", "/a%5cb", "/a\\..\\b", "//evil.example/a", "//",
            "/%252e%252e/a", "/%25252e%25252e", "/a%252fb", "/a%255cb", "/%00", "/a%0d%0aX:1", "/%c0%ae%c0%ae/a",
            "/%e0%80%ae%e0%80%ae/a", "/a%e0%80%afb", "/%f0%80%80%ae/a", "/%25e0%2580%25ae/a", "/%f8%80%80%80%ae",
            "/%7f", "/%",
            "/%2", "/%zz", "/items/;", "/items/;x=1", "/items/%3b", "/items/%253Bx", "/;/a",
        ])
    func escape(_ target: String) {
        #expect(status(of: Self.head("/\(Self.key.segment)\(target)")) == 400)
        let open = ProxyGate(upstream: gate.upstream, key: nil, port: 8080)
        let failure = #expect(throws: ProxyFailure.self) { try open.url(for: Self.head(target)) }
        #expect(failure?.error == ProxyFailure.path.error && failure?.path?.hasPrefix("/v1") == true)
    }

    @Test(
        "refuses a target that is no path",
        arguments: [
            "http://127.0.0.1:8080/", "https://evil.example/", "*", "evil.example:443", "", "/a#b", "/a b",
            "/caf\u{E9}",
        ])
    func form(_ target: String) { #expect(status(of: Self.head(target)) == 400) }

    @Test("says nothing about the API without its key, which is another one at each start")
    func key() throws {
        let key = Self.key.segment
        #expect(key.utf8.count == 32 && ProxyKey().segment != key)
        #expect(
            Self.key.opens(key) && !Self.key.opens("") && !Self.key.opens(key.dropLast()) && !Self.key.opens(key + "a"))
        let swapped = String(key.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })
        for target in [
            "/", "/items", "/\(key)a/items", "/\(key.dropLast())/items", "/\(swapped)/a", "//\(key)/items",
            "/a/\(key)/b",
        ] {
            #expect(status(of: Self.head(target)) == 404, "\(target)")
        }
        #expect(!String(decoding: ProxyFailure.notFound.answer.body, as: UTF8.self).contains("api.example"))
        #expect(gate.url == "http://127.0.0.1:8080/\(key)")
    }

    @Test("takes the key in a header field, and then the whole path goes below the base")
    func keyInField() throws {
        let field = Self.head("/items?a", ["X-Authstate-Key": Self.key.segment])
        #expect(try gate.url(for: field).absoluteString == "https://api.example/v1/items?a")
        for headers: TransportHeaders in [
            ["X-Authstate-Key": "wrong"], ["X-Authstate-Key": ""],
            ["X-Authstate-Key": Self.key.segment, "x-authstate-key": "wrong"],
        ] {
            #expect(status(of: Self.head("/items", headers)) == 404)
            // A wrong one is not saved by the path.
            #expect(status(of: Self.head("/\(Self.key.segment)/items", headers)) == 404)
        }
        #expect(ProxyHeaders.request(["X-Authstate-Key": "k", "A": "b"])["X-Authstate-Key"] == nil)
    }

    @Test("passes on no header field whose name could not be written")
    func names() {
        let answer = ProxyHeaders.answer(["X Y": "1", "X-Y": "2", "": "3", "Ä": "4"])
        #expect(answer.map(\.name) == ["X-Y"])
    }

    @Test("refuses a path that is encoded more often than a server decodes, without decoding it to the end")
    func depth() {
        #expect(status(of: Self.head("/\(Self.key.segment)/%25252541")) == 200)
        let target = "/\(Self.key.segment)/%" + String(repeating: "25", count: 7000) + "41"
        let start = ContinuousClock.now
        #expect(status(of: Self.head(target)) == 400)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("without a key the whole path goes below the base")
    func noKey() throws {
        let gate = ProxyGate(upstream: gate.upstream, key: nil, port: 8080)
        for (target, rest) in [("/", ""), ("/items?a", "/items?a"), ("/?a", "?a")] {
            #expect(try gate.url(for: Self.head(target)).absoluteString == "https://api.example/v1\(rest)")
        }
        #expect(gate.url == "http://127.0.0.1:8080")
    }

    @Test(
        "refuses other names of this machine, and requests of web pages",
        arguments: [
            (["Host": "127.0.0.1:8080"], 200), (["Host": "LOCALHOST:8080"], 200), (["Host": "[::1]:8080"], 200),
            (["Host": "127.0.0.1"], 403), (["Host": "127.0.0.1:80"], 403), (["Host": "evil.example:8080"], 403),
            (["Host": "127.0.0.1:8080.evil.example"], 403), (["Host": ""], 403), (["Host": "127.0.0.2:8080"], 403),
            (["Host": "127.0.0.1:8080", "host": "evil.example"], 403), (["Origin": "https://evil.example"], 403),
            (["Origin": "null"], 403), (["Origin": "http://127.0.0.1:8080"], 403), (["Sec-Fetch-Site": "none"], 200),
            (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"], 200),
            (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"], 403),
            (["Sec-Fetch-Site": "same-origin"], 403), (["Sec-Fetch-Site": "same-site"], 403),
            (["Sec-Fetch-Site": "cross-site"], 403),
        ] as [(TransportHeaders, Int)])
    func sender(_ headers: TransportHeaders, _ expected: Int) {
        #expect(status(of: Self.head("/\(Self.key.segment)/items", headers)) == expected)
    }

    @Test("takes a host without a port only on port 80, and needs one")
    func host() {
        let gate = ProxyGate(upstream: gate.upstream, key: nil, port: 80)
        #expect(throws: Never.self) { try gate.url(for: Self.head("/", ["Host": "localhost"])) }
        #expect(throws: ProxyFailure.host) { try gate.url(for: ProxyHead(target: "/")) }
    }

    @Test("refuses what is more than one request and one answer")
    func protocols() {
        let target = "/\(Self.key.segment)/items"
        #expect(status(of: Self.head("api.example:443", method: "CONNECT")) == 501)
        #expect(status(of: Self.head(target, method: "TRACE")) == 501)
        #expect(status(of: Self.head(target, ["Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket"])) == 200)
        let others: [(TransportHeaders, String)] = [
            (["Connection": "Upgrade", "Upgrade": "h2c"], "GET"), (["Upgrade": "websocket"], "GET"),
            (["Connection": "Upgrade", "Upgrade": "websocket, h2c"], "GET"),
            (["Connection": "Upgrade", "Upgrade": "websocket", "upgrade": "h2c"], "GET"),
            (["Connection": "Upgrade", "Upgrade": "websocket"], "POST"),
            (["Connection": "Upgrade", "Upgrade": "websocket", "Content-Length": "3"], "GET"),
            (["Connection": "Upgrade", "Upgrade": "websocket", "Transfer-Encoding": "chunked"], "GET"),
            (["Connection": "Upgrade", "Upgrade": "websocket", "Expect": "100-continue"], "GET"),
        ]
        for (headers, method) in others {
            #expect(status(of: Self.head(target, headers, method: method)) == 501, "\(method) \(headers)")
        }
        var old = Self.head(target, ["Connection": "Upgrade", "Upgrade": "websocket"])
        old.knowsUpgrades = false
        #expect(status(of: old) == 501)
        #expect(status(of: Self.head(target, ["Expect": "200-ok"])) == 417)
        #expect(status(of: Self.head(target, ["Expect": "100-Continue"], method: "PUT")) == 200)
        #expect(status(of: Self.head(target + String(repeating: "a", count: ProxyLimits.targetBytes))) == 414)
    }

    @Test("a rule allows a WebSocket by its own name, because more passes there than a GET sends")
    func upgradeRule() throws {
        var gate = gate
        let head = Self.head("/\(Self.key.segment)/socket", ["Connection": "Upgrade", "Upgrade": "websocket"])
        for (rule, isAllowed) in [("GET /**", false), ("WEBSOCKET /socket", true), ("/socket", true)] {
            gate.rules = [try ProxyRule(rule)]
            #expect(((try? gate.url(for: head)) != nil) == isAllowed, "\(rule)")
        }
        #expect(throws: ProxyFailure.page.at("/v1/socket")) {
            var head = head
            head.headers["Origin"] = "https://evil.example"
            _ = try gate.url(for: head)
        }
    }

    @Test("a request that is refused for its method or its sender names its path for the audit, if it has the key")
    func refusedPath() {
        let refusals: [(String, TransportHeaders, ProxyFailure)] = [
            ("TRACE", [:], .method), ("GET", ["Upgrade": "h2c"], .upgrade), ("GET", ["Expect": "200-ok"], .expectation),
            ("GET", ["Origin": "https://evil.example"], .page), ("GET", ["Host": "evil.example"], .host),
        ]
        for (method, headers, failure) in refusals {
            let known = Self.head("/\(Self.key.segment)/items?secret=1", headers, method: method)
            #expect(throws: failure.at("/v1/items")) { try gate.url(for: known) }
            #expect(throws: failure) { try gate.url(for: Self.head("/wrong/items", headers, method: method)) }
        }
    }

    @Test("an upgrade goes by the proxy that the environment names, if that is one by http")
    func environmentProxy() throws {
        let proxy = ["https_proxy": "http://proxy.example:3128", "no_proxy": "internal.example, .other.example"]
        #expect(ProxyRoute.url(for: "api.example", in: proxy) == "http://proxy.example:3128")
        #expect(ProxyRoute.url(for: "notinternal.example", in: proxy) != nil)
        for host in ["internal.example", "a.Other.example", "127.0.0.1", "localhost"] {
            #expect(ProxyRoute.url(for: host, in: proxy) == nil, "\(host)")
        }
        let empty = ["http_proxy": "http://proxy.example", "https_proxy": "", "ALL_PROXY": "proxy.example"]
        #expect(ProxyRoute.url(for: "api.example", in: empty) == "proxy.example")
        let route = try ProxyRoute("http://ada:a%20b@proxy.example:3128/")
        #expect(route.host == "proxy.example" && route.port == 3128 && route.authorization == "Basic YWRhOmEgYg==")
        #expect(try ProxyRoute("proxy.example").port == 1080)
        for other in ["socks5://proxy.example", "https://proxy.example", "http://"] {
            #expect(throws: TransportError.self, "\(other)") { try ProxyRoute(other) }
        }
    }

    @Test("passes on the headers of a request but for those of the connection, and for credentials")
    func requestHeaders() {
        let headers: TransportHeaders = [
            "Host": "127.0.0.1:8080", "Accept": "text/plain", "X-A": "1", "x-a": "2", "Authorization": "Bearer other",
            "DPoP": "proof", "Cookie": "a=b", "Referer": "http://127.0.0.1:8080/key",
            "Connection": "close, X-Hop ,\tx-hop-2", "X-Hop": "1", "X-Hop-2": "1",
            "Keep-Alive": "timeout=5", "TE": "trailers", "Trailer": "X-T", "Transfer-Encoding": "chunked",
            "Upgrade": "h2c",
            "HTTP2-Settings": "AA", "Proxy-Authorization": "Basic x", "Proxy-Connection": "keep-alive", "proxy-x": "1",
            "Content-Length": "3", "Expect": "100-continue", "Accept-Encoding": "br", "Content-Type": "text/plain",
        ]
        let passed = ProxyHeaders.request(headers)
        #expect(
            passed == [
                "Accept": "text/plain", "X-A": "1", "x-a": "2", "Content-Type": "text/plain", "TE": "trailers",
            ])
        #expect(ProxyHeaders.request(["TE": "gzip;q=0.5"]) == [:])
        #expect(ProxyHeaders.request(["Range": "bytes=0-1"]) == ["Range": "bytes=0-1", "Accept-Encoding": "identity"])
    }

    @Test("passes on the headers of an answer but for those of the connection, of its coding, and cookies")
    func answerHeaders() {
        let headers: TransportHeaders = [
            "Content-Type": "text/plain", "ETag": "\"a\"", "Connection": "X-Hop", "X-Hop": "1",
            "Keep-Alive": "timeout=5",
            "Transfer-Encoding": "chunked", "Trailer": "X-T", "Upgrade": "h2", "Proxy-Authenticate": "Basic",
            "Set-Cookie": "a=b", "Content-Encoding": "gzip", "Content-Length": "3", "WWW-Authenticate": "Bearer",
            "Link": "</v1/2>; rel=next", "Link": "</v1/0>; rel=prev",
        ]
        #expect(
            ProxyHeaders.answer(headers) == [
                "Content-Type": "text/plain", "ETag": "\"a\"", "WWW-Authenticate": "Bearer",
                "Link": "</v1/2>; rel=next",
                "Link": "</v1/0>; rel=prev",
            ])
    }

    @Test("passes on the trailers of an answer but for those that change how it is read")
    func trailers() {
        let trailers: TransportHeaders = [
            "Grpc-Status": "0", "Server-Timing": "a;dur=1", "Content-Length": "3", "Transfer-Encoding": "chunked",
            "Set-Cookie": "a=b", "Content-Type": "text/html", "Location": "https://evil.example", "Trailer": "X",
        ]
        #expect(ProxyHeaders.trailers(trailers) == ["Grpc-Status": "0", "Server-Timing": "a;dur=1"])
    }

    @Test(
        "a rule allows the requests that it names, and no others",
        arguments: [
            ("GET /items", "GET", "/items", true), ("GET /items", "POST", "/items", false),
            ("GET /items", "GET", "/items/", false), ("GET /items", "GET", "/itemsX", false),
            ("/items", "DELETE", "/items", true), ("* /items", "PATCH", "/items", true),
            ("GET,HEAD /items", "HEAD", "/items", true), ("GET /items/*", "GET", "/items/3", true),
            ("GET /items/*", "GET", "/items/3/owner", false), ("GET /items/*", "GET", "/items", false),
            ("GET /items/**", "GET", "/items/3/owner", true), ("GET /items/**", "GET", "/items", true),
            ("GET /items/**", "GET", "/items2", false), ("GET /**/owner", "GET", "/a/b/owner", true),
            ("GET /**/owner", "GET", "/owner", true), ("GET /users/*/public", "GET", "/users/a/private/public", false),
            ("GET /a*c/b", "GET", "/abc/b", true), ("GET /a*c/b", "GET", "/ab/b", false), ("GET /**", "GET", "", true),
            ("GET /", "GET", "/", true), ("DELETE /items/*", "DELETE", "/items/", false),
            ("GET /users/*/notes", "GET", "/users//notes", false), ("GET /users/**", "GET", "/users//notes", false),
            ("GET /items/", "GET", "/items/", true), ("GET /**/a/**/b", "GET", "/a/a/x/b", true),
            ("GET /**/a/**/b", "GET", "/x/b/a", false), ("GET /a*", "GET", "/a", true), ("GET /*", "GET", "/", false),
            ("GET /items", "GET", "/%69tems", false),
            ("GET /items", "get", "/items", false),
        ])
    func rule(rule: String, method: String, path: String, isAllowed: Bool) throws {
        #expect(try ProxyRule(rule).allows(method, path[...]) == isAllowed)
    }

    @Test(
        "what is no rule is refused",
        arguments: ["", "GET", "items", "GET items", "get /a", "GET /a b", "GET, /a", "GET /a**", "/a?b"])
    func noRule(text: String) {
        let error = #expect(throws: ValidationError.self) { _ = try ProxyRule(text) }
        #expect(error?.message.contains("--allow '\(text)'") == true)
    }

    @Test("the time that a rule takes is bounded") func ruleTime() throws {
        let rule = try ProxyRule("/**/a/**/a/**/a/**/a/**/a/**/b")
        #expect(!rule.allows("GET", String(repeating: "/a", count: 8000)[...]))
        let star = try ProxyRule("/" + String(repeating: "a*", count: 20) + "b")
        #expect(!star.allows("GET", ("/" + String(repeating: "a", count: 16_000))[...]))
    }

    @Test("a request that no rule names gets 403 after the key, and its method cannot be another one behind the proxy")
    func rules() throws {
        var gate = gate
        gate.rules = [try ProxyRule("GET /items/*"), try ProxyRule("POST /notes")]
        func status(_ target: String, _ method: String) -> Int {
            do {
                return try gate.url(for: Self.head(target, method: method)).absoluteString.isEmpty ? 0 : 200
            } catch { return error.status }
        }
        let key = Self.key.segment
        #expect(status("/\(key)/items/3?a=/b", "GET") == 200 && status("/\(key)/notes", "POST") == 200)
        #expect(status("/\(key)/items/3", "DELETE") == 403 && status("/\(key)/users/3", "GET") == 403)
        #expect(status("/wrong/users/3", "GET") == 404)
        let overriding: TransportHeaders = [
            "X-HTTP-Method-Override": "DELETE", "x-http-method": "PUT", "X-Method-Override": "PUT",
            "X-Original-URL": "/a",
            "X-Rewrite-URL": "/a", "X_HTTP_Method_Override": "PUT", "Authorization_": "1", "X-Other": "1",
        ]
        #expect(ProxyHeaders.request(overriding) == ["Authorization_": "1", "X-Other": "1"])
    }

    @Test("a request is confirmed by what the user sees: printable characters, and all of them")
    func confirmation() async {
        let asked = Mutex<[String]>([])
        let confirmation = ProxyConfirmation(.kind, limit: .seconds(60)) { question, _, _ in
            asked.withLock { $0.append(question) }
            return !question.hasPrefix("DELETE")
        }
        #expect(await confirmation.allows("GET", "/a\u{1B}[2J\u{202E}b"))
        #expect(await confirmation.allows("GET", "/a"))
        #expect(await confirmation.allows("GET", "/a"))
        for _ in 0..<2 { #expect(await !confirmation.allows("DELETE", "/a")) }
        #expect(await !confirmation.allows("GET", "/" + String(repeating: "a", count: 500)))
        let questions = asked.withLock { $0 }
        #expect(questions.count == 3 && questions.dropFirst() == ["GET /a", "DELETE /a"], "\(questions)")
        #expect(questions[0].unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }

    @Test("a question that is withdrawn is not asked") func withdrawnQuestion() async {
        let confirmation = ProxyConfirmation(.each, limit: .seconds(10)) { _, end, isWithdrawn in
            while !isWithdrawn(), .now < end {}
            return isWithdrawn() ? nil : true
        }
        let request = Task { await confirmation.allows("GET", "/a") }
        request.cancel()
        #expect(await !request.value)
    }

    @Test("an audit has a line for each request, and what cannot be told is not done")
    func audit() throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "audit").path
        let time = Date(timeIntervalSince1970: 1_800_000_000.25)
        let upstream = gate.upstream
        func audit() throws -> ProxyAudit { try ProxyAudit(file, for: upstream, at: time) }
        func lines() throws -> [String] {
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        let whole = ProxyAudit.End(status: 200, bytes: 3, reason: .whole)
        #expect(try audit().note("GET", "/v1/a", whole, at: time))
        #expect(try audit().note("PUT", "/v1/\"b", ProxyAudit.End(), at: time))
        let at = #""time":"2027-01-15T08:00:00.250Z""#
        let start = #"{"event":"start",\#(at),"upstream":"https://api.example/v1"}"#
        #expect(
            try lines() == [
                start, #"{"bytes":3,"ended":"whole","method":"GET","path":"/v1/a","status":200,\#(at)}"#, start,
                #"{"bytes":0,"ended":"program","method":"PUT","path":"/v1/\"b","status":null,\#(at)}"#,
            ])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // A file that was removed or moved away, and one that cannot be made anew for a while.
        let kept = try audit()
        try FileManager.default.removeItem(atPath: file)
        #expect(kept.canWrite && kept.note("GET", "/v1/c", whole, at: time))
        #expect(try lines().count == 1)
        try FileManager.default.moveItem(atPath: file, toPath: folder.appending(path: "moved").path)
        #expect(kept.note("GET", "/v1/moved", whole, at: time))
        #expect(try lines().count == 1 && lines()[0].contains("/v1/moved"))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(!kept.note("GET", "/v1/d", whole, at: time) && !kept.canWrite)
        try FileManager.default.removeItem(atPath: file)
        #expect(kept.canWrite)
        #expect(try lines().count == 1 && lines()[0].contains("/v1/d"))
        for path in [folder.path, "/dev/full", "/dev/null"] {
            let error = #expect(throws: AuthStateError.self) { _ = try ProxyAudit(path, for: upstream) }
            #expect(error?.kind == .usage && error?.received == path)
        }
    }

    #if os(Linux)
        @Test("an audit on a disk that is full for a while has each line once and whole, in a new file too")
        func fullDisk() async {
            // The bound on the size of files is one of the process.
            await #expect(processExitsWith: .success) {
                let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let file = folder.appending(path: "audit").path
                func limit(_ bytes: rlim_t) {
                    var limit = rlimit(rlim_cur: bytes, rlim_max: .max)
                    #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                }
                // A line without a number, or that is none of JSON, is -1.
                func numbers() throws -> [Int64] {
                    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
                        (try? JSONValue(parsing: Array($0.utf8)))?["bytes"]?.intValue ?? -1
                    }
                }
                signal(SIGXFSZ, SIG_IGN)
                let audit = try ProxyAudit(file, for: try ProxyUpstream("https://api.example/v1"))
                func note(_ number: Int) -> Bool {
                    audit.note("GET", "/v1/a", ProxyAudit.End(status: 200, bytes: number, reason: .whole))
                }
                limit(400)
                #expect((0..<5).map(note) == [true, true, false, false, false])
                #expect(!audit.canWrite)
                limit(600)
                #expect(!audit.canWrite)
                limit(.max)
                #expect(note(5))
                #expect(try numbers() == [-1, 0, 1, 2, 3, 4, 5])
                func limitGrowth() throws {
                    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                    limit(rlim_t(try #require(size) + 10))
                }
                try limitGrowth()
                #expect(!note(6) && !note(7))
                try FileManager.default.removeItem(atPath: file)
                #expect(audit.canWrite)
                #expect(try numbers() == [6, 7])
                // A file that may only grow (chattr +a), where the file system has such files, and the superuser runs the tests.
                func setGrowing(_ isGrowing: Bool) -> Bool {
                    let descriptor = open(file, O_RDONLY)
                    defer { close(descriptor) }
                    var flags = 0
                    guard ioctl(descriptor, 0x8008_6601, &flags) == 0 else { return false }
                    flags = isGrowing ? flags | 0x20 : flags & ~0x20
                    return ioctl(descriptor, 0x4008_6602, &flags) == 0
                }
                limit(.max)
                guard setGrowing(true) else { return }
                defer { _ = setGrowing(false) }
                try limitGrowth()
                #expect(!note(8))
                limit(.max)
                #expect(note(9))
                #expect(try numbers() == [6, 7, 8, 9])
            }
        }
    #endif

    @Test("frames an answer by the length that was sent, else by chunks, else by the end of the connection")
    func framing() {
        func framed(_ status: Int, _ method: String, _ headers: TransportHeaders, knowsChunks: Bool = true) -> [String]
        {
            let response = StreamedResponse(TransportResponse(status: status, headers: headers))
            var answer = ProxyAnswer(response, to: method) { $0 }
            let isLast = answer.frame(forChunks: knowsChunks)
            return answer.headers[values: "Content-Length"] + answer.headers[values: "Transfer-Encoding"]
                + (isLast ? ["close"] : [])
        }
        #expect(framed(200, "GET", ["Content-Length": "9"]) == ["9"])
        #expect(framed(200, "GET", ["Content-Length": "2", "Content-Encoding": "gzip"]) == ["chunked"])
        #expect(framed(200, "GET", [:]) == ["chunked"])
        #expect(framed(200, "GET", [:], knowsChunks: false) == ["close"])
        #expect(framed(200, "GET", ["Content-Length": "9"], knowsChunks: false) == ["9"])
        for lengths in [["1", "2"], ["-1"], ["+1"], [""]] {
            var headers = TransportHeaders()
            for length in lengths { headers.append("Content-Length", length) }
            #expect(framed(200, "GET", headers) == ["chunked"], "\(lengths)")
        }
        #expect(framed(200, "HEAD", ["Content-Length": "9"]) == ["9"])
        #expect(framed(200, "HEAD", ["Content-Length": "9", "Content-Encoding": "gzip"]) == [])
        #expect(framed(304, "GET", ["Content-Length": "9"]) == ["9"])
        #expect(framed(204, "DELETE", ["Content-Length": "0"]) == [])
    }

    @Test(
        "a Location below the base leads to the proxy, any other one to where it led",
        arguments: [
            ("https://api.example/v1/items/4?a=b#c", "PROXY/items/4?a=b#c"), ("https://API.example:443/v1", "PROXY"),
            ("https://api.example/v1?a", "PROXY?a"), ("/v1/items/4", "PROXY/items/4"), ("4", "PROXY/items/4"),
            ("../a", "PROXY/a"), ("?a=b", "PROXY/items/3?a=b"),
            ("https://api.example/v10/a", "https://api.example/v10/a"),
            ("/login?next=/v1", "https://api.example/login?next=/v1"),
            ("//evil.example/v1/a", "https://evil.example/v1/a"),
            ("http://api.example/v1/a", "http://api.example/v1/a"),
            ("https://api.example:8443/v1/", "https://api.example:8443/v1/"),
            ("https://other.example/v1/a", "https://other.example/v1/a"),
            ("https://api.example/v1/../a", "https://api.example/v1/../a"),
            ("https://a@api.example/v1/a", "https://a@api.example/v1/a"), ("mailto:ada@example", "mailto:ada@example"),
            ("https://api.example/v1/%2e%2e/a", "https://api.example/v1/%2e%2e/a"),
        ])
    func location(_ value: String, _ expected: String) throws {
        let url = try #require(URL(string: "https://api.example/v1/items/3"))
        #expect(
            gate.upstream.location(value, of: url, at: gate.url) == expected.replacing("PROXY", with: gate.url),
            "\(value)")
    }

    @Test("answers with the error of --json: 504 when the time was over, 400 for what cannot be sent, else 502")
    func failures() throws {
        func status(_ code: AuthStateError.Code, _ stage: AuthStateError.Stage = .resource) -> Int {
            ProxyFailure(AuthStateError(code, stage: stage, "x")).status
        }
        #expect(status(.timedOut) == 504 && status(.unreachable) == 502 && status(.notLoggedIn, .store) == 502)
        #expect(status(.invalidRequest) == 400 && status(.invalidRequest, .refresh) == 502)
        let answer = ProxyFailure(AuthStateError(.notLoggedIn, stage: .store, "No user is logged in.", hint: "Log in."))
            .answer
        let error = try JSONValue(parsing: answer.body)["error"]
        #expect(error?["code"] == "notLoggedIn" && error?["hint"] == "Log in." && error?["message"] != nil)
        #expect(
            answer.headers["Content-Type"] == "application/json"
                && answer.headers["Content-Length"] == "\(answer.body.count)")
    }

    @Test("takes a port, and its time limit is that of a request")
    func options() throws {
        for port in ["-1", "65536", "http"] {
            #expect(throws: (any Error).self) { try Proxy.parse(["https://api.example", "--port", port]) }
        }
        let command = try Proxy.parse(["https://api.example", "--port", "0", "--no-key", "--scope", "a"])
        #expect(command.noKey && command.runsUntilInterrupted && command.timeLimit == 60)
    }

    @Test("shows only examples that the program understands")
    func examples() throws {
        let examples = Proxy.configuration.discussion.split(separator: "\n").filter {
            $0.hasPrefix("  authstate proxy ")
        }
        #expect(examples.count == 2)
        for example in examples {
            let words = try Browser.split(String(example)).dropFirst(2)
            #expect(throws: Never.self, "\(example)") { _ = try Proxy.parse(Array(words)) }
        }
    }
}

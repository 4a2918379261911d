import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// The `websockets` of Python as program and as API, which asks an OpenID provider about each token.
    struct UpgradeTests {
        @Test("messages pass both ways after the API's 101, by a port and by a socket, and the audit says who ended it")
        func messages() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                let (audit, socket) = (authstate.folder("audit.jsonl"), authstate.folder("proxy.sock"))
                try await RunningProxy.run(api.base, by: authstate, ["--audit", audit, "--socket", socket]) { proxy in
                    for place in [proxy.url, "unix:\(socket)"] {
                        let result = try await WebSocketAPI.talk(place, "/echo?a=b", "hello", "large", "bytes", "close")
                        // The API's first message comes with its 101.
                        let token = try await authstate.json("token")["access_token"]?.stringValue ?? "-"
                        let lines = result.output.split(separator: "\n")
                        #expect(lines.first == "welcome Bearer \(token) /v1/echo?a=b None", "\(result)")
                        #expect(lines.dropFirst() == ["chat", "hello", "1048576", "bytes", "closed 1000"], "\(result)")
                    }
                    let left = try await WebSocketAPI.talk(proxy.url, "/echo", "leave")
                    #expect(left.status == 0, "\(left)")
                    try await eventually("the API's end") { try await api.said("gone") ? () : nil }
                    #expect(try await proxy.curl("/plain").status == 426)
                    let lines = try await eventually("the lines") {
                        let lines = authstate.folder.text("audit.jsonl").split(separator: "\n")
                        return lines.count == 5 ? try lines.map { try JSONValue(parsing: Array($0.utf8)) } : nil
                    }
                    #expect(
                        lines.dropFirst().map { $0["method"] } == ["WEBSOCKET", "WEBSOCKET", "WEBSOCKET", "GET"])
                    #expect(lines.dropFirst().map { $0["status"] } == [101, 101, 101, 426])
                    #expect(lines[1]["path"] == "/v1/echo" && lines[1]["bytes"]?.intValue ?? 0 > 1 << 20)
                    // RFC 6455, section 7.1.1: the server closes first.
                    #expect(lines.dropFirst().map { $0["ended"] } == ["api", "api", "program", "whole"], "\(lines)")
                    #expect(proxy.errors.isEmpty, "\(proxy.errors)")
                }
            }
        }

        @Test("a 401 before the upgrade leads to one renewal, a second one is the answer, and so is every other status")
        func refusals() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let before = try await authstate.json("token")["access_token"]
                    try await api.refuse()
                    let result = try await WebSocketAPI.talk(proxy.url, "/echo", "hello", "close")
                    #expect(result.output.hasSuffix("hello\nclosed 1000\n"), "\(result)")
                    #expect(try await authstate.json("token")["access_token"] != before)
                    for (path, status) in [("/always", 401), ("/forbidden", 403), ("/missing", 404)] {
                        let refused = try await WebSocketAPI.talk(proxy.url, path)
                        #expect(refused.output == "refused \(status) no\n", "\(refused)")
                    }
                    #expect(try await [api.count("/v1/always"), api.count("/v1/forbidden")] == [2, 1])
                    #expect(proxy.errors.contains("refused the access token"), "\(proxy.errors)")
                }
            }
        }

        @Test("rules, pages and other protocols are judged before the API sees anything")
        func judged() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(
                    api.base, by: authstate, ["--allow", "GET /**", "--allow", "WEBSOCKET /echo"]
                ) { proxy in
                    let allowed = try await WebSocketAPI.talk(proxy.url, "/echo", "close")
                    #expect(allowed.output.hasSuffix("closed 1000\n"), "\(allowed)")
                    let refused = try await WebSocketAPI.talk(proxy.url, "/other")
                    #expect(refused.output.hasPrefix("refused 403"), "\(refused)")
                    let page = try await WebSocketAPI.talk(proxy.url, "/echo", "origin")
                    #expect(page.output.hasPrefix("refused 403"), "\(page)")
                    let wrongKey = try await WebSocketAPI.talk("http://127.0.0.1:\(proxy.port)/key", "/echo")
                    #expect(wrongKey.output.hasPrefix("refused 404"), "\(wrongKey)")
                    for name in ["h2c", "websocket, h2c"] {
                        let other = try await proxy.curl(
                            "/echo", "-H", "Connection: Upgrade", "-H", "Upgrade: \(name)")
                        #expect(other.status == 501, "\(other)")
                    }
                    #expect(try await [api.count("/v1/echo"), api.count("/v1/other")] == [1, 0])
                }
            }
        }

        @Test("what follows a request that asks for an upgrade is no second request")
        func smuggled() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, ["--allow", "/forbidden"]) { proxy in
                    let key = proxy.url.split(separator: "/").last ?? ""
                    let place = "127.0.0.1:\(proxy.port)"
                    let head = "GET /\(key)/forbidden HTTP/1.1\\r\\nHost: \(place)\\r\\nConnection: Upgrade\\r\\n"
                    let answer = try await ProxiedAPI.send(
                        "\(head)Upgrade: websocket\\r\\n\\r\\n\(head)\\r\\n", to: place)
                    #expect(answer.output.matches(of: /HTTP\/1\.1/).count == 1, "\(answer)")
                    #expect(try await api.count("/v1/forbidden") == 1)
                }
            }
        }

        @Test("the end of the proxy, and a killed program, end both connections")
        func ends() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                let audit = authstate.folder("audit.jsonl")
                let proxy = try await RunningProxy(api.base, by: authstate, ["--audit", audit])
                let killed = try WebSocketAPI.start(proxy.url, "/echo", ["wait"])
                try await eventually("the welcome") { killed.output.contains("welcome") ? () : nil }
                killed.send(SIGKILL)
                _ = try await killed.result()
                try await eventually("the API's end") { try await api.said("gone") ? () : nil }
                let waiting = try WebSocketAPI.start(proxy.url, "/echo", ["wait"])
                try await eventually("the welcome") { waiting.output.contains("welcome") ? () : nil }
                proxy.program.send(SIGTERM)
                #expect(try await proxy.program.result().status == 0)
                #expect(try await waiting.result().output.hasSuffix("closed 1006\n"))
                let ends = try authstate.folder.text("audit.jsonl").split(separator: "\n").dropFirst().map {
                    try JSONValue(parsing: Array($0.utf8))["ended"]
                }
                #expect(ends == ["program", "proxy"])
            }
        }

        @Test("a program that does not read holds up the API, and not the proxy's memory")
        func slow() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 60) { proxy in
                    let reader = try WebSocketAPI.start(proxy.url, "/flood", ["stall"])
                    try await eventually("the flood") { try await api.number("sent") > 0 ? () : nil }
                    // It stands still when two looks see the same number.
                    var last = -1
                    try await eventually("the standstill") {
                        let sent = try await api.number("sent")
                        defer { last = sent }
                        return sent == last ? () : nil
                    }
                    #expect(last < 100, "\(last) MB were sent")
                    reader.send(SIGCONT)
                    await reader.end()
                }
            }
        }

        @Test("large messages pass both ways by TLS when its records arrive in pieces")
        func pieces() async throws {
            let folder = try TemporaryFolder()
            try await WebSocketAPI.makeCertificate(for: "IP:127.0.0.1", in: folder)
            try await WebSocketAPI.run(certificates: folder) { api, authstate in
                let login = try await authstate(authstate.loginArguments() + ["--ca-file", folder("cert.pem")])
                try #require(login.status == 0, "\(login)")
                try await api.throughRelay { base in
                    try await RunningProxy.run(base, by: authstate) { proxy in
                        let result = try await WebSocketAPI.talk(proxy.url, "/echo", "hello", "large", "close")
                        #expect(result.output.hasSuffix("hello\n1048576\nclosed 1000\n"), "\(result) \(proxy.errors)")
                    }
                }
            }
        }

        @Test("goes by CONNECT through the proxy that https_proxy names, as requests do, and TLS ends at the API")
        func companyProxy() async throws {
            let folder = try TemporaryFolder()
            try await WebSocketAPI.makeCertificate(for: "DNS:api.example", in: folder)
            try await WebSocketAPI.run(certificates: folder) { api, authstate in
                let login = try await authstate(authstate.loginArguments() + ["--ca-file", folder("cert.pem")])
                try #require(login.status == 0, "\(login)")
                try await api.throughCompanyProxy { place in
                    var user = authstate
                    user.environment["https_proxy"] = "http://ada:secret@\(place)"
                    try await RunningProxy.run("https://api.example/v1", by: user) { proxy in
                        let result = try await WebSocketAPI.talk(proxy.url, "/echo", "hello", "large", "close")
                        #expect(result.output.hasSuffix("hello\n1048576\nclosed 1000\n"), "\(result) \(proxy.errors)")
                        #expect(try await proxy.curl("/plain").status == 426)
                    }
                    // The certificate would be compared with the address of the proxy.
                    try await RunningProxy.run("https://192.0.2.1/v1", by: user) { proxy in
                        let refused = try await WebSocketAPI.talk(proxy.url, "/echo")
                        #expect(refused.output.contains("to an API with a name alone"), "\(refused)")
                    }
                    user.environment["https_proxy"] = place
                    try await RunningProxy.run("https://api.example/v1", by: user) { proxy in
                        let refused = try await WebSocketAPI.talk(proxy.url, "/echo")
                        #expect(refused.output.hasPrefix("refused 502"), "\(refused)")
                        #expect(refused.output.contains("answers 407 to CONNECT"), "\(refused)")
                    }
                }
            }
        }

        @Test("a message that a program sends as soon as it has the 101 is answered")
        func promptMessage() async throws {
            try await WebSocketAPI.run { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let script = WebSocketAPI.promptClient
                    let result = try await Program.run([LoginBrowser.python, "-c", script, proxy.url, "50"])
                    #expect(result.output == "50\n", "\(result)")
                }
            }
        }

        @Test("an API that switches to another protocol than WebSocket is left")
        func otherProtocol() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let answer = try await proxy.curl("/other", "-H", "Connection: Upgrade", "-H", "Upgrade: websocket")
                    #expect(answer.status == 502, "\(answer)")
                    try await eventually("the API's end") { try await api.requests().contains("gone") ? () : nil }
                }
            }
        }

        @Test(
            "what the API sends after the program has ended its side reaches the program",
            arguments: ["before the 101", "after it"])
        func halfClosed(time: String) async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let audit = authstate.folder("audit.jsonl")
                try await RunningProxy.run(api.base, by: authstate, ["--audit", audit]) { proxy in
                    let key = proxy.url.split(separator: "/").last ?? ""
                    let place = "127.0.0.1:\(proxy.port)"
                    let head = "GET /\(key)/last HTTP/1.1\\r\\nHost: \(place)\\r\\nConnection: Upgrade\\r\\n"
                    let answer = try await ProxiedAPI.send(
                        "\(head)Upgrade: websocket\\r\\n\\r\\n", to: place, isHalf: true,
                        waits: time == "after it")
                    #expect(answer.output.hasSuffix("\r\n\r\nthe last words"), "\(answer)")
                    try await eventually("the line") {
                        authstate.folder.text("audit.jsonl").contains("\"ended\":\"program\"") ? () : nil
                    }
                }
            }
        }

        @Test(
            "TLS: the API's certificate has to be one of the system's or of --ca-file, for its name",
            arguments: [
                ("127.0.0.1", "IP:127.0.0.1", true, true), ("127.0.0.1", "IP:127.0.0.1", false, false),
                ("localhost", "DNS:LocalHost", true, true), ("localhost", "IP:127.0.0.1,DNS:api.example", true, false),
            ])
        func certificates(host: String, names: String, isTrusted: Bool, isServed: Bool) async throws {
            let folder = try TemporaryFolder()
            try await WebSocketAPI.makeCertificate(for: names, in: folder)
            try await WebSocketAPI.run(certificates: folder) { api, authstate in
                let authority = isTrusted ? ["--ca-file", folder("cert.pem")] : []
                let login = try await authstate(authstate.loginArguments() + authority)
                try #require(login.status == 0, "\(login)")
                let base = api.base.replacing("127.0.0.1", with: host)
                try await RunningProxy.run(base, by: authstate) { proxy in
                    let result = try await WebSocketAPI.talk(proxy.url, "/echo", "hello", "close")
                    if isServed {
                        #expect(result.output.hasSuffix("hello\nclosed 1000\n"), "\(result) \(proxy.errors)")
                    } else {
                        #expect(result.output.hasPrefix("refused 502"), "\(result)")
                        #expect(result.output.contains("insecureConnection"), "\(result)")
                        // It is the transport's own answer, too.
                        let plain = try await proxy.curl("/plain")
                        #expect(try plain.json()["error"]?["code"] == "insecureConnection", "\(plain)")
                    }
                }
            }
        }
    }
}

/// An API with WebSockets that asks the provider about each token, for the time of one test.
struct WebSocketAPI: Sendable {
    private let origin: String
    private let control: String
    private let transport = SystemTransport()

    var base: String { "\(origin)/v1" }

    /// - Parameter certificates: A folder with `cert.pem` and `key.pem`; nil for no TLS.
    static func run(
        certificates: TemporaryFolder? = nil, _ body: (WebSocketAPI, Authstate) async throws -> Void
    ) async throws {
        let authstate = try Authstate(.django)
        let configuration = try await AuthorizationService().discoverConfiguration(issuer: authstate.provider.issuer)
        let userInfo = try #require(configuration.userInfoEndpoint)
        let program = try Program.start(
            [Provider.python("mcp"), "-c", server, userInfo.absoluteString] + (certificates.map { [$0.path] } ?? []))
        try await program.during {
            guard let line = try await program.firstLine() else {
                throw NotInTime(description: "The API did not start: \(program.errors)")
            }
            let words = line.split(separator: " ").map(String.init)
            try await body(WebSocketAPI(origin: words[0], control: words[1]), authstate)
        }
    }

    /// Makes `cert.pem` and `key.pem` for names in a folder.
    static func makeCertificate(for names: String, in folder: TemporaryFolder) async throws {
        let made = try await Program.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=api", "-addext",
            "subjectAltName=\(names)", "-keyout", folder("key.pem"), "-out", folder("cert.pem"),
        ])
        try #require(made.status == 0, "\(made)")
    }

    /// Runs a body with the base URL of a relay to the API that passes bytes on in small pieces.
    func throughRelay(_ body: (String) async throws -> Void) async throws {
        let port = try #require(URL(string: origin)?.port)
        let relay = try Program.start([LoginBrowser.python, "-c", Self.relay, "\(port)"])
        try await relay.during {
            guard let line = try await relay.firstLine() else {
                throw NotInTime(description: "The relay did not start: \(relay.errors)")
            }
            try await body(base.replacing(":\(port)/", with: ":\(line)/"))
        }
    }

    /// Runs a body with the place of a proxy that leads to the API for its name, and a name and a password of its own.
    func throughCompanyProxy(_ body: (String) async throws -> Void) async throws {
        let port = try #require(URL(string: origin)?.port)
        let proxy = try Program.start([LoginBrowser.python, "-c", Self.companyProxy, "\(port)"])
        try await proxy.during {
            guard let line = try await proxy.firstLine() else {
                throw NotInTime(description: "The proxy did not start: \(proxy.errors)")
            }
            try await body("127.0.0.1:\(line)")
        }
    }

    private static let companyProxy = """
        import socket, sys, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def pass_on(source, target):
            try:
                while piece := source.recv(65536): target.sendall(piece)
                target.shutdown(socket.SHUT_WR)
            except OSError: pass
        def serve(program):
            head = b""
            while not head.endswith(b"\\r\\n\\r\\n"): head += program.recv(1)
            if b"Proxy-Authorization: Basic YWRhOnNlY3JldA==\\r\\n" not in head:
                return program.sendall(b"HTTP/1.1 407 Proxy Authentication Required\\r\\nContent-Length: 0\\r\\n\\r\\n")
            if not head.startswith(b"CONNECT api.example:443 HTTP/1.1\\r\\n"):
                return program.sendall(b"HTTP/1.1 403 Forbidden\\r\\nContent-Length: 0\\r\\n\\r\\n")
            api = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            program.sendall(b"HTTP/1.1 200 Connection established\\r\\nVia: 1.1 company\\r\\n\\r\\n")
            for ends in [(program, api), (api, program)]:
                threading.Thread(target=pass_on, args=ends, daemon=True).start()
        while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    private static let relay = """
        import socket, sys, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def pass_on(source, target):
            target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while piece := source.recv(700): target.sendall(piece)
                target.shutdown(socket.SHUT_WR)
            except OSError: pass
        while True:
            program = listener.accept()[0]
            api = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            for ends in [(program, api), (api, program)]:
                threading.Thread(target=pass_on, args=ends, daemon=True).start()
        """

    /// Opens WebSockets in turn, sends `hi` on each at the moment the 101 has come, and prints how many echoed it.
    static let promptClient = """
        import socket, sys, urllib.parse
        url = urllib.parse.urlsplit(sys.argv[1])
        head = (f"GET {url.path}/echo HTTP/1.1\\r\\nHost: {url.netloc}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
                "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
                "Sec-WebSocket-Protocol: chat\\r\\n\\r\\n").encode()
        count = 0
        for _ in range(int(sys.argv[2])):
            with socket.create_connection((url.hostname, url.port), timeout=5) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(head)
                def read(end):
                    answer = b""
                    while end not in answer:
                        piece = connection.recv(65536)
                        if not piece: sys.exit(f"{count} were answered, then {answer} came")
                        answer += piece
                read(b"\\r\\n\\r\\n")
                connection.sendall(b"\\x81\\x82\\0\\0\\0\\0hi")
                read(b"\\x81\\x02hi")
                count += 1
        print(count)
        """

    /// Refuses the next token.
    func refuse() async throws { _ = try await text("refuse") }

    /// A number that the API counts.
    func number(_ name: String) async throws -> Int { Int(try await text(name)) ?? -1 }

    /// How many requests a path has had.
    func count(_ path: String) async throws -> Int {
        try await text("log").split(separator: "\n").count { $0 == path }
    }

    /// Whether the API has noted a line.
    func said(_ line: String) async throws -> Bool { try await count(line) > 0 }

    private func text(_ name: String) async throws -> String {
        let url = try #require(URL(string: "\(control)/\(name)"))
        return String(decoding: try await transport.send(TransportRequest(url: url)).body, as: UTF8.self)
    }

    /// Opens a WebSocket and says words; `close`, `leave`, `wait`, `stall` and `origin` are not said, but done.
    static func start(_ base: String, _ path: String, _ words: [String]) throws -> Program {
        try Program.start([Provider.python("mcp"), "-c", client, base, path] + words)
    }

    static func talk(_ base: String, _ path: String, _ words: String...) async throws -> Program.Result {
        try await start(base, path, words).result()
    }

    private static let server = """
        import http.server, json, pathlib, ssl, sys, threading, urllib.error, urllib.request
        from websockets.sync.server import serve
        from websockets.exceptions import ConnectionClosed
        seen, refusals, sent = [], [], [0]
        def user(authorization):
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": authorization or ""})
            try:
                with urllib.request.urlopen(request, timeout=10) as answer: return json.load(answer)["sub"]
            except urllib.error.HTTPError: return None
        def judge(connection, request):
            seen.append(request.path.partition("?")[0])
            if user(request.headers.get("Authorization")) is None or refusals and refusals.pop():
                return connection.respond(401, "no")
            known = {"/v1/always": 401, "/v1/forbidden": 403, "/v1/missing": 404, "/v1/plain": 426}
            status = known.get(seen[-1])
            if status:
                answer = connection.respond(status, "no")
                if status == 401: answer.headers["WWW-Authenticate"] = "Bearer"
                return answer
        def serve_one(connection):
            request = connection.request
            try:
                connection.send(f"welcome {request.headers['Authorization']} {request.path} {request.headers.get('Cookie')}")
                if request.path == "/v1/flood":
                    for _ in range(400):
                        connection.send(b"x" * (1 << 20))
                        sent[0] += 1
                for message in connection: connection.send(message)
            except ConnectionClosed: pass
            if connection.close_code == 1006: seen.append("gone")
        class Control(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                name = self.path[1:]
                if name == "refuse": refusals.append(1)
                body = "\\n".join(seen) if name == "log" else str(sent[0])
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())
        control = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
        threading.Thread(target=control.serve_forever, daemon=True).start()
        context = None
        if len(sys.argv) > 2:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(f"{sys.argv[2]}/cert.pem", f"{sys.argv[2]}/key.pem")
        with serve(serve_one, "127.0.0.1", 0, ssl=context, process_request=judge, subprotocols=["chat"], compression=None,
                   max_size=None, ping_interval=None) as server:
            scheme = "https" if context else "http"
            print(f"{scheme}://127.0.0.1:{server.socket.getsockname()[1]} http://127.0.0.1:{control.server_port}", flush=True)
            server.serve_forever()
        """

    private static let client = """
        import os, signal, sys, time
        from websockets.sync.client import connect, unix_connect
        from websockets.exceptions import ConnectionClosed, InvalidStatus
        base, path, words = sys.argv[1], sys.argv[2], sys.argv[3:]
        options = dict(subprotocols=["chat"], compression=None, max_size=None, ping_interval=None, open_timeout=30,
                       additional_headers={"Authorization": "Bearer mine", "Cookie": "a=b"},
                       origin="https://evil.example" if "origin" in words else None)
        try:
            if base.startswith("unix:"): connection = unix_connect(base[5:], "ws://localhost" + path, **options)
            else: connection = connect(base.replace("http", "ws", 1) + path, **options)
        except InvalidStatus as refused:
            print("refused", refused.response.status_code, refused.response.body.decode().strip())
            sys.exit()
        try:
            print(connection.recv(30), flush=True)
            for word in words:
                if word == "stall":
                    os.kill(os.getpid(), signal.SIGSTOP)
                elif word == "wait": connection.recv(60)
                elif word == "leave": os._exit(0)
                elif word == "close": connection.close()
                elif word == "origin": pass
                else:
                    connection.send("x" * (1 << 20) if word == "large" else word.encode() if word == "bytes" else word)
                    answer = connection.recv(30)
                    if word == "hello" and "large" in words: print(connection.subprotocol)
                    print(len(answer) if word == "large" else answer.decode() if isinstance(answer, bytes) else answer)
            if connection.close_code is None: connection.recv(1)
        except ConnectionClosed: pass
        print("closed", connection.close_code)
        """
}

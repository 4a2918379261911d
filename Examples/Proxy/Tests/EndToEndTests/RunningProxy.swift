import AuthStateKit
import Foundation
import Testing

/// `authstate proxy` as a child, for the time of one test.
struct RunningProxy: Sendable {
    let program: Program
    /// The base URL that it prints.
    let url: String

    /// Starts it, and returns when it serves.
    ///
    /// - Parameter descriptors: The descriptors that the system gives it; nil for as many as the tests have.
    init(
        _ base: String, by authstate: Authstate, _ options: [String] = [], limit: Int = 20, descriptors: Int? = nil
    ) async throws {
        let bounds = descriptors.map { ["sh", "-c", "ulimit -n \($0) && exec \"$@\"", "sh"] } ?? []
        program = try Program.start(
            bounds + [Authstate.path, "proxy", base, "--state", authstate.stateFile, "--timeout", "\(limit)"] + options,
            environment: authstate.environment)
        guard let line = try await program.firstLine() else {
            throw NotInTime(description: "The proxy did not start: \(program.errors)")
        }
        if options.contains("--json") {
            let json = try JSONValue(parsing: Array(line.utf8))
            #expect(json["upstream"]?.stringValue == base)
            url = try #require(json["url"]?.stringValue)
        } else {
            url = line
        }
    }

    /// Runs a body with a proxy, and ends it after it.
    static func run(
        _ base: String, by authstate: Authstate, _ options: [String] = [], limit: Int = 20, descriptors: Int? = nil,
        _ body: (RunningProxy) async throws -> Void
    ) async throws {
        let proxy = try await RunningProxy(base, by: authstate, options, limit: limit, descriptors: descriptors)
        try await proxy.program.during { try await body(proxy) }
    }

    var port: Int { URL(string: url)?.port ?? 0 }
    /// What the proxy said on standard error, without the advice about its URL.
    var errors: String {
        program.errors.split(separator: "\n").filter { !$0.contains("The URL has the key") }.map { "\($0)\n" }.joined()
    }

    /// Asks for a path below the base URL.
    func curl(_ path: String, _ options: String...) async throws -> Curl {
        try await Curl.run(["\(url)\(path)"] + options)
    }
}

/// An answer as `curl` got it.
struct Curl: Sendable {
    /// The status; of a tunnel's refusal when there is no other.
    let status: Int
    /// The header lines, names in lower case.
    let headers: String
    let body: String

    static func run(_ words: [String]) async throws -> Curl {
        let folder = try TemporaryFolder()
        let result = try await Program.run(
            ["curl", "-sS", "--max-time", "40", "-D", folder("headers"), "-o", folder("body"), "-w", "%{http_code}"]
                + words)
        let lines = folder.text("headers").split(whereSeparator: \.isNewline).map { line in
            let name = line.prefix { $0 != ":" && !$0.isWhitespace }
            return name.lowercased() + line.dropFirst(name.count)
        }
        return Curl(status: Int(result.output) ?? -1, headers: lines.joined(separator: "\n"), body: folder.text("body"))
    }

    func json() throws -> JSONValue { try JSONValue(parsing: Array(body.utf8)) }

    /// The Authorization header that the API saw.
    var token: String? { get throws { try json()["headers"]?["authorization"]?.stringValue } }
}

/// An API that asks an OpenID provider about each token, for the time of one test; answers with what it saw.
struct ProxiedAPI: Sendable {
    private let origin: String
    private let transport = SystemTransport()

    var base: String { "\(origin)/v1" }
    var host: String { String(origin.dropFirst("http://".count)) }

    static func run(for provider: Provider, _ body: (ProxiedAPI, Authstate) async throws -> Void) async throws {
        let authstate = try Authstate(provider)
        let configuration = try await AuthorizationService().discoverConfiguration(issuer: authstate.provider.issuer)
        let userInfo = try #require(configuration.userInfoEndpoint)
        let program = try Program.start([LoginBrowser.python, "-c", server, userInfo.absoluteString])
        try await program.during {
            guard let line = try await program.firstLine() else {
                throw NotInTime(description: "The API did not start: \(program.errors)")
            }
            try await body(ProxiedAPI(origin: line), authstate)
        }
    }

    /// Refuses the next token.
    func refuse() async throws { _ = try await control("refuse") }

    /// Lets the streams go on.
    func open() async throws { _ = try await control("open") }

    /// The megabytes that the flood has sent.
    func sent() async throws -> Int { Int(String(decoding: try await control("sent"), as: UTF8.self)) ?? -1 }

    /// The bytes of bodies that have come.
    func received() async throws -> Int { Int(String(decoding: try await control("received"), as: UTF8.self)) ?? -1 }

    /// The paths of all requests.
    func requests() async throws -> [String] { try JSONDecoder().decode([String].self, from: try await control("log")) }

    private func control(_ name: String) async throws -> Data {
        let url = try #require(URL(string: "\(origin)/control/\(name)"))
        return try await transport.send(TransportRequest(url: url)).body
    }

    private static let server = """
        import gzip, hashlib, http.server, json, sys, threading, urllib.error, urllib.request
        seen, refusals, gates, sent, received = [], [], threading.Event(), [0], [0]
        def user(authorization):
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": authorization or ""})
            try:
                with urllib.request.urlopen(request, timeout=10) as answer: return json.load(answer)["sub"]
            except urllib.error.HTTPError: return None
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
                if status != 204: self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(body)
            def pieces(self):
                def read(count):
                    piece = self.rfile.read(count)
                    if len(piece) < count: raise EOFError
                    return piece
                if self.headers.get("Transfer-Encoding") == "chunked":
                    while size := int(self.rfile.readline().strip() or b"-1", 16):
                        if size < 0: raise EOFError
                        yield read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                left = int(self.headers.get("Content-Length") or 0)
                while left:
                    yield read(min(left, 65536))
                    left -= min(left, 65536)
            def do_GET(self):
                path = self.path.partition("?")[0]
                if path == "/v1/early":
                    seen.append(self.path)
                    self.close_connection = True
                    self.answer(413, b"too much", Connection="close")
                    # A reset would discard the answer.
                    while self.connection.recv(1 << 16): pass
                    return
                if path == "/v1/gated": gates.wait(40)
                length, digest = 0, hashlib.sha256()
                try:
                    for piece in self.pieces():
                        digest.update(piece)
                        length += len(piece)
                        received[0] += len(piece)
                except (EOFError, OSError):
                    seen.append("broken " + self.path)
                    self.close_connection = True
                    return
                if path == "/control/log": return self.answer(200, json.dumps(seen).encode())
                if path == "/control/open": gates.set(); return self.answer(200)
                if path == "/control/sent": return self.answer(200, str(sent[0]).encode())
                if path == "/control/received": return self.answer(200, str(received[0]).encode())
                if path == "/control/refuse": refusals.append(1); return self.answer(200)
                seen.append(self.path)
                name = user(self.headers.get("Authorization"))
                if path == "/v1/refused": return self.answer(401, b"no", WWW_Authenticate="Bearer")
                if name is None or refusals and refusals.pop():
                    return self.answer(401, b"{}", WWW_Authenticate='Bearer error="invalid_token"')
                if path == "/v1/hang":
                    # Until the other side ends the connection.
                    if not self.connection.recv(1): seen.append("gone")
                    self.close_connection = True
                    return
                if path == "/v1/switch":
                    self.wfile.write(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\nConnection: upgrade\\r\\n\\r\\nhello")
                    self.close_connection = True
                    return
                if path in ("/v1/other", "/v1/last"):
                    name = b"websocket" if path == "/v1/last" else b"other"
                    self.wfile.write(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: %s\\r\\nConnection: upgrade\\r\\n\\r\\n" % name)
                    self.connection.settimeout(20)
                    if not self.rfile.read(1): seen.append("gone")
                    if path == "/v1/last": self.wfile.write(b"the last words")
                    self.close_connection = True
                    return
                if path == "/v1/hints":
                    self.wfile.write(b"HTTP/1.1 103 Early Hints\\r\\nLink: </a>\\r\\nSet-Cookie: a=b\\r\\nContent-Length: 3\\r\\n\\r\\n")
                    gates.wait(20)
                    return self.answer(200, b"hinted")
                if path == "/v1/trailers":
                    self.send_response(200)
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    told = self.headers.get("TE", "none").encode()
                    self.wfile.write(b"%x\\r\\n%s\\r\\n0\\r\\nX-Sum: 7\\r\\nSet-Cookie: a=b\\r\\n\\r\\n" % (len(told), told))
                    return
                if path in ("/v1/large", "/v1/split"):
                    self.send_response(200)
                    self.send_header("Transfer-Encoding", "chunked")
                    if path == "/v1/split": self.send_header("Content-Length", "5")
                    self.end_headers()
                    text = b"hello, this is EVIL!" if path == "/v1/split" else b"x" * (10 << 20)
                    self.wfile.write(b"%x\\r\\n%s\\r\\n0\\r\\n\\r\\n" % (len(text), text))
                    self.close_connection = True
                    return
                if path in ("/v1/events", "/v1/counted", "/v1/broken", "/v1/flood"):
                    self.send_response(200)
                    self.send_header("Content-Type", "text/event-stream")
                    if path == "/v1/counted": self.send_header("Content-Length", "20")
                    elif path != "/v1/flood": self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    self.close_connection = True
                    def write(text):
                        self.wfile.write(text if path in ("/v1/counted", "/v1/flood") else b"%x\\r\\n%s\\r\\n" % (len(text), text))
                        self.wfile.flush()
                    try:
                        if path == "/v1/flood":
                            for _ in range(200): write(b"x" * (1 << 20)); sent[0] += 1
                            return
                        write(b"data: one\\n")
                        gates.wait(20)
                        write(b"data: two\\n")
                        if path == "/v1/events":
                            write(b"")
                    except OSError: pass
                    seen.append("ended " + path)
                    return
                if path == "/v1/scope":
                    return self.answer(403, b"more", WWW_Authenticate='Bearer error="insufficient_scope", scope="w"')
                if path == "/v1/moved": return self.answer(302, Location="/v1/items/4?a=b")
                if path == "/v1/zipped": return self.answer(200, gzip.compress(b"plain"), Content_Encoding="gzip")
                if path.startswith("/v1/status/"): return self.answer(int(path[11:]))
                text = json.dumps({"method": self.command, "path": self.path, "user": name, "length": length,
                                   "digest": digest.hexdigest(),
                                   "headers": {name.lower(): value for name, value in self.headers.items()}})
                self.answer(200, text.encode(), X_Answer="yes", Set_Cookie="a=b", Content_Type="application/json")
            do_POST = do_PUT = do_HEAD = do_GET
        class Server(http.server.ThreadingHTTPServer): daemon_threads = True
        server = Server(("127.0.0.1", 0), Handler)
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
        """

    /// Sends bytes, with escapes as Python has them, and prints the answer until the connection ends.
    ///
    /// - Parameters:
    ///   - isHalf: Whether the client ends its side after them.
    ///   - waits: Whether it waits for the beginning of the answer before that.
    static func send(
        _ bytes: String, to place: String, isHalf: Bool = false, waits: Bool = false
    ) async throws -> Program.Result {
        let options = (isHalf ? ["half"] : []) + (waits ? ["waits"] : [])
        return try await Program.run([LoginBrowser.python, "-c", client, place, bytes] + options)
    }

    private static let client = """
        import socket, sys
        host, port = sys.argv[1].split(":")
        connection = socket.create_connection((host, int(port)), timeout=10)
        connection.sendall(sys.argv[2].encode().decode("unicode_escape").encode())
        if "waits" in sys.argv: connection.recv(1, socket.MSG_PEEK)
        if "half" in sys.argv: connection.shutdown(socket.SHUT_WR)
        while data := connection.recv(65536): sys.stdout.write(data.decode())
        """
}

/// The system's table of TCP sockets.
enum Sockets {
    /// 127.0.0.1 and ::1, as the table writes them.
    static let loopback: Set<String> = ["0100007F", "00000000000000000000000001000000"]

    /// The addresses on which programs listen at a port.
    static func listeners(on port: Int) throws -> Set<String> {
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        let lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path in
            ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").dropFirst()
        }
        let listening = lines.map { $0.split(separator: " ") }.filter { $0.count > 3 && $0[3] == "0A" }
        return Set(listening.map { String($0[1]) }.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(5)) })
    }
}

import AuthStateKit
import Foundation
import Testing

/// A host of the Model Context Protocol with one bridge, whose lines it writes and reads itself.
struct BridgeHost: Sendable {
    let program: Program
    /// The end of the pipe that is the bridge's standard input; it is closed once.
    private let input: Int32

    /// Starts a bridge.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        try self.init(words: [Authstate.path, "mcp"] + arguments, environment: environment)
    }

    /// Starts a program that becomes a bridge.
    init(words: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        program = try Program.start(words, environment: environment, input: ends[0])
        input = ends[1]
    }

    /// Runs a body with a bridge to a server without a login, and ends its input; the bridge has to end well.
    static func run<R>(
        _ url: String, timeout: Int = 20, _ body: (BridgeHost) async throws -> R
    ) async throws -> R {
        let folder = try TemporaryFolder()
        let host = try BridgeHost(
            [url, "--timeout", "\(timeout)", "--browser-command", "true"],
            environment: ["XDG_STATE_HOME": folder.path])
        do {
            let result = try await body(host)
            host.end()
            #expect(try await host.program.result().status == 0, "\(host.program.errors)")
            return result
        } catch {
            host.end()
            await host.program.end()
            throw error
        }
    }

    /// Writes a line.
    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #expect(write(input, bytes, bytes.count) == bytes.count)
    }

    /// Writes a message.
    func send(_ message: JSONValue) { send(String(decoding: message.serialized(), as: UTF8.self)) }

    /// Ends the input.
    func end() { close(input) }

    /// The messages that have come.
    var messages: [JSONValue] {
        get throws {
            var lines = program.output.split(separator: "\n", omittingEmptySubsequences: false)
            // The last line may not be whole.
            lines.removeLast()
            return try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        }
    }

    /// Waits for a message.
    func message(_ what: String, where isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
        try await eventually(what) { try? messages.first(where: isWanted) }
    }

    /// Sends a request and waits for its answer.
    func answer(_ method: String, id: JSONValue = 1, _ params: JSONValue = [:]) async throws -> JSONValue {
        send(["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params])
        return try await message("the answer to \(method)") { $0["id"] == id && $0["method"] == nil }
    }

    /// Opens a session, as revisions before 2026-07-28 do.
    @discardableResult
    func shakeHands() async throws -> JSONValue {
        let answer = try await answer(
            "initialize", id: "handshake",
            [
                "protocolVersion": "2025-11-25", "capabilities": [:],
                "clientInfo": ["name": "tests", "version": "1"],
            ])
        send(["jsonrpc": "2.0", "method": "notifications/initialized"])
        return answer
    }
}

/// The members of a request that stands alone.
let statelessMeta: JSONValue = [
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": ["name": "tests", "version": "1"],
    "io.modelcontextprotocol/clientCapabilities": [:],
]

/// A server of the protocol, without a login, whose paths each break a rule, or take an unusual one at its word.
struct UntidyMCPServer: Sendable {
    let origin: String

    /// Starts a server, and ends it after the body.
    static func run<R>(_ body: (Self) async throws -> R) async throws -> R {
        let program = try Program.start([LoginBrowser.python, "-c", script])
        return try await program.during {
            try await body(Self(origin: try #require(try await program.firstLine(within: .seconds(10)))))
        }
    }

    /// The requests that came, the first one first, each with `line` (method and path), `headers` and `body`.
    func seen() async throws -> [JSONValue] {
        let url = try #require(URL(string: "\(origin)/seen"))
        let answer = try await SystemTransport.shared.send(TransportRequest(url: url))
        return try JSONValue(parsing: Array(answer.body)).arrayValue ?? []
    }

    private static let script = #"""
        import http.server, json, queue, threading, time
        seen, lock, streams, sessions = [], threading.Lock(), {}, []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self): self.serve(None)
            def do_DELETE(self): self.serve(None)
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self.serve(json.loads(body))
            def answer(self, status, body="", kind="application/json", headers={}):
                text = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                if kind: self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def begin(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
            def event(self, message=None, id=None, retry=None, name=None):
                text = ""
                if name: text += f"event: {name}\n"
                if id: text += f"id: {id}\n"
                if retry: text += f"retry: {retry}\n"
                text += "data: " + ("" if message is None else message if isinstance(message, str) else json.dumps(message)) + "\n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
            def result(self, message, **result): return {"jsonrpc": "2.0", "id": message["id"], "result": result}
            def serve(self, message):
                if self.path == "/seen": return self.answer(200, seen)
                with lock:
                    seen.append({"line": f"{self.command} {self.path}", "headers": dict(self.headers), "body": message})
                path = self.path.split("?")[0]
                getattr(self, path[1:].replace("/", "_"), lambda _: self.answer(404))(message)
            def page(self, message): self.answer(200, "<html>Sign in</html>", "text/html")
            def failing(self, message): self.answer(503, "over capacity", "text/plain")
            def refusing(self, message):
                self.answer(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32022, "message": "other", "data": {"supported": ["x"]}}})
            def moved(self, message): self.answer(307, headers={"Location": "/mcp/"})
            def other(self, message): self.answer(200, {"jsonrpc": "2.0", "id": "other", "result": {}})
            def nothing(self, message): self.answer(200, "", None)
            def accepted(self, message): self.answer(202, "", None)
            def garbage(self, message): self.answer(200, "{\"jsonrpc\": \"2.0\",")
            def half(self, message):
                self.begin()
                self.wfile.write(b"data: {\"jsonrpc\": \"2.0\", ")
            def pretty(self, message):
                self.answer(200, json.dumps(self.result(message, text="a\nb"), indent=2))
            def resume(self, message):
                self.begin()
                if message:
                    self.waiting.append(message)
                    self.event(id="1", retry=150)
                    self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"n": 1}}, id="2")
                else:
                    first = self.headers["Last-Event-ID"] == "2"
                    if first: self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"n": 2}}, id="3")
                    else: self.event(self.result(self.waiting.pop(), last=self.headers["Last-Event-ID"]), id="4")
            waiting = []
            def lost(self, message):
                if not message: return self.answer(405)
                self.begin()
                self.event(id="1", retry=100)
            def session(self, message):
                def refuse():
                    if "400" not in self.path: return self.answer(404)
                    self.answer(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Bad Request: No valid session ID provided"}})
                if not message: return self.answer(200 if self.command == "DELETE" else 405)
                known = self.headers.get("Mcp-Session-Id")
                if message.get("method") == "initialize":
                    sessions.append(f"session-{len(sessions) + 1}")
                    return self.answer(
                        200, self.result(message, protocolVersion="2025-11-25", capabilities={}), headers={"Mcp-Session-Id": sessions[-1]})
                if known != sessions[-1]: return refuse()
                if "id" not in message: return self.answer(202, "", None)
                # The first session ends before its first request.
                if len(sessions) == 1:
                    sessions.append("none")
                    return refuse()
                self.answer(200, self.result(message, session=known))
            def halfway(self, message):
                if not message: return self.answer(405)
                if message.get("method") == "initialize":
                    sessions.append(f"session-{len(sessions) + 1}")
                    return self.answer(
                        200, self.result(message, protocolVersion="2025-11-25", capabilities={}), headers={"Mcp-Session-Id": sessions[-1]})
                # The first session ends, and the second one is never open.
                if "id" not in message: return self.answer(503 if len(sessions) == 2 else 202, "", None)
                if len(sessions) < 3: return self.answer(404 if self.headers["Mcp-Session-Id"] == "session-1" else 400)
                self.answer(200, self.result(message, session=self.headers["Mcp-Session-Id"]))
            def faltering(self, message):
                if not message:
                    Handler.listened += 1
                    if 1 < Handler.listened < 7: return self.answer(503)
                    self.begin()
                    return self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": Handler.listened}}, id="1", retry=100)
                if "id" not in message: return self.answer(202, "", None)
                self.answer(200, self.result(message, protocolVersion="2025-11-25", capabilities={}))
            listened = 0
            def quiet(self, message):
                if not message:
                    Handler.listened += 1
                    self.begin()
                    n = Handler.listened
                    return self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": n}} if n == 12 else None, id="1", retry=100)
                if "id" not in message: return self.answer(202, "", None)
                self.answer(200, self.result(message, protocolVersion="2025-11-25", capabilities={}))
            def ordered(self, message):
                if not message: return self.answer(405)
                if message.get("method") == "initialize":
                    time.sleep(0.2)
                    return self.answer(200, self.result(message, protocolVersion="2025-11-25", capabilities={}))
                if message.get("method") == "notifications/initialized":
                    time.sleep(0.2)
                    Handler.is_open = True
                    return self.answer(202, "", None)
                self.answer(200, self.result(message, early=not Handler.is_open))
            is_open = False
            def closing(self, message):
                if not message: return self.answer(401, headers={"WWW-Authenticate": "Bearer"})
                if "id" not in message: return self.answer(202, "", None)
                self.answer(
                    200, self.result(message, protocolVersion="2025-11-25", capabilities={}), headers={"Mcp-Session-Id": "s"})
            def stuck(self, message):
                if not message: return self.answer(405)
                if message.get("method") == "initialize":
                    if Handler.stuck_since: time.sleep(60)
                    return self.answer(
                        200, self.result(message, protocolVersion="2025-11-25", capabilities={}), headers={"Mcp-Session-Id": "s"})
                if "id" not in message: return self.answer(202, "", None)
                Handler.stuck_since = True
                self.answer(404)
            stuck_since = False
            def comments(self, message):
                if message: return self.answer(405, "POST is not allowed", "text/plain")
                self.begin()
                try:
                    while True:
                        self.wfile.write(b": beat\n\n")
                        time.sleep(0.05)
                except OSError: pass
            def slowbody(self, message):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "100")
                self.end_headers()
                time.sleep(60)
            def pinging(self, message):
                if not message: return self.answer(405)
                if message.get("method") == "initialize":
                    self.send_response(200)
                    self.send_header("Mcp-Session-Id", "s")
                    self.send_header("Content-Type", "text/event-stream")
                    self.send_header("Connection", "close")
                    self.end_headers()
                    self.close_connection = True
                    self.event({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
                    isAnswered = Handler.pong.wait(20)
                    return self.event(self.result(message, protocolVersion="2025-11-25", capabilities={}, answered=isAnswered))
                if message.get("id") == "ping-1" and self.headers.get("Mcp-Session-Id") == "s": Handler.pong.set()
                self.answer(202, "", None)
            pong = threading.Event()
            def events(self, message):
                if not message:
                    self.begin()
                    last = int(self.headers.get("Last-Event-ID") or 0)
                    return self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": last + 1}}, id=str(last + 1), retry=100)
                if "id" not in message: return self.answer(202, "", None)
                self.answer(200, self.result(message, protocolVersion="2025-11-25", capabilities={}))
            def old(self, message):
                if message: return self.answer(405, "no", "text/plain")
                self.begin()
                mine = streams["old"] = queue.Queue()
                self.event("/old/messages?session=1", name="endpoint")
                while True:
                    item = mine.get()
                    if item is None: return
                    self.event(item)
            def old_messages(self, message):
                self.answer(202, "Accepted", "text/plain")
                if message.get("method") == "hangup": return streams["old"].put(None)
                if "id" not in message: return
                if message["method"] == "initialize":
                    return streams["old"].put(self.result(message, protocolVersion="2024-11-05", capabilities={}))
                streams["old"].put({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
                streams["old"].put(self.result(message, method=message["method"]))
            def slow(self, message):
                if message.get("method") != "tools/call":
                    return self.answer(202, "", None) if "id" not in message else self.answer(
                        200, self.result(message, protocolVersion="2025-11-25", capabilities={}))
                self.begin()
                try:
                    while True:
                        self.wfile.write(b": beat\n\n")
                        time.sleep(0.05)
                except OSError:
                    with lock: seen.append({"line": "closed", "headers": {}, "body": message})
            needed = False
            def mirrored(self, message):
                def tool(name, **header):
                    return {"name": name, "inputSchema": {"type": "object", "properties": {"region": dict(type="string", **header)}}}
                if message["method"] == "tools/list":
                    header = {"x-mcp-header": "Region"} if Handler.needed else {}
                    return self.answer(200, self.result(message, tools=[tool("plain", **header), tool("bad", **{"x-mcp-header": "a b"})]))
                Handler.needed = True
                if self.headers.get("Mcp-Param-Region") != message["params"]["arguments"]["region"]:
                    return self.answer(400, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32020, "message": "header"}})
                self.answer(200, self.result(message, name=self.headers.get("Mcp-Name"), method=self.headers.get("Mcp-Method")))
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
        """#
}

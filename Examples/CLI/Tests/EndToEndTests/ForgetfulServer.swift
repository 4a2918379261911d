import AuthStateKit
import Foundation
import Testing

/// An authorization server with two APIs, /one and /two, that can be told to forget its clients, and other bad habits.
struct ForgetfulServer: Sendable {
    /// The issuer, and the origin of the APIs.
    let issuer: String

    /// Starts a server, and ends it after the body.
    static func run<R>(_ body: (Self) async throws -> R) async throws -> R {
        let program = try Program.start([LoginBrowser.python, "-c", script])
        return try await program.during {
            try await body(Self(issuer: try #require(try await program.firstLine(within: .seconds(10)))))
        }
    }

    /// Tells the server what to do from now on, such as `forget` or `lax=1`.
    func tell(_ command: String) async throws {
        let url = try #require(URL(string: "\(issuer)/tell?\(command)"))
        #expect(try await SystemTransport.shared.send(TransportRequest(url: url)).status == 200)
    }

    /// The bodies and queries of the requests to a path, the first one first.
    func seen(at path: String) async throws -> [String] {
        let answer = try await SystemTransport.shared.send(
            TransportRequest(url: try #require(URL(string: "\(issuer)/seen"))))
        let all = try JSONValue(parsing: Array(answer.body)).arrayValue ?? []
        return all.filter { $0["path"]?.stringValue == path }.compactMap { $0["text"]?.stringValue }
    }

    private static let script = """
        import base64, http.server, json, urllib.parse
        clients, seen, told, sessions = {"machine": "s3cret", "service": None}, [], {}, {"last": 0}
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self): self.serve("")
            def do_POST(self): self.serve(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
            def do_DELETE(self): self.answer(401, {"error": "invalid_token"})
            def answer(self, status, body, headers={}):
                text = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                self.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def serve(self, body):
                base = "http://127.0.0.1:%d" % self.server.server_port
                path, _, query = self.path.partition("?")
                asked = dict(urllib.parse.parse_qsl(query if self.command == "GET" else body))
                if path == "/seen": return self.answer(200, seen)
                if path == "/tell":
                    told.update(dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
                    if "forget" in asked or query == "forget": clients.clear()
                    if query == "lose": sessions["known"] = None
                    return self.answer(200, {})
                seen.append({"path": path, "text": urllib.parse.unquote_plus(query + body)})
                if path.startswith("/.well-known/oauth-protected-resource/"):
                    return self.answer(200, {"resource": base + "/" + path.split("/")[-1],
                                             "authorization_servers": [told.get("server", base)]})
                if path == "/.well-known/oauth-authorization-server":
                    return self.answer(200, {
                        "issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
                        "registration_endpoint": base + "/register", "revocation_endpoint": base + "/revoke",
                        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"]})
                if path == "/register":
                    metadata = json.loads(body)
                    if "strict" in told and not metadata.get("redirect_uris"):
                        return self.answer(400, {"error": "invalid_redirect_uri"})
                    name = "client-%d" % len(seen)
                    clients[name] = None
                    return self.answer(201, dict(metadata, client_id=name, registration_access_token="t",
                                                 registration_client_uri=base + "/clients/" + name))
                if path == "/authorize":
                    if "lax" not in told and asked.get("client_id") not in clients: return self.answer(400, "Unknown client.")
                    if "refuses" in told and "resource" in asked: return self.answer(400, "Unknown parameter: resource.")
                    answer = {"code": "c", "state": asked["state"]}
                    return self.answer(302, "", {"Location": asked["redirect_uri"] + "?" + urllib.parse.urlencode(answer)})
                if path in ("/token", "/revoke"):
                    name, secret = asked.get("client_id"), None
                    if self.headers.get("Authorization", "").startswith("Basic "):
                        name, secret = base64.b64decode(self.headers["Authorization"][6:]).decode().split(":")
                    known = name in clients and clients[name] == secret or "assertion" in asked
                    if not known: return self.answer(401, {"error": "invalid_client"})
                    return self.answer(200, {"access_token": "token-%d" % len(seen), "token_type": "Bearer", "expires_in": 3600,
                                             "refresh_token": "r", "scope": asked.get("scope", "read")})
                if path == "/mcp":
                    refusal = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
                    if self.command == "GET" or not self.headers.get("Authorization"): return self.answer(401, {}, refusal)
                    message = json.loads(body)
                    if message["method"] == "initialize":
                        sessions["last"] += 1
                        sessions["known"] = str(sessions["last"])
                        result = {"protocolVersion": "2025-11-25", "capabilities": {}}
                    elif self.headers.get("Mcp-Session-Id") != sessions["known"]: return self.answer(401, {}, refusal)
                    elif message["method"] == "tools/call" and message["params"]["name"] == "echo":
                        return self.answer(500, {"headers": {"authorization": self.headers["Authorization"]}})
                    elif message["method"] == "tools/call" and "stubborn" in told: return self.answer(401, {}, refusal)
                    elif message["method"] == "tools/call":
                        self.send_response(200)
                        self.send_header("Content-Type", "text/event-stream")
                        self.end_headers()
                        return self.wfile.write(b"id: 1\\ndata:\\n\\n")
                    else: result = {"session": sessions["last"]}
                    if "id" not in message: return self.answer(202, {})
                    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
                    return self.answer(200, answer, {"Mcp-Session-Id": sessions["known"]})
                if path == "/old": return self.answer(307, "", {"Location": "/one"})
                if path in ("/one", "/two"):
                    isKnown = self.headers.get("Authorization", "").startswith("Bearer ")
                    if isKnown and "denies" not in told: return self.answer(200, {"ok": True})
                    return self.answer(401, {}, {"WWW-Authenticate": "Bearer"})
                self.answer(404, {})
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
        """
}

extension Authstate {
    /// A browser that goes where it is sent, once: an error page ends its way.
    func walker() throws -> String {
        try visitor(
            """
            callback = visit(page).headers["Location"]
            if callback: visit(callback)
            """)
    }
}

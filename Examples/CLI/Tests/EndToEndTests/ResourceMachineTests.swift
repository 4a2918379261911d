import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct ResourceMachineTests {
        /// A resource that takes any token, and names the issuer in its first argument.
        private static let server = """
            import http.server, json, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self): self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["id"])
                def do_GET(self): self.answer(None)
                def answer(self, id):
                    base = "http://127.0.0.1:%d" % self.server.server_port
                    token = self.headers.get("Authorization")
                    if "/.well-known/" in self.path:
                        status, body = 200, {"resource": base + "/api", "authorization_servers": [sys.argv[1]],
                                             "scopes_supported": ["profile", "email"]}
                    else:
                        status, body = (200 if token else 401), {"authorization": token}
                        if id is not None: body = {"jsonrpc": "2.0", "id": id, "result": body}
                    text = json.dumps(body).encode()
                    self.send_response(status)
                    if status == 401:
                        self.send_header("WWW-Authenticate", 'Bearer scope="profile", resource_metadata="%s/.well-known/'
                                         'oauth-protected-resource/api"' % base)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                def log_message(self, *_): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(f"http://127.0.0.1:{server.server_port}", flush=True)
            server.serve_forever()
            """

        @Test("needs no browser, also with --step-up", arguments: [Provider.django])
        func clientCredentials(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let server = try Program.start([LoginBrowser.python, "-c", Self.server, authstate.provider.issuer])
            defer { server.send(SIGTERM) }
            let api = try #require(try await server.firstLine(within: .seconds(10))) + "/api"
            let login = try await authstate(
                "login", "--for", api, "--grant", "client-credentials", "--client-id", "machine", "--client-secret-env",
                "CLIENT_SECRET", "--issuer", authstate.provider.issuer, "--json")
            try #require(login.status == 0, "\(login)")
            #expect(try login.json()["grant"]?.stringValue == GrantType.clientCredentials.rawValue)
            #expect(try login.json()["resource"]?.stringValue == api)
            let token = try #require(try await authstate.json("token")["access_token"]?.stringValue)
            for options in [[], ["--step-up"]] {
                let answer = try await authstate(["request", api] + options)
                #expect(answer.status == 0 && answer.output.contains("Bearer \(token)"), "\(answer)")
            }
            #expect(try await authstate.json("refresh")["resource"]?.stringValue == api)
        }

        /// Writes a platform's keys, or a token that it signs for a workload.
        private static let platform = """
            import json, sys, time, jwt
            from cryptography.hazmat.primitives.asymmetric import ec
            from cryptography.hazmat.primitives.serialization import load_pem_private_key, Encoding, PrivateFormat, NoEncryption
            folder = sys.argv[1]
            if len(sys.argv) == 2:
                key = ec.generate_private_key(ec.SECP256R1())
                open(folder + "/key.pem", "wb").write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
                public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
                open(folder + "/keys.json", "w").write(json.dumps({"keys": [public | {"kid": "platform-1"}]}))
            else:
                key = load_pem_private_key(open(folder + "/key.pem", "rb").read(), None)
                claims = {"iss": "https://platform.example", "sub": sys.argv[2], "aud": sys.argv[3], "exp": int(time.time()) + 60}
                open(folder + "/token", "w").write(jwt.encode(claims, key, "ES256", {"kid": "platform-1"}))
            """

        @Test("a workload's token from its platform is the bridge's grant, and is read anew for each renewal")
        func workload() async throws {
            let folder = try TemporaryFolder()
            func platform(_ words: String...) async throws {
                let result = try await Program.run([Provider.python("mcp"), "-c", Self.platform, folder.path] + words)
                try #require(result.status == 0, "\(result)")
            }
            try await platform()
            let settings = [
                "PLATFORM_ISSUER": "https://platform.example", "PLATFORM_KEYS": folder("keys.json"),
                "ACCESS_TOKEN_SECONDS": "2", "REGISTRATION": "0",
            ]
            try await ResourceServer.run(.mcp, settings) { server in
                try await platform("worker-1", server.issuer)
                let host = try BridgeHost(
                    [
                        server.resource, "--grant", "jwt-bearer", "--assertion-file", folder("token"), "--issuer",
                        server.issuer, "--client-id", "post", "--client-secret-env", "CLIENT_SECRET", "--auth-method",
                        "post",
                    ], environment: ["CLIENT_SECRET": "s3cret", "XDG_STATE_HOME": folder("state")])
                func user(_ id: JSONValue) async throws -> String {
                    let call: JSONValue = ["name": "whoami", "arguments": [:], "_meta": statelessMeta]
                    let answer = try await host.answer("tools/call", id: id, call)
                    return String(decoding: answer.serialized(), as: UTF8.self)
                }
                let first = try await user(1)
                #expect(first.contains("worker-1"), "\(first) \(host.program.errors)")
                try await platform("worker-2", server.issuer)
                try await eventually("the renewal") {
                    let answer = try await user(.string(UUID().uuidString))
                    return answer.contains("worker-2") ? () : nil
                }
                host.end()
                #expect(try await host.program.result().status == 0, "\(host.program.errors)")
                let calls = try await server.requests(at: .resource).filter { $0.body.contains("tools/call") }
                let name = #""extensions":{"io.modelcontextprotocol/auth/wif":{}}"#
                #expect(!calls.isEmpty && calls.allSatisfy { $0.body.replacing("\\/", with: "/").contains(name) })
            }
        }

        @Test("needs no process of its own behind the bridge", arguments: [Provider.django])
        func bridge(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let server = try Program.start([LoginBrowser.python, "-c", Self.server, authstate.provider.issuer])
            defer { server.send(SIGTERM) }
            let api = try #require(try await server.firstLine(within: .seconds(10))) + "/api"
            let variables = ["XDG_STATE_HOME": authstate.folder("state")]
            let host = try BridgeHost(
                [
                    api, "--profile", "job", "--grant", "client-credentials", "--client-id", "machine",
                    "--client-secret-env", "CLIENT_SECRET", "--issuer", authstate.provider.issuer,
                ], environment: authstate.environment.merging(variables) { $1 })
            let answer = try await host.answer("tools/list", ["_meta": statelessMeta])
            host.end()
            #expect(try await host.program.result().status == 0, "\(host.program.errors)")
            let token = try await Program.run([Authstate.path, "token", "--profile", "job"], environment: variables)
                .output
            #expect(answer["result"]?["authorization"]?.stringValue == "Bearer \(token.dropLast())", "\(answer)")
        }
    }
}

import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct ResourceTests {
        /// Answers with the status that the path names, and echoes what it got; `/401` has no challenge.
        static let server = """
            import http.server, json
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    length = int(self.headers.get("Content-Length", 0))
                    text = json.dumps({"method": self.command, "body": self.rfile.read(length).decode(),
                                       "authorization": self.headers.get("Authorization"),
                                       "colour": self.headers.get("X-Colour")}).encode()
                    self.send_response(int(self.path[1:4]))
                    if self.path.endswith("scope"):
                        challenge = 'Bearer error="insufficient_scope", scope="write"'
                        self.send_header("WWW-Authenticate", challenge)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                do_POST = do_PUT = do_GET
                def log_message(self, *_): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(f"http://127.0.0.1:{server.server_port}", flush=True)
            server.serve_forever()
            """

        @Test("get the token; their status decides how the program ends", arguments: [Provider.django])
        func statuses(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider)
            let server = try Program.start([LoginBrowser.python, "-c", Self.server])
            defer { server.send(SIGTERM) }
            let base = try #require(try await server.firstLine(within: .seconds(10)))

            let token = try #require(try await authstate.json("token")["access_token"]?.stringValue)
            let found = try await authstate(
                "request", "-X", "PUT", "-d", "paint", "-H", "X-Colour: blue", "\(base)/200")
            #expect(found.status == 0 && found.errors.isEmpty)
            let echo = try JSONValue(parsing: Array(found.output.utf8))
            #expect(echo["method"] == "PUT" && echo["body"] == "paint" && echo["colour"] == "blue")
            #expect(echo["authorization"]?.stringValue == "Bearer \(token)")

            for status in [403, 404, 500] {
                let refused = try await authstate("request", "\(base)/\(status)")
                #expect(refused.status == 1 && refused.output.contains("authorization"))
                #expect(refused.errors.contains("authstate: The resource answered \(status)."))
                let json = try await authstate("request", "\(base)/\(status)", "--json")
                #expect(json.status == 1)
                #expect(try json.json()["status"]?.doubleValue == Double(status))
            }

            let scope = try await authstate("request", "\(base)/403/scope", "--json")
            #expect(scope.status == 1)
            let error = try scope.json()["error"]
            #expect(error?["code"] == "insufficientScope" && error?["scope"] == "write")
            #expect(error?["hint"]?.stringValue?.contains("--scope") == true)

            // A 401 causes one renewal; a second one fails the request, and says nothing of other paths.
            let unauthorized = try await authstate("request", "\(base)/401", "--json")
            #expect(unauthorized.status == 77)
            #expect(try unauthorized.json()["error"]?["code"] == "tokenRejected")
            #expect(!unauthorized.output.contains(token), "the second answer shows the second token")
            #expect(try await authstate("token").status == 0)
            #expect(try await authstate("request", "\(base)/200").status == 0)
        }

        @Test("get bodies and headers from files and standard input, which no argument shows")
        func files() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            let server = try Program.start([LoginBrowser.python, "-c", Self.server])
            defer { server.send(SIGTERM) }
            let base = try #require(try await server.firstLine(within: .seconds(10)))
            let body = try authstate.folder.file("body", containing: "from a file")
            let headers = try authstate.folder.file("headers", containing: "X-Other: 1\n\nX-Colour: blue\n")
            func echo(_ result: Program.Result) throws -> JSONValue {
                try #require(result.status == 0, "\(result)")
                return try JSONValue(parsing: Array(result.output.utf8))
            }
            let posted = try echo(try await authstate("request", "-d", "@\(body)", "-H", "@\(headers)", "\(base)/200"))
            #expect(posted["method"] == "POST" && posted["body"] == "from a file" && posted["colour"] == "blue")
            let piped = try await Program.run([
                "/bin/sh", "-c",
                "printf piped | '\(Authstate.path)' request -d @- '\(base)/200' --state '\(authstate.stateFile)'",
            ])
            #expect(try echo(piped)["body"] == "piped")

            try authstate.folder.file("headers", containing: "X-Colour: blue\nAuthorization: Bearer s3cret-token\n")
            for argument in ["@\(headers)", "@\(headers).none"] {
                let refused = try await authstate("request", "-H", argument, "\(base)/200")
                #expect(refused.status == 64 && refused.output.isEmpty && !refused.errors.contains("s3cret"))
            }
        }

        @Test("do not get the token in the clear")
        func clearText() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            try await authstate.expectFailure(
                ["request", "http://192.0.2.1/"], 78, [.insecureURL], stage: .resource, hint: "https")
        }
    }
}

import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// `curl` as the local program, and an API whose answers take their time.
    struct StreamTests {
        /// Starts curl, which writes what comes as it comes.
        private func curl(_ url: String, _ options: String...) throws -> Program {
            try Program.start(["curl", "-sSN", "--max-time", "60", url] + options)
        }

        @Test(
            "the beginning comes before the end, in chunks, with a length, and at an older program",
            arguments: [("/events", []), ("/counted", []), ("/events", ["--http1.0"])])
        func pieces(path: String, options: [String]) async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                // Longer than the time for a head.
                try await RunningProxy.run(api.base, by: authstate, limit: 3) { proxy in
                    let reader = try Program.start(
                        ["curl", "-sSNi", "--max-time", "60", "\(proxy.url)\(path)"] + options)
                    try await eventually("the first piece") { reader.output.contains("data: one\n") ? () : nil }
                    try await Task.sleep(for: .seconds(4))
                    #expect(!reader.hasEnded)
                    try await api.open()
                    let result = try await reader.result()
                    #expect(result.status == 0 && result.output.contains("data: one\ndata: two\n"), "\(result)")
                    let head = result.output.lowercased()
                    let isOld = options.contains("--http1.0")
                    #expect(head.contains("content-length: 20") == (path == "/counted"))
                    #expect(head.contains("transfer-encoding: chunked") == (path == "/events" && !isOld), "\(head)")
                }
            }
        }

        @Test func `an answer that breaks off is one for the program too, and the proxy goes on`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let reader = try curl("\(proxy.url)/broken")
                    try await eventually("the first piece") { reader.output.contains("one") ? () : nil }
                    try await api.open()
                    let result = try await reader.result()
                    #expect([18, 56].contains(result.status), "\(result)")
                    #expect(proxy.errors.contains("broke off"))
                    #expect(try await proxy.curl("/items").status == 200)
                }
            }
        }

        @Test(
            "a program that reads slowly gets the end of an answer that ends with its connection",
            arguments: [true, false])
        func slowEnd(isOld: Bool) async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let script = """
                        import socket, sys, time, urllib.parse
                        url = urllib.parse.urlsplit(sys.argv[1])
                        connection = socket.socket()
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
                        connection.connect((url.hostname, url.port))
                        head = f"GET {url.path} {sys.argv[2]}\\r\\nHost: {url.netloc}\\r\\nConnection: close\\r\\n\\r\\n"
                        connection.sendall(head.encode())
                        time.sleep(2)
                        data = b""
                        while piece := connection.recv(1 << 16):
                            data += piece
                            time.sleep(0.0005)
                        print(data.count(b"x"), data.endswith(b"0\\r\\n\\r\\n"))
                        """
                    let version = isOld ? "HTTP/1.0" : "HTTP/1.1"
                    let result = try await Program.run(
                        [LoginBrowser.python, "-c", script, "\(proxy.url)/large", version])
                    #expect(result.output == "\(10 << 20) \(isOld ? "False" : "True")\n", "\(result)")
                }
            }
        }

        @Test func `an answer with another length than was announced is no answer to the next request`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let split = try await proxy.curl("/split")
                    // The chunks count, and not the length beside them (RFC 9112, section 6.3).
                    #expect(
                        split.body.hasSuffix("EVIL!") && split.headers.contains("transfer-encoding: chunked"),
                        "\(split)")
                    #expect(!split.headers.contains("content-length"))
                }
            }
        }

        @Test func `an interim status is no answer`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let answer = try await proxy.curl("/switch")
                    #expect(try answer.status == 502 && answer.json()["error"]?["received"] == "101", "\(answer)")
                }
            }
        }

        @Test func `the fields behind an answer's body come behind it, and the connection goes on`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let words = ["-H", "TE: trailers", "\(proxy.url)/trailers", "\(proxy.url)/trailers"]
                    let result = try await Program.run(["curl", "-sSi", "--max-time", "20"] + words)
                    #expect(result.output.matches(of: /trailersX-Sum: 7\r\n/).count == 2, "\(result)")
                    #expect(!result.output.contains("Set-Cookie"), "\(result)")
                    let old = try await proxy.curl("/trailers", "--http1.0")
                    #expect(old.body == "none" && !old.headers.contains("x-sum"), "\(old)")
                }
            }
        }

        @Test func `an interim answer passes before the answer, to a program that knows those`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    // curl keeps heads back until a body comes.
                    let script = """
                        import socket, sys, urllib.parse
                        url = urllib.parse.urlsplit(sys.argv[1])
                        connection = socket.create_connection((url.hostname, url.port), timeout=30)
                        head = f"GET {url.path} HTTP/1.1\\r\\nHost: {url.netloc}\\r\\nConnection: close\\r\\n\\r\\n"
                        connection.sendall(head.encode())
                        while data := connection.recv(65536):
                            sys.stdout.buffer.write(data)
                            sys.stdout.flush()
                        """
                    let reader = try Program.start([LoginBrowser.python, "-c", script, "\(proxy.url)/hints"])
                    try await eventually("the hint") {
                        reader.output.wholeMatch(of: /HTTP\/1\.1 103 .*\r\nLink: <\/a>\r\n\r\n/) != nil ? () : nil
                    }
                    #expect(!reader.output.contains("hinted"))
                    try await api.open()
                    let result = try await reader.result()
                    #expect(
                        result.output.contains("\r\n\r\nHTTP/1.1 200") && result.output.hasSuffix("hinted"), "\(result)"
                    )
                    let old = try await proxy.curl("/hints", "--http1.0")
                    #expect(old.status == 200 && old.body == "hinted" && !old.headers.contains("103"), "\(old)")
                    // The connection goes on.
                    let both = try curl("\(proxy.url)/hints", "-i", "\(proxy.url)/hints")
                    #expect(try await both.result().output.matches(of: /HTTP\/1\.1 103/).count == 2)
                }
            }
        }

        @Test func `a program that ends during a stream ends it at the API`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let reader = try curl("\(proxy.url)/flood", "-o", "/dev/null", "--limit-rate", "1M")
                    try await eventually("the flood") { (try? await api.sent()) ?? 0 > 0 ? () : nil }
                    reader.send(SIGKILL)
                    _ = try await reader.result()
                    try await eventually("the end") {
                        try? await api.requests().contains("ended /v1/flood") ? () : nil
                    }
                    #expect(try await api.sent() < 100)
                }
            }
        }

        @Test func `a program that reads slowly holds up the API, and not the proxy's memory`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let reader = try curl("\(proxy.url)/flood", "-o", "/dev/null", "--limit-rate", "1M")
                    try await Task.sleep(for: .seconds(3))
                    // What the sockets and the proxy hold beside what was read.
                    #expect(try await api.sent() < 30)
                    reader.send(SIGKILL)
                    _ = try await reader.result()
                }
            }
        }

        @Test func `a hundred streams are held, and short requests are answered beside them`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let script = """
                        import socket, sys, urllib.parse
                        url = urllib.parse.urlsplit(sys.argv[1])
                        held = []
                        for _ in range(100):
                            connection = socket.create_connection((url.hostname, url.port), timeout=20)
                            connection.sendall(f"GET {url.path}/events HTTP/1.1\\r\\nHost: {url.netloc}\\r\\n\\r\\n".encode())
                            held.append(connection)
                        for connection in held:
                            data = b""
                            while b"data: one" not in data:
                                piece = connection.recv(65536)
                                if not piece: sys.exit("ended")
                                data += piece
                        print("held", flush=True)
                        sys.stdin.read()
                        import time; time.sleep(60)
                        """
                    let holder = try Program.start([LoginBrowser.python, "-c", script, proxy.url])
                    #expect(try await holder.firstLine(within: .seconds(60)) == "held", "\(holder.errors)")
                    for _ in 0..<20 { #expect(try await proxy.curl("/items").status == 200) }
                    await holder.end()
                }
            }
        }

        @Test func `rules, an audit and an end bound what a program can do with the login`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let file = authstate.folder("audit.jsonl")
                let options = ["--allow", "GET /items/*", "--allow", "/notes", "--audit", file, "--end-after", "30"]
                let proxy = try await RunningProxy(api.base, by: authstate, options)
                #expect(try await proxy.curl("/items/3?secret=1").status == 200)
                #expect(try await proxy.curl("/notes", "-d", "secret body").status == 200)
                let refused = try await proxy.curl("/items/3", "-X", "DELETE")
                #expect(try refused.status == 403 && refused.json()["error"]?["message"] != nil, "\(refused)")
                #expect(proxy.errors.contains("No --allow"), "\(proxy.errors)")
                #expect(try await proxy.curl("/users").status == 403)
                #expect(try await proxy.curl("/a%2f..").status == 400)
                #expect(try await proxy.curl("/notes", "-X", "TRACE").status == 501)
                #expect(try await proxy.curl("/notes", "-H", "Origin: https://x").status == 403)
                let stranger = "http://127.0.0.1:\(proxy.port)/wrong/notes"
                #expect(try await Curl.run([stranger, "-X", "TRACE"]).status == 501)
                // Without room for its line a request is neither passed on nor kept.
                try FileManager.default.moveItem(atPath: file, toPath: "\(file).1")
                try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
                for path in ["/notes", "/users", "/a%2f.."] {
                    #expect(try await proxy.curl(path, "-d", "body").status == 503, "\(path)")
                }
                #expect(try await Curl.run([stranger]).status == 404)
                try FileManager.default.removeItem(atPath: file)
                #expect(try await proxy.curl("/notes").status == 200)
                #expect(try await api.requests() == ["/v1/items/3?secret=1", "/v1/notes", "/v1/notes"])
                let ended = try await proxy.program.result(within: .seconds(60))
                #expect(ended.status == 0, "\(ended)")
                let later = try String(contentsOfFile: file, encoding: .utf8)
                #expect(later.split(separator: "\n").count == 1 && later.contains("/v1/notes"), "\(later)")
                let text = try String(contentsOfFile: "\(file).1", encoding: .utf8)
                let lines = try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
                #expect(lines.first?["event"] == "start")
                let requests = lines.dropFirst()
                #expect(requests.map { $0["method"] } == ["GET", "POST", "DELETE", "GET", "GET", "TRACE", "GET"])
                #expect(requests.map { $0["status"]?.intValue } == [200, 200, 403, 403, 400, 501, 403])
                #expect(
                    requests.map { $0["path"] } == [
                        "/v1/items/3", "/v1/notes", "/v1/items/3", "/v1/users", "/v1/a%2f..", "/v1/notes", "/v1/notes",
                    ])
                #expect(requests.allSatisfy { $0["ended"] == "whole" })
                #expect(requests.first?["bytes"]?.intValue ?? 0 > 100)
                #expect(!text.contains("secret") && !text.contains(proxy.url.split(separator: "/").last ?? "-"))
            }
        }

        @Test func `a program that is started behind a proxy has no token, and the proxy ends with it`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn(client: "basic")
                let token = try #require(try await authstate.json("token")["access_token"]?.stringValue)
                let script =
                    "env; curl -sS $API_URL/items; curl -sS -o /dev/null -w '%{http_code}' $API_URL/users; wait; exit 3"
                let words = ["run", "--proxy", api.base, "--allow", "GET /items", "--state", authstate.stateFile]
                let result = try await Program.run(
                    [Authstate.path] + words + ["--", "sh", "-c", script], environment: authstate.environment)
                #expect(result.status == 3, "\(result)")
                #expect(result.output.contains("Bearer \(token)") && result.output.hasSuffix("403"), "\(result)")
                let variables = result.output.prefix { $0 != "{" }
                #expect(!variables.contains(token) && !variables.contains("CLIENT_SECRET"))
                let line = variables.split(separator: "\n").first { $0.hasPrefix("API_URL=") } ?? ""
                let port = try #require(URL(string: String(line.dropFirst(8)))?.port)
                try await eventually("the proxy's end") { try? Sockets.listeners(on: port).isEmpty ? () : nil }
            }
        }

        @Test(
            "a program is not started behind a proxy that does not start, or without a login", arguments: [true, false])
        func notStarted(isLoggedIn: Bool) async throws {
            let authstate = try Authstate(.django)
            if isLoggedIn { try await authstate.logIn() }
            let base = isLoggedIn ? "ftp://api.example" : "https://api.example"
            let result = try await Program.run(
                [Authstate.path, "run", "--proxy", base, "--state", authstate.stateFile, "--", "echo", "started"],
                environment: authstate.environment)
            #expect(!result.output.contains("started"), "\(result)")
            #expect(result.status == (isLoggedIn ? 64 : 77), "\(result)")
        }
    }
}

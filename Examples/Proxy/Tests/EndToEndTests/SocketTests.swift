import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// `curl` and Python as programs that reach the proxy by its Unix socket.
    struct SocketTests {
        private func isThere(_ path: String) -> Bool {
            var status = stat()
            return lstat(path, &status) == 0
        }

        @Test func `requests need no key, and the socket ends with the proxy`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let path = authstate.folder("proxy.sock")
                try await RunningProxy.run(
                    api.base, by: authstate, ["--socket", path, "--json", "--allow", "/items", "--allow", "/moved"]
                ) { proxy in
                    var status = stat()
                    #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
                    func curl(_ target: String, _ options: String...) async throws -> Curl {
                        try await Curl.run(["--unix-socket", path, "http://localhost\(target)"] + options)
                    }
                    let answer = try await curl("/items", "-d", "body", "-H", "Host: any.example:1")
                    #expect(try answer.status == 200 && answer.json()["path"] == "/v1/items", "\(answer)")
                    #expect(try answer.json()["length"] == 4 && answer.token?.hasPrefix("Bearer ") == true)
                    #expect(try await curl("/users").status == 403)
                    #expect(try await curl("/items", "-H", "Origin: https://evil.example").status == 403)
                    #expect(try await curl("/moved").headers.contains("location: http://localhost/items/4?a=b\n"))
                    // The port has its key all the same.
                    #expect(try await proxy.curl("/items").status == 200)
                    #expect(try await Curl.run(["http://127.0.0.1:\(proxy.port)/items"]).status == 404)
                    #expect(proxy.program.output.contains("\"socket\":\"\(path)\""), "\(proxy.program.output)")
                }
                #expect(!isThere(path))
            }
        }

        @Test func `the socket of a running proxy is refused, and that of a dead one is replaced`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let path = authstate.folder("proxy.sock")
                let first = try await RunningProxy(api.base, by: authstate, ["--socket", path])
                let second = try await authstate("proxy", api.base, "--socket", path)
                #expect(second.status == 78 && second.errors.contains("another path for --socket"), "\(second)")
                first.program.send(SIGKILL)
                _ = try await first.program.result()
                #expect(isThere(path))
                try await RunningProxy.run(api.base, by: authstate, ["--socket", path]) { _ in
                    let answer = try await Curl.run(["--unix-socket", path, "http://localhost/items"])
                    #expect(answer.status == 200, "\(answer)")
                }
                #expect(!isThere(path))
            }
        }

        @Test("no socket is made where others can enter, or in the place of another file")
        func places() async throws {
            let authstate = try Authstate(.django)
            try await authstate.logIn()
            let open = authstate.folder("open")
            #expect(mkdir(open, 0o755) == 0)
            let file = try authstate.folder.file("file", containing: "kept")
            let cases = [
                ("\(open)/proxy.sock", "Other users can enter"), (file, "another file"),
                (authstate.folder("none/proxy.sock"), "mkdir -m 700"),
                (authstate.folder(String(repeating: "a", count: 200)), "too long"),
            ]
            for (path, message) in cases {
                let result = try await authstate("proxy", "https://api.example", "--socket", path)
                #expect(result.status == 64 && result.errors.contains(message), "\(result)")
            }
            #expect(authstate.folder.text("file") == "kept" && !isThere("\(open)/proxy.sock"))
        }

        /// Only root can take on another user and still enter the folder.
        @Test("a program of another user is not served, also where it can enter the folder")
        func otherUser() async throws {
            guard geteuid() == 0 else { return }
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let path = authstate.folder("proxy.sock")
                try await RunningProxy.run(api.base, by: authstate, ["--socket", path]) { _ in
                    let script = """
                        import ctypes, os, socket, sys
                        if sys.argv[2] != "0":
                            os.seteuid(int(sys.argv[2]))
                            # Files are opened by root's rights.
                            ctypes.CDLL(None).setfsuid(0)
                        connection = socket.socket(socket.AF_UNIX)
                        connection.settimeout(20)
                        connection.connect(sys.argv[1])
                        try:
                            connection.sendall(b"GET /items HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
                            print(connection.recv(100)[:12].decode() or "closed")
                        except (BrokenPipeError, ConnectionResetError): print("closed")
                        """
                    for (user, expected) in [("0", "HTTP/1.1 200"), ("65534", "closed")] {
                        let result = try await Program.run([LoginBrowser.python, "-c", script, path, user])
                        #expect(result.output == "\(expected)\n", "\(result)")
                    }
                    #expect(try await api.requests() == ["/v1/items"])
                }
            }
        }
    }
}

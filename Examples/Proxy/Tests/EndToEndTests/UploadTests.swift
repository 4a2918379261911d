import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// `curl` and Python as the local program, with bodies that are larger than what the proxy keeps.
    struct UploadTests {
        @Test(
            "a body of 300 MiB goes through as it is, with its length or in chunks, and not through the memory",
            arguments: [true, false])
        func large(isChunked: Bool) async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 60) { proxy in
                    #expect(try await proxy.curl("/items").status == 200)
                    let before = try proxy.peakMemory()
                    // A file without content: nothing is written to the disk.
                    let file = try authstate.folder.file("large", containing: "")
                    #expect(truncate(file, 300 << 20) == 0)
                    let sum = try await Program.run(["sha256sum", file]).output.prefix(64)
                    let coding = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
                    let answer = try await Curl.run(["\(proxy.url)/items", "-T", file, "--max-time", "120"] + coding)
                    let seen = try answer.json()
                    #expect(seen["length"] == 314_572_800 && seen["method"] == "PUT", "\(answer)")
                    #expect(seen["digest"]?.stringValue == String(sum))
                    #expect((seen["headers"]?["content-length"] == nil) == isChunked)
                    #expect(try proxy.peakMemory() - before < 32 << 20)
                }
            }
        }

        @Test func `an API that reads slowly holds up the program, and not the proxy's memory`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 30) { proxy in
                    let script = """
                        import socket, sys, urllib.parse
                        url = urllib.parse.urlsplit(sys.argv[1])
                        size, sent = 64 << 20, 0
                        connection = socket.create_connection((url.hostname, url.port), timeout=2)
                        head = f"PUT {url.path}/gated HTTP/1.1\\r\\nHost: {url.netloc}\\r\\nContent-Length: {size}\\r\\n\\r\\n"
                        connection.sendall(head.encode())
                        block = bytes(1 << 16)
                        try:
                            while sent < size: sent += connection.send(block)
                        except TimeoutError: pass
                        print(sent, flush=True)
                        connection.settimeout(30)
                        sys.stdin.readline()
                        while sent < size: sent += connection.send(block[:size - sent])
                        print(connection.recv(1 << 16).split()[1].decode(), flush=True)
                        """
                    let program = try Program.start([LoginBrowser.python, "-c", script, proxy.url])
                    let line = try await program.firstLine(within: .seconds(20))
                    // What the sockets and the proxy hold.
                    let sent = try #require(line.flatMap { Int($0) }, "\(program.errors)")
                    #expect(sent < 30 << 20)
                    try await api.open()
                    let result = try await program.result(within: .seconds(30))
                    #expect(result.output.hasSuffix("\n200\n"), "\(result)")
                }
            }
        }

        @Test func `a 401 for a large body is the answer, and the next request has another token`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let first = try await proxy.curl("/items").token
                    func send(_ mebibytes: Double) async throws -> Curl {
                        let count = Int(mebibytes * 1_048_576)
                        let file = try authstate.folder.file("body", containing: String(repeating: "a", count: count))
                        return try await proxy.curl("/upload", "-T", file)
                    }
                    try await api.refuse()
                    let large = try await send(2)
                    #expect(large.status == 401 && large.headers.contains("invalid_token"), "\(large)")
                    #expect(proxy.errors.contains("too large to be sent again"), "\(proxy.errors)")
                    #expect(try await api.requests().count { $0 == "/v1/upload" } == 1)
                    let second = try await send(2)
                    #expect(try second.status == 200 && second.token != first && second.json()["length"] == 2_097_152)
                    // One that is kept is sent again.
                    try await api.refuse()
                    let small = try await send(1)
                    #expect(try small.status == 200 && small.token != second.token, "\(small)")
                    #expect(try await api.requests().count { $0 == "/v1/upload" } == 4)
                }
            }
        }

        @Test func `a token that has expired is renewed before a large body is sent`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let first = try await proxy.curl("/items").token
                    try await authstate.expire()
                    let file = try authstate.folder.file("body", containing: String(repeating: "a", count: 3 << 20))
                    let answer = try await proxy.curl("/upload", "-T", file)
                    #expect(try answer.status == 200 && answer.token != first, "\(answer)")
                    #expect(try await api.requests() == ["/v1/items", "/v1/upload"])
                }
            }
        }

        @Test func `a program that ends in the middle of a body leaves no whole request, and the proxy goes on`()
            async throws
        {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let audit = authstate.folder("audit.jsonl")
                try await RunningProxy.run(api.base, by: authstate, ["--audit", audit]) { proxy in
                    for coding in ["Transfer-Encoding: chunked", "Content-Length: 99999999"] {
                        let before = try await api.received()
                        let sender = try Program.start([
                            LoginBrowser.python, "-c", Self.holder, proxy.url, "/upload", coding,
                        ])
                        try await eventually("the body") {
                            try await api.received() > before + (1 << 20) ? () : nil
                        }
                        sender.send(SIGKILL)
                        _ = try await sender.result()
                    }
                    try await eventually("the ends") {
                        try await api.requests().count { $0 == "broken /v1/upload" } == 2 ? () : nil
                    }
                    #expect(try await proxy.curl("/items").status == 200)
                    let lines = try String(contentsOfFile: audit, encoding: .utf8).split(separator: "\n")
                    #expect(lines.count { $0.contains("/v1/upload") && $0.contains("\"program\"") } == 2, "\(lines)")
                }
            }
        }

        /// Sends 2 MiB of a body that does not end, and waits.
        private static let holder = """
            import socket, sys, time, urllib.parse
            url = urllib.parse.urlsplit(sys.argv[1])
            connection = socket.create_connection((url.hostname, url.port), timeout=10)
            head = f"POST {url.path}{sys.argv[2]} HTTP/1.1\\r\\nHost: {url.netloc}\\r\\n{sys.argv[3]}\\r\\n\\r\\n"
            connection.sendall(head.encode())
            chunk = bytes(1 << 20)
            for _ in range(2): connection.sendall(b"100000\\r\\n" + chunk + b"\\r\\n" if "chunked" in sys.argv[3] else chunk)
            print("sent", flush=True)
            if sys.argv[2] == "/early": print(connection.recv(1 << 16).split()[1].decode(), flush=True)
            time.sleep(60)
            """

        @Test func `an answer that comes before the end of the body is passed on at once`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate) { proxy in
                    let sender = try Program.start([
                        LoginBrowser.python, "-c", Self.holder, proxy.url, "/early", "Transfer-Encoding: chunked",
                    ])
                    try await eventually("the answer") { sender.output == "sent\n413\n" ? () : nil }
                    await sender.end()
                    #expect(try await api.requests() == ["/v1/early"])
                    #expect(try await proxy.curl("/items").status == 200)
                }
            }
        }

        @Test func `a body may take longer than --timeout, each piece may not`() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 2) { proxy in
                    let file = try authstate.folder.file("body", containing: String(repeating: "a", count: 4 << 20))
                    let slow = try await proxy.curl("/upload", "-T", file, "--limit-rate", "1M")
                    #expect(try slow.status == 200 && slow.json()["length"] == 4_194_304, "\(slow)")
                    let sender = try Program.start([
                        LoginBrowser.python, "-c", Self.holder, proxy.url, "/upload", "Transfer-Encoding: chunked",
                    ])
                    #expect(try await sender.firstLine(within: .seconds(20)) == "sent", "\(sender.errors)")
                    try await eventually("the end") {
                        try await api.requests().contains("broken /v1/upload") ? () : nil
                    }
                    await sender.end()
                }
            }
        }
    }
}

extension RunningProxy {
    /// The most bytes of memory that the process has had.
    func peakMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
    }
}

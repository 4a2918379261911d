import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct PlaceTests {
        @Test("a program with the key is served while another user holds as many connections as there are")
        func strangers() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 30) { proxy in
                    let place = "127.0.0.1:\(proxy.port)"
                    let holder = try Program.start([LoginBrowser.python, "-c", Self.holder, place])
                    #expect(try await holder.firstLine(within: .seconds(20)) == "420")
                    let answer = try await proxy.curl("/items", "--max-time", "4")
                    #expect(answer.status == 200, "\(answer)")
                    await holder.end()
                }
            }
        }

        @Test("a proxy with few descriptors serves, also while another user holds connections on both addresses")
        func fewDescriptors() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 30, descriptors: 100) { proxy in
                    let places = ["127.0.0.1:\(proxy.port)", "::1:\(proxy.port)"]
                    let holder = try Program.start([LoginBrowser.python, "-c", Self.holder] + places)
                    #expect(try await holder.firstLine(within: .seconds(20)) == "420")
                    for _ in 0..<3 {
                        let answer = try await proxy.curl("/items", "--max-time", "10")
                        #expect(answer.status == 200, "\(answer)")
                    }
                    #expect(!proxy.program.hasEnded, "\(proxy.errors)")
                    await holder.end()
                }
            }
        }

        /// Opens 420 connections, begins a request on each, and keeps them.
        private static let holder = """
            import socket, sys, time
            held = []
            for place in sys.argv[1:]:
                host, _, port = place.rpartition(":")
                for _ in range(420 // len(sys.argv[1:])):
                    held.append(socket.create_connection((host, int(port)), timeout=10))
            for connection in held: connection.sendall(b"GET / HTTP/1.1\\r\\n")
            print(len(held), flush=True)
            while True: time.sleep(60)
            """

        @Test("ten requests that the API leaves waiting hold up no other one, and end with their programs")
        func waiting() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                try await RunningProxy.run(api.base, by: authstate, limit: 60) { proxy in
                    let programs = try (0..<10).map { _ in try Program.start(["curl", "-sS", "\(proxy.url)/hang"]) }
                    try await eventually("the requests") {
                        try await api.requests().count { $0 == "/v1/hang" } == 10 ? () : nil
                    }
                    #expect(try await proxy.curl("/items", "--max-time", "10").status == 200)
                    for program in programs { program.send(SIGKILL) }
                    try await eventually("the ends", within: .seconds(20)) {
                        try await api.requests().count { $0 == "gone" } == 10 ? () : nil
                    }
                    for program in programs { _ = try await program.result() }
                    #expect(try await proxy.curl("/items").status == 200)
                }
            }
        }

        @Test("requests go on, and the proxy ends when it is told, while its messages are not read")
        func unreadMessages() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                var ends: [Int32] = [0, 0]
                try #require(pipe(&ends) == 0)
                // The smallest pipe that the system makes.
                _ = fcntl(ends[1], 1031, 4096)
                defer { for end in ends { close(end) } }
                let words = [Authstate.path, "proxy", api.base, "--state", authstate.stateFile, "--trace"]
                let child = try Child(
                    words, environment: ProcessInfo.processInfo.environment.merging(authstate.environment) { $1 },
                    output: .file(authstate.folder("url")), errors: .descriptor(ends[1]))
                defer {
                    child.send(SIGKILL)
                    child.wait()
                }
                let url = try await eventually("the URL") {
                    let text = authstate.folder.text("url")
                    return text.hasSuffix("\n") ? String(text.dropLast()) : nil
                }
                let all = try await Program.run([
                    "curl", "-sS", "--max-time", "50", "-o", "/dev/null", "-w", "%{http_code} ", "\(url)/items/[1-150]",
                ])
                #expect(all.output == String(repeating: "200 ", count: 150), "\(all)")
                child.send(SIGTERM)
                let status = try await eventually("the end", within: .seconds(10)) { child.status() }
                #expect(status == 0)
            }
        }
    }
}

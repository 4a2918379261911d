import AuthStateJOSE
import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Without a login, at a server of the tests' own.
    struct BridgeTests {
        @Test func `a line that is no message gets the protocol's error, and the bridge goes on`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/pretty") { host in
                    for line in [
                        "nonsense", "{}", "[]", "7", #"{"jsonrpc":"2.0","id":7}"#, "",
                        "{\"jsonrpc\":\"2.0\",\"method\":7}",
                    ] {
                        host.send(line)
                    }
                    let answer = try await host.answer("tools/list")
                    // A message that a server writes on several lines is one line.
                    #expect(answer["result"]?["text"] == "a\nb")
                    let codes = try host.messages.compactMap { $0["error"]?["code"]?.intValue }
                    #expect(codes == [-32700] + Array(repeating: -32600, count: 5))
                    #expect(try host.messages.contains { $0["id"] == 7 && $0["error"] != nil })
                }
                #expect(try await server.seen().count == 1)
            }
        }

        @Test func `an identifier can be used again as soon as its answer has come`() async throws {
            try await UntidyMCPServer.run { server in
                let script = """
                    import json, subprocess, sys
                    bridge = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                    for _ in range(300):
                        bridge.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\\n')
                        bridge.stdin.flush()
                        answer = json.loads(bridge.stdout.readline())
                        if "error" in answer: sys.exit(str(answer))
                    bridge.stdin.close()
                    sys.exit(bridge.wait())
                    """
                let folder = try TemporaryFolder()
                let result = try await Program.run(
                    [LoginBrowser.python, "-c", script, Authstate.path, "mcp", "\(server.origin)/pretty"],
                    environment: ["XDG_STATE_HOME": folder.path])
                #expect(result.status == 0, "\(result)")
            }
        }

        @Test func `several messages in one line each have their answer`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/pretty") { host in
                    host.send([
                        ["jsonrpc": "2.0", "id": 1, "method": "a"], ["jsonrpc": "2.0", "id": "b", "method": "b"],
                        "none",
                    ])
                    for id in [1, "b", nil] as [JSONValue] { _ = try await host.message("\(id)") { $0["id"] == id } }
                }
            }
        }

        @Test(
            "what is no answer becomes an error of the request that asked",
            arguments: [
                ("page", "text/html"), ("failing", "503: over capacity"), ("other", "another request"),
                ("moved", "redirects to /mcp/"),
                ("nothing", "nothing"), ("accepted", "nothing"), ("garbage", "no message"),
                ("half", "may have been done"), ("lost", "405"),
            ])
        func untidy(path: String, text: String) async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/\(path)") { host in
                    let error = try await host.answer("tools/call", id: "x", ["name": "add"])["error"]
                    #expect(error?["code"]?.intValue == -32603, "\(path): \(String(describing: error))")
                    #expect(error?["message"]?.stringValue?.contains(text) == true, "\(String(describing: error))")
                    #expect(try host.messages.count == 1)
                }
                let posts = try await server.seen().count { $0["line"]?.stringValue?.hasPrefix("POST") == true }
                #expect(posts == 1)
            }
        }

        @Test func `a server that is down is an error with advice, and is asked again by the next request`()
            async throws
        {
            try await BridgeHost.run("http://127.0.0.1:1/mcp") { host in
                for id in [1, 2] as [JSONValue] {
                    let error = try await host.answer("tools/list", id: id)["error"]
                    #expect(error?["data"]?["authstate"]?["code"] == "unreachable")
                    #expect(error?["message"]?.stringValue?.contains("Check the address") == true)
                }
            }
        }

        @Test func `an error of the server's own is passed on, with the identifier of the request`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/refusing") { host in
                    let answer = try await host.answer("server/discover", id: "x", ["_meta": statelessMeta])
                    #expect(answer["error"]?["code"]?.intValue == -32022)
                    #expect(answer["error"]?["data"]?["supported"] == ["x"])
                }
            }
        }

        @Test func `a stream that breaks is resumed behind the last event, and the request is sent once`() async throws
        {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/resume") { host in
                    let answer = try await host.answer("tools/call", id: 5, ["name": "add"])
                    #expect(answer["result"]?["last"] == "3")
                    let steps = try host.messages.compactMap { $0["params"]?["n"]?.intValue }
                    #expect(steps == [1, 2])
                }
                let lines = try await server.seen().map { $0["line"]?.stringValue }
                #expect(lines == ["POST /resume", "GET /resume", "GET /resume"])
            }
        }

        @Test func `messages behind the ones that open a session are sent when it is open`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/ordered") { host in
                    host.send(["jsonrpc": "2.0", "id": 0, "method": "initialize", "params": [:]])
                    host.send(["jsonrpc": "2.0", "method": "notifications/initialized"])
                    let answer = try await host.answer("tools/list", id: 1)
                    #expect(answer["result"]?["early"] == false)
                }
            }
        }

        @Test("a session that the server has ended is opened again once for all requests", arguments: ["", "?400"])
        func endedSession(query: String) async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/session\(query)") { host in
                    try await host.shakeHands()
                    for id in 1...5 as ClosedRange<Int64> {
                        host.send(["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": "tools/list"])
                    }
                    for id in 1...5 as ClosedRange<Int64> {
                        let answer = try await host.message("\(id)") { $0["id"]?.intValue == id }
                        #expect(answer["result"]?["session"] == "session-3")
                    }
                    #expect(try host.messages.count == 6)
                }
                let seen = try await server.seen()
                #expect(seen.count { $0["body"]?["method"] == "initialize" } == 2)
                #expect(seen.count { $0["body"]?["method"] == "notifications/initialized" } == 2)
                #expect(seen.last?["line"] == .string("DELETE /session\(query)"))
                #expect(seen.last?["headers"]?["Mcp-Session-Id"] == "session-3")
                let listing = seen.filter { $0["body"]?["method"] == "tools/list" }
                #expect(listing.allSatisfy { $0["headers"]?["MCP-Protocol-Version"] == "2025-11-25" })
            }
        }

        @Test func `a session that is opened half way is given up, and the next request opens another`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/halfway") { host in
                    try await host.shakeHands()
                    #expect(try await host.answer("tools/list", id: 1)["error"] != nil)
                    #expect(try await host.answer("tools/list", id: 2)["result"]?["session"] == "session-3")
                }
            }
        }

        @Test(
            "a session that the server refuses with 401 is opened again; neither that nor its other 401 end the login")
        func refusedSession() async throws {
            try await ForgetfulServer.run { server in
                let user = try Authstate()
                for run in 1...2 {
                    let host = try BridgeHost(
                        ["\(server.issuer)/mcp", "--timeout", "20", "--browser-command", user.walker()],
                        environment: ["XDG_STATE_HOME": user.folder("state")])
                    try await host.shakeHands()
                    let before = try await host.answer("tools/list", id: 0)
                    #expect(before["result"]?["session"] != nil, "\(before)")
                    try await server.tell("lose")
                    for id in 1...3 as ClosedRange<Int64> {
                        host.send(["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": "tools/list"])
                    }
                    for id in 1...3 as ClosedRange<Int64> {
                        let answer = try await host.message("\(id)") { $0["id"]?.intValue == id }
                        #expect(answer["result"]?["session"]?.intValue == Int64(2 * run), "\(answer)")
                    }
                    host.end()
                    #expect(try await host.program.result().status == 0)
                }
                #expect(try await server.seen(at: "/authorize").count == 1)
            }
        }

        @Test("a call that is always refused shows one page, and one whose answer cannot be resumed shows none")
        func refusedCall() async throws {
            try await ForgetfulServer.run { server in
                let user = try Authstate()
                let host = try BridgeHost(
                    ["\(server.issuer)/mcp", "--timeout", "20", "--browser-command", user.walker()],
                    environment: ["XDG_STATE_HOME": user.folder("state")])
                try await host.shakeHands()
                let echo = try await host.answer("tools/call", id: 0, ["name": "echo"])["error"]?["message"]?
                    .stringValue
                #expect(echo?.contains("authorization") == true && echo?.contains("token-") == false)
                #expect(try await host.answer("tools/call", id: 1, ["name": "broken"])["error"] != nil)
                #expect(try await host.answer("tools/list", id: 2)["result"] != nil)
                #expect(try await server.seen(at: "/authorize").count == 1)
                try await server.tell("stubborn")
                for id in [3, 4] as [JSONValue] {
                    let error = try await host.answer("tools/call", id: id, ["name": "stubborn"])["error"]
                    let text = error?["message"]?.stringValue ?? ""
                    #expect(text.contains("does not accept the new login"), "\(text)")
                }
                #expect(try await server.seen(at: "/authorize").count == 2)
                #expect(try await host.answer("tools/list", id: 5)["result"] != nil)
                host.end()
                #expect(try await host.program.result().status == 0)
            }
        }

        @Test func `messages outside of answers come at once after parts of their stream that brought none`()
            async throws
        {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/quiet") { host in
                    try await host.shakeHands()
                    _ = try await host.message("the message") { $0["params"]?["n"] == 12 }
                }
            }
        }

        @Test func `messages outside of answers come again after the server has failed for a while`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/faltering") { host in
                    try await host.shakeHands()
                    _ = try await host.message("the first") { $0["params"]?["n"] == 1 }
                    try await eventually("the end of listening") {
                        host.program.errors.contains("do not come at present") ? () : nil
                    }
                    _ = try await host.answer("ping")
                    _ = try await host.message("the next") { $0["params"]?["n"] == 7 }
                }
            }
        }

        @Test func `messages outside of answers come, also after their stream has ended`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/events") { host in
                    try await host.shakeHands()
                    for number in 1...3 as ClosedRange<Int64> {
                        _ = try await host.message("\(number)") { $0["params"]?["n"]?.intValue == number }
                    }
                }
            }
        }

        @Test func `a server of the transport before is used over its stream, which is opened again`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/old") { host in
                    #expect(try await host.shakeHands()["result"]?["protocolVersion"] == "2024-11-05")
                    #expect(try await host.answer("tools/list", id: 1)["result"]?["method"] == "tools/list")
                    let error = try await host.answer("hangup", id: 2)["error"]
                    #expect(error?["message"]?.stringValue?.contains("may have been done") == true)
                    // Requests that come while the stream is opened again wait for it.
                    for id in 3...6 as ClosedRange<Int64> {
                        host.send(["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": "tools/list"])
                    }
                    for id in 3...6 as ClosedRange<Int64> {
                        let answer = try await host.message("\(id)") { $0["id"]?.intValue == id }
                        #expect(answer["result"]?["method"] == "tools/list", "\(answer)")
                    }
                }
                let seen = try await server.seen()
                #expect(seen.count { $0["line"] == "GET /old" } == 2)
                #expect(seen.count { $0["body"]?["method"] == "tools/list" } == 5)
                #expect(
                    seen.count { $0["body"]?["method"] == "initialize" && $0["line"] == "POST /old/messages?session=1" }
                        == 2)
            }
        }

        @Test("a request that the host cancels has no answer, and the server notices", arguments: [true, false])
        func cancelled(isStateless: Bool) async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/slow") { host in
                    if !isStateless { try await host.shakeHands() }
                    let meta: JSONValue = isStateless ? statelessMeta : [:]
                    host.send([
                        "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": ["name": "slow", "_meta": meta],
                    ])
                    try await eventually("the call") {
                        try? await server.seen().first { $0["body"]?["id"] == 4 }.map { _ in }
                    }
                    host.send([
                        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": 4],
                    ])
                    try await eventually("the end of the exchange") {
                        try? await server.seen().first { $0["line"] == "closed" }.map { _ in }
                    }
                    // The identifier can be used again.
                    host.send(["jsonrpc": "2.0", "id": 4, "method": "ping", "params": ["_meta": meta]])
                    let answer = try await host.message("ping") { $0["id"] == 4 }
                    #expect(answer["result"] != nil)
                }
                let told = try await server.seen().contains { $0["body"]?["method"] == "notifications/cancelled" }
                // Since 2026-07-28 the end of the exchange says it.
                #expect(told == !isStateless)
            }
        }

        @Test func `a call repeats what the server wants in headers, also where that has changed since it was listed`()
            async throws
        {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/mirrored") { host in
                    let list = try await host.answer("tools/list", id: 1, ["_meta": statelessMeta])
                    // A tool whose header breaks the rules is left out, as the protocol demands.
                    #expect(list["result"]?["tools"]?.arrayValue?.map { $0["name"] } == ["plain"])
                    let params: JSONValue = [
                        "name": "plain", "arguments": ["region": "eu"], "_meta": statelessMeta,
                    ]
                    let called = try await host.answer("tools/call", id: 2, params)
                    #expect(called["result"]?["name"] == "plain" && called["result"]?["method"] == "tools/call")
                    #expect(host.program.errors.contains("The tool bad is left out"))
                }
                let calls = try await server.seen().count { $0["body"]?["method"] == "tools/call" }
                #expect(calls == 2)
            }
        }

        @Test func `no login is made to listen, or to close the session`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/closing") { host in
                    try await host.shakeHands()
                    try await eventually("the listener") {
                        try? await server.seen().first { $0["line"] == "GET /closing" }.map { _ in }
                    }
                }
                let lines = try await server.seen().compactMap { $0["line"]?.stringValue }
                #expect(lines.last == "DELETE /closing" && !lines.contains { $0.contains("well-known") }, "\(lines)")
            }
        }

        @Test func `a session that cannot be opened again holds up no end`() async throws {
            try await UntidyMCPServer.run { server in
                let folder = try TemporaryFolder()
                let host = try BridgeHost(
                    ["\(server.origin)/stuck"], environment: ["XDG_STATE_HOME": folder.path])
                try await host.shakeHands()
                host.send(["jsonrpc": "2.0", "id": 4, "method": "tools/list"])
                try await eventually("the second session") {
                    try? await server.seen().count { $0["body"]?["method"] == "initialize" } == 2 ? () : nil
                }
                host.program.send(SIGTERM)
                #expect(try await host.program.result(within: .seconds(8)).status == 0, "\(host.program.errors)")
                host.end()
            }
        }

        @Test(
            "an answer that does not end in time is an error",
            arguments: [("comments", "405"), ("slowbody", "2 seconds")])
        func late(path: String, text: String) async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/\(path)", timeout: 2) { host in
                    let error = try await host.answer("initialize")["error"]
                    #expect(error?["message"]?.stringValue?.contains(text) == true, "\(String(describing: error))")
                }
            }
        }

        @Test func `a server may ask the host before it answers the first message`() async throws {
            try await UntidyMCPServer.run { server in
                try await BridgeHost.run("\(server.origin)/pinging") { host in
                    host.send(["jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [:]])
                    _ = try await host.message("the question") { $0["method"] == "ping" }
                    host.send(["jsonrpc": "2.0", "id": "ping-1", "result": [:]])
                    let answer = try await host.message("the answer") { $0["id"] == 1 }
                    #expect(answer["result"]?["answered"] == true)
                }
            }
        }

        @Test func `a server that refuses every token is told once, and not with a page for each request`() async throws
        {
            try await ForgetfulServer.run { server in
                try await server.tell("denies=1")
                let user = try Authstate()
                let host = try BridgeHost(
                    ["\(server.issuer)/one", "--timeout", "20", "--browser-command", user.walker()],
                    environment: ["XDG_STATE_HOME": user.folder("state")])
                for id in 1...4 as ClosedRange<Int64> {
                    host.send(["jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": "tools/list"])
                }
                for id in 1...4 as ClosedRange<Int64> {
                    let answer = try await host.message("\(id)") { $0["id"]?.intValue == id }
                    let text = answer["error"]?["message"]?.stringValue ?? ""
                    #expect(text.contains("does not accept the new login"), "\(answer)")
                }
                _ = try await host.answer("tools/list", id: 5)
                #expect(try await server.seen(at: "/authorize").count == 1)
                host.end()
                #expect(try await host.program.result().status == 0)
            }
        }

        @Test func `requests in progress are answered after the host's end of input`() async throws {
            try await UntidyMCPServer.run { server in
                let messages = try await BridgeHost.run("\(server.origin)/resume") { host in
                    host.send(["jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["name": "add"]])
                    return host
                }.messages
                #expect(messages.contains { $0["id"] == 1 && $0["result"] != nil })
            }
        }

        @Test func `a bridge that is interrupted ends at once and well`() async throws {
            try await UntidyMCPServer.run { server in
                let folder = try TemporaryFolder()
                let host = try BridgeHost(
                    ["\(server.origin)/slow"], environment: ["XDG_STATE_HOME": folder.path])
                host.send(["jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": ["name": "slow"]])
                try await eventually("the call") {
                    try? await server.seen().first { $0["body"]?["id"] == 4 }.map { _ in }
                }
                host.program.send(SIGTERM)
                #expect(try await host.program.result(within: .seconds(5)).status == 0, "\(host.program.errors)")
                host.end()
            }
        }
    }
}

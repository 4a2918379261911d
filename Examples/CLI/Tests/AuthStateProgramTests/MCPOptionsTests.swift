import ArgumentParser
import AuthStateKit
import Foundation
import MCPClient
import Testing

@testable import AuthStateProgram

struct MCPOptionsTests {
    private let url = "https://mcp.example/mcp"

    @Test(
        "a server's login is named after its URL, unless the user names it",
        arguments: [
            ("https://mcp.example", "mcp.example"), ("https://mcp.example/mcp", "mcp.example+mcp"),
            ("https://mcp.example:8443/a/b", "mcp.example:8443+a+b"), ("http://127.0.0.1:81/a", "127.0.0.1:81+a"),
            ("https://mcp.example/a+b", "mcp.example+a%2Bb"), ("https://mcp.example/?a=1", "mcp.example+%3Fa%3D1"),
        ])
    func profile(url: String, name: String) throws {
        #expect(try MCP.parse([url]).common.profile == name)
        #expect(try MCP.parse([url, "--profile", "notes"]).common.profile == "notes")
    }

    @Test(
        "what cannot be is refused, with the option in the message",
        arguments: [
            (["--state", "s"], "--state"), (["--json"], "--json"), (["--report", "r.html"], "--report"),
            (["--paste"], "--paste"),
            (["--grant", "ciba", "--login-hint", "ada"], "mcp goes without --grant ciba"),
            (["--private-key", "k"], "With mcp, --private-key"), (["--issuer", "https://op.example"], "--issuer"),
            (["--for", "https://x.example"], "--for"),
        ])
    func refused(options: [String], text: String) {
        let error = #expect(throws: (any Error).self) { try MCP.parse([url] + options) }
        let message = error.map { MCP.message(for: $0) } ?? ""
        #expect(message.contains(text), "\(message)")
    }

    @Test func `the options of a login for an API become those of the login`() throws {
        let words = [url, "--client-metadata-url", "https://app.example/c.json", "--scope", "a b", "--dpop"]
        let login = try MCP.parse(words).login
        #expect(login.resource.url == url && login.resource.documentURL == "https://app.example/c.json")
        #expect(login.tokens.scope == "a b" && login.tokens.isBound && login.common.profile == "mcp.example+mcp")
    }
}

struct MCPExtensionTests {
    @Test(
        "declares the protocol's extension for a login without a page",
        arguments: [
            (#"{"alg":"ES256","typ":"oauth-id-jag+jwt"}"#, "enterprise-managed-authorization"),
            // A platform's token for a workload.
            (#"{"alg":"ES256","typ":"JWT"}"#, "auth/wif"), (#"{"alg":"RS256"}"#, "auth/wif"),
        ])
    func assertion(header: String, name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let encoded = Data(header.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
        try Data("\(encoded.replacing("/", with: "_")).e30.AA\n".utf8).write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = ["https://mcp.example/mcp", "--grant", "jwt-bearer", "--issuer", "https://op.example"]
        let found = try MCP.parse(words + ["--assertion-file", folder.path]).extensions
        #expect(found == ["io.modelcontextprotocol/\(name)"])
        let own = ["--grant", "jwt-bearer", "--client-id", "job", "--private-key", folder.path]
        #expect(try MCP.parse([words[0]] + own).extensions.isEmpty)
    }

    @Test func `a login by the client's own secret has its extension, and one of a user none`() throws {
        let url = "https://mcp.example/mcp"
        let machine = ["--grant", "client-credentials", "--client-id", "job", "--client-secret-env", "SECRET"]
        #expect(try MCP.parse([url] + machine).extensions == ["io.modelcontextprotocol/oauth-client-credentials"])
        #expect(try MCP.parse([url]).extensions.isEmpty)
    }
}

struct RunProxyOptionsTests {
    @Test(
        "what does not go together is refused",
        arguments: [
            (["--allow", "GET /"], "--allow goes with --proxy"), (["--audit", "f"], "--audit goes with --proxy"),
            (["--socket", "s"], "--socket goes with --proxy"), (["--confirm", "each"], "--confirm goes with --proxy"),
            (["--proxy", "https://api.example", "--fd", "3"], "without --fd"),
            (["--proxy", "https://api.example", "--min-validity", "3"], "without --min-validity"),
        ])
    func refused(options: [String], text: String) {
        let error = #expect(throws: (any Error).self) { try Run.parse(options + ["--", "true"]) }
        #expect(error.map { Run.message(for: $0) }?.contains(text) == true)
    }
}

struct BridgedMessageTests {
    private func message(_ text: String) throws -> BridgedMessage {
        try #require(BridgedMessage.read(Data(text.utf8)).first).get()
    }

    @Test(
        "roles are told apart",
        arguments: [
            (#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, BridgedMessage.Kind.request(id: 1)),
            (#"{"jsonrpc":"2.0","id":"x","method":"a"}"#, .request(id: "x")),
            (#"{"jsonrpc":"2.0","method":"a"}"#, .notification), (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, .response),
            (#"{"jsonrpc":"2.0","id":null,"error":{}}"#, .response),
        ])
    func kinds(text: String, kind: BridgedMessage.Kind) throws {
        #expect(try message(text).kind == kind)
    }

    @Test(
        "what is no message says what is missing, with the identifier where it is known",
        arguments: [
            (#"{"jsonrpc":"2.0","id":1}"#, 1), (#"{"id":"x","method":"a"}"#, "x"),
            (#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, nil), (#"{"jsonrpc":"2.0","id":2,"method":3}"#, 2),
            ("null", nil),
        ] as [(String, JSONValue)])
    func failures(text: String, id: JSONValue) throws {
        let error = #expect(throws: BridgeFailure.self) { try message(text) }
        let line = try JSONValue(parsing: try #require(error).line())
        #expect(line["error"]?["code"]?.intValue == -32600 && line["id"] == id)
    }

    @Test(
        "extensions are added to the capabilities that a message has, and to nothing else",
        arguments: [
            (
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":{}},"a":1}}"#,
                #"{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"a":1,"capabilities":{"extensions":{"x":{}},"roots":{}}}}"#
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"x":{"b":1},"y":{}}}}}}"#,
                #"{"id":1,"jsonrpc":"2.0","method":"a","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"x":{"b":1},"y":{}}}}}}"#
            ),
            (#"{"jsonrpc":"2.0","method":"a", "params":{}}"#, #"{"jsonrpc":"2.0","method":"a", "params":{}}"#),
        ])
    func extensions(text: String, declared: String) throws {
        #expect(try String(decoding: message(text).declaring(["x"]).bytes, as: UTF8.self) == declared)
        #expect(try message(text).declaring([]).bytes == Data(text.utf8))
    }

    @Test func `a member that occurs twice is no member where the transport reads it`() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":{"b":1,"b":2},"capabilities":{}}}"#
        let error = #expect(throws: BridgeFailure.self) { try message(text).declaring(["x"]) }
        #expect(error?.code == .parseError && error?.message.contains("twice") == true)
        let answer = try message(#"{"jsonrpc":"2.0","id":1,"result":{"b":1,"b":2}}"#)
        #expect(throws: BridgeFailure.self) { try answer.whole() }
    }

    @Test func `an event is text with replacement characters where it is not UTF-8`() throws {
        var parser = EventStreamParser()
        let bytes = Data("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"".utf8) + [0xC3] + Data("\"}\n\n".utf8)
        let event = try #require(parser.read(bytes).first)
        let answer = try #require(BridgedMessage.read(event).first).get()
        #expect(try answer.whole()["result"] == "\u{FFFD}")
    }

    @Test func `line breaks between tokens become blanks, and everything else stays as it is`() throws {
        let message = try message("{\"jsonrpc\":\r\n \"2.0\", \"method\": \"a\\n\", \"b\": 1.50}")
        #expect(String(decoding: message.line, as: UTF8.self) == #"{"jsonrpc":   "2.0", "method": "a\n", "b": 1.50}"#)
    }
}

@Suite(.timeLimit(.minutes(5))) struct LinesTests {
    /// Writes chunks into a pipe, and returns the lines that are read.
    private func lines(_ chunks: [String], limit: Int = 100) async throws -> [LineInput.Line] {
        let pipe = Pipe()
        let input = LineInput(descriptor: pipe.fileHandleForReading.fileDescriptor, limit: limit)
        for chunk in chunks { try pipe.fileHandleForWriting.write(contentsOf: Data(chunk.utf8)) }
        try pipe.fileHandleForWriting.close()
        var lines: [LineInput.Line] = []
        for await line in input { lines.append(line) }
        return lines
    }

    @Test func `each is whole, also the last one without its end`() async throws {
        #expect(
            try await lines(["a\nb", "c\n\n", "d"]) == ["a", "bc", "", "d"].map { .whole(Data($0.utf8)) })
        #expect(try await lines([]).isEmpty)
        // None keeps the memory of the line before it.
        for case .whole(let line) in try await lines(["a\nb\n", "c\n"]) { #expect(line.startIndex == 0) }
    }

    @Test func `one that is too long is told, and the next one is read`() async throws {
        let long = String(repeating: "x", count: 150_000)
        #expect(
            try await lines(["a\n", String(long.prefix(60_000)), "\nb\n"], limit: 1000)
                == [.whole(Data("a".utf8)), .tooLong, .whole(Data("b".utf8))])
    }

    @Test func `a last line without its end that is too long is told too`() async throws {
        let long = String(repeating: "x", count: 2000)
        #expect(try await lines(["a\n", long], limit: 1000) == [.whole(Data("a".utf8)), .tooLong])
    }

    @Test func `lines are written in order, the one that the pipe has no room for as its reader takes it`() async throws
    {
        let pipe = Pipe()
        let output = LineOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let written = ["a", String(repeating: "b", count: 300_000), "c", ""].map { Data($0.utf8) }
        try await output.write(written[0])
        let long = Task { try await output.write(written[1]) }
        // The pipe is full when the rest waits for the reader.
        let writing = pipe.fileHandleForWriting.fileDescriptor
        for _ in 0..<1_000_000 {
            if !isReady(writing, for: POLLOUT, milliseconds: 0) { break }
            await Task.yield()
        }
        let short = Task {
            try await output.write(written[2])
            try await output.write(written[3])
            try pipe.fileHandleForWriting.close()
        }
        var read: [LineInput.Line] = []
        for await line in LineInput(descriptor: pipe.fileHandleForReading.fileDescriptor) { read.append(line) }
        #expect(read == written.map { .whole($0) })
        try await long.value
        try await short.value
    }

    @Test func `lines of many tasks stay whole`() async throws {
        let pipe = Pipe()
        let output = LineOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let written = (100..<300).map { Data(String(repeating: "\($0) ", count: 20_000).utf8) }
        let writing = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for line in written { group.addTask { try await output.write(line) } }
                try await group.waitForAll()
            }
            try pipe.fileHandleForWriting.close()
        }
        var read: Set<Data> = []
        for await line in LineInput(descriptor: pipe.fileHandleForReading.fileDescriptor) {
            guard case .whole(let line) = line else { continue }
            read.insert(line)
        }
        #expect(read == Set(written))
        try await writing.value
    }

    @Test func `a line without a reader is an error`() async throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let output = LineOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        await #expect(throws: CancellationError.self) { try await output.write(Data("a".utf8)) }
    }

    @Test func `reading ends with the task`() async throws {
        let pipe = Pipe()
        let input = LineInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let task = Task {
            for await _ in input {}
            return true
        }
        task.cancel()
        #expect(await task.value)
        try pipe.fileHandleForWriting.close()
    }
}

struct TimeLimitTests {
    @Test func `a body that takes too long is cancelled and told, others have their result`() async throws {
        let failure = BridgeFailure(.internalError, "The server's answer did not end within 0 seconds.")
        await #expect(throws: failure) {
            try await within(.milliseconds(20)) { try await Task.sleep(for: .seconds(60)) }
        }
        #expect(try await within(.seconds(60)) { 1 } == 1)
        await #expect(throws: failure) {
            try await within(.milliseconds(20)) { try await Task.sleep(for: .seconds(60)) }
        }
    }

    @Test func `a body ends with its caller`() async throws {
        let task = Task { try await within(.seconds(60)) { try await Task.sleep(for: .seconds(60)) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

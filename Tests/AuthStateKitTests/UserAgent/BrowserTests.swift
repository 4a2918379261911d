import AuthStateFoundation
import AuthStateLibc
import AuthStateOAuth
import Testing

@testable import AuthStateKit
@testable import AuthStateUserAgent

// One at a time. A shell reads the scripts: the kernel runs none that was written while another test started a process.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BrowserTests {
    private static let page = "https://op.example/authorize?a=%5B1%5D&b=c+d;$(touch%20x)'&scope=openid%20email"

    /// Runs the body with a script that notes its arguments, one a line, and then ends with a status.
    private func withScript<R>(
        ending status: Int32 = 0, _ body: (_ script: String, _ notes: @Sendable () -> String) async throws -> R
    ) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser \(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (script, notes) = (folder.path + "/browser.sh", folder.path + "/notes")
        let text = """
            #!/bin/sh
            echo noise; echo "noise at $*" >&2; echo "no display" >&2
            { echo "$PPID"; printf '%s\\n' "$@"; } > '\(notes).new'
            mv '\(notes).new' '\(notes)'
            exit \(status)

            """
        try Data(text.utf8).write(to: URL(filePath: script))
        chmod(script, 0o700)
        return try await body(script) {
            (try? Data(contentsOf: URL(filePath: notes))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    private func prepare(_ browser: Browser, _ clock: StillClock = StillClock()) async throws
        -> any ExternalUserAgentSession
    {
        try await LoopbackUserAgent(browser: browser, clock: clock).prepare(redirectURI: nil, for: .login)
    }

    @Test("a command gets exactly the URL as its one last argument, from no shell")
    func exactArgument() async throws {
        try await withScript { script, notes in
            let url = try #require(URL(string: Self.page))
            let browser = Browser.command(["/bin/sh", script, "--new window"])
            try browser.open(url, stage: .authorization) { Issue.record("\($0)") }
            try await eventually { !notes().isEmpty }
            #expect(notes() == "\(getpid())\n--new window\n\(Self.page)\n")
        }
    }

    @Test("a command inherits no variable that a secret or key was read from, or that the program withholds")
    func environment() async throws {
        let names = (0..<4).map { _ in TestVariable.name() }
        for name in names { setenv(name, String(repeating: "s", count: 43), 1) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser \(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (script, notes) = (folder.path + "/browser.sh", folder.path + "/notes")
        let text = "env > '\(notes).new'\nmv '\(notes).new' '\(notes)'\n"
        try Data(text.utf8).write(to: URL(filePath: script))
        // A login that ends before it begins is enough: the credential is resolved first.
        let service = AuthorizationService()
        let endpoint = try #require(URL(string: Self.page))
        let request = AuthorizationRequest(
            Client(ProviderConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint), id: "c"),
            scopes: ["read"], redirectURI: try RedirectURI("app:/cb"))
        _ = try? await service.authorize(request.with(.environment(names[0])), presenting: LoopbackUserAgent())
        _ = try? SealingKey(environment: names[1])
        let browser = Browser.command(["/bin/sh", script]).withholding([names[2]])
        try browser.open(try #require(URL(string: Self.page)), stage: .authorization) { Issue.record("\($0)") }
        try await eventually { FileManager.default.fileExists(atPath: notes) }
        let seen = String(decoding: try Data(contentsOf: URL(filePath: notes)), as: UTF8.self)
        for name in names[..<3] { #expect(!seen.contains("\(name)=")) }
        #expect(seen.contains("\(names[3])=") && seen.contains("PATH="))
    }

    @Test func `a command that succeeds leaves the flow waiting, and no zombie`() async throws {
        try await withScript { script, notes in
            let session = try await prepare(.command(["/bin/sh", script]))
            let callback = Task { try await session.present(try #require(URL(string: Self.page))) }
            try await eventually { !notes().isEmpty }
            try await eventually { zombies(named: "browser.sh") == 0 }
            let (port, address) = (session.redirectURI.port ?? 0, notes().split(separator: "\n").last ?? "")
            let visit = try #require(URL(string: String(address))).path
            let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
            let cookie = try await TestSocket.exchange("GET \(visit) \(head)\r\n", port: port).cookie
            let reply = Task {
                try await TestSocket.exchange("GET /callback?code=1 \(head)Cookie: \(cookie)\r\n\r\n", port: port)
            }
            #expect(try await callback.value.url.hasSuffix("code=1"))
            await session.finish(.completed)
            #expect(try await reply.value.httpStatus == 200)
        }
    }

    @Test("a command that fails ends the flow")
    func fails() async throws {
        try await withScript(ending: 3) { script, _ in
            let session = try await prepare(.command(["/bin/sh", script]))
            let error = await #expect(throws: AuthStateError.self) {
                try await session.present(try #require(URL(string: Self.page)))
            }
            #expect(error?.code == .browserUnavailable && error?.hint != nil)
            #expect(error?.message.contains("3") == true)
            // The command's own message helps; the address with the login's parameters is not repeated.
            let origin = URIReference(session.redirectURI.rawValue).origin
            #expect(error?.received == "noise at \(origin)/… / no display")
            await session.finish(.cancelled)
        }
    }

    #if os(Linux)
        @Test func `the warnings of a browser that goes on running take a fixed amount of memory`() throws {
            let output = ErrorOutput()
            let file = try #require(output.descriptor)
            let line = Array("a warning\n".utf8)
            for _ in 0..<10_000 { _ = write(file, line, line.count) }
            #expect(lseek(file, 0, SEEK_END) == ErrorOutput.Lines.limit)
            #expect(output.lastLines.text?.hasPrefix("a warning / a warning") == true)
        }
    #endif

    @Test(
        "a command that is not there is an error at once",
        arguments: [[], ["no-such-browser-anywhere"], ["/nonexistent"]])
    func missing(words: [String]) async throws {
        let session = try await prepare(.command(words))
        let error = await #expect(throws: AuthStateError.self) {
            try await session.present(try #require(URL(string: Self.page)))
        }
        #expect(error?.code == .browserUnavailable)
        await session.finish(.cancelled)
    }

    @Test(
        "only web addresses are opened",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "ftp://op.example/", "https:///nohost", "mailto:a@b.example",
            "https://user:password@op.example/", "--help", "x-app://op.example/",
        ])
    func schemes(text: String) async throws {
        try await withScript { script, notes in
            let session = try await prepare(.command(["/bin/sh", script]))
            let url = try #require(URL(string: text))
            let error = await #expect(throws: AuthStateError.self) { try await session.present(url) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains("password@") != true)
            #expect(notes().isEmpty)
            await session.finish(.cancelled)
        }
    }

    @Test func `an error that a program's own function throws ends the flow`() async throws {
        struct Closed: Error {}
        let session = try await prepare(.custom { _ in throw Closed() })
        await #expect(throws: Closed.self) { try await session.present(try #require(URL(string: Self.page))) }
        await session.finish(.cancelled)
    }

    @Test func `a command line is split as a shell would, without its expansions`() throws {
        let table: [(String, [String])] = [
            ("", []), ("  a  b ", ["a", "b"]), ("a 'b c' \"d e\"", ["a", "b c", "d e"]), (#"a\ b"#, ["a b"]),
            (#""a\"b\\c\n""#, [#"a"b\c\n"#]), (#"'a\b'"#, [#"a\b"#]), ("a'b'\"c\"", ["abc"]), ("'' \"\"", ["", ""]),
            ("$HOME * `x` | ;", ["$HOME", "*", "`x`", "|", ";"]), ("a\tb\nc", ["a", "b", "c"]),
        ]
        for (line, words) in table { #expect(try Browser.split(line) == words, "\(line)") }
        for line in ["'a", "\"a", "a\\", "\"a\\\""] {
            #expect(throws: AuthStateError.self, "\(line)") { try Browser.split(line) }
        }
    }
}

/// The number of ended children of this process with this name that were not waited for.
private func zombies(named name: String) -> Int {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return folders.count { folder in
        guard Int32(folder) != nil, let data = FileManager.default.contents(atPath: "/proc/\(folder)/stat") else {
            return false
        }
        let text = String(decoding: data, as: UTF8.self)
        return text.contains("(\(name))") && text.contains(") Z \(getpid()) ")
    }
}

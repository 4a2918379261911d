import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateUserAgent
import Testing

@Suite(.timeLimit(.minutes(5))) struct PasteUserAgentTests {
    /// The texts that were shown and said, and the lines that are still to be read.
    private struct Script: Sendable {
        var lines: [String?]
        var shown: [String] = []
        var said: [String] = []
    }

    private final class Terminal: Sendable {
        private let script: Lock<Script>
        init(_ lines: [String?]) { script = Lock(Script(lines: lines)) }
        var shown: [String] { script.withLock { $0.shown } }
        var said: [String] { script.withLock { $0.said } }

        var agent: PasteUserAgent {
            PasteUserAgent(
                show: { url in self.script.withLock { $0.shown.append(url.absoluteString) } },
                read: { self.script.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() } },
                explain: { text in self.script.withLock { $0.said.append(text) } })
        }
    }

    private func run(
        _ lines: [String?], _ redirectURI: String = "https://app.example/cb", for purpose: UserAgentPurpose = .login
    ) async throws -> (callback: AuthorizationCallback, terminal: Terminal) {
        let terminal = Terminal(lines)
        let session = try await terminal.agent.prepare(redirectURI: RedirectURI(redirectURI), for: purpose)
        let callback = try await session.present(LoopbackTrip.page)
        await session.finish(.completed)
        #expect(terminal.shown == [LoopbackTrip.page.absoluteString])
        return (callback, terminal)
    }

    @Test(
        "the whole address or its parameters are read, with the characters that come along when copying",
        arguments: [
            "https://app.example/cb?code=1&state=2", "  <https://app.example/cb?code=1&state=2>\r", "?code=1&state=2",
            "code=1&state=2", "\"code=1&state=2\"",
        ])
    func accepts(line: String) async throws {
        let (callback, terminal) = try await run([line])
        #expect(callback.url == "https://app.example/cb?code=1&state=2")
        #expect(terminal.said.isEmpty)
    }

    @Test("a fragment stays one")
    func fragment() async throws {
        #expect(try await run(["#code=1"]).callback.url == "https://app.example/cb#code=1")
        let whole = "https://app.example/cb#error=access_denied&state=2"
        #expect(try await run([whole]).callback.url == whole)
    }

    @Test func `nonsense is asked for again, three times in all`() async throws {
        let good = "https://app.example/cb?code=1"
        let (callback, terminal) = try await run(["https://op.example/authorize?code=1", "hello", good])
        #expect(callback.url == good)
        #expect(terminal.said.count == 2 && terminal.said.allSatisfy { $0.contains("https://app.example/cb") })
        let error = await #expect(throws: AuthStateError.self) {
            try await run([
                "https://app.example/cb", "https://evil.example/&code=1", "https://evil.example/cb?code=1", good,
            ])
        }
        #expect(error?.code == .callbackMismatch)
    }

    @Test("an empty line or the end of input cancels the login", arguments: [nil, "", "  "])
    func givesUp(line: String?) async throws {
        let error = await #expect(throws: AuthStateError.self) { try await run([line]) }
        #expect(error?.code == .cancelled && error?.stage == .authorization)
    }

    @Test("a logout takes the address of its end too")
    func logout() async throws {
        #expect(try await run(["https://app.example/cb"], for: .logout).callback.url == "https://app.example/cb")
        let error = await #expect(throws: AuthStateError.self) { try await run([nil], for: .logout) }
        #expect(error?.code == .cancelled && error?.stage == .logout)
    }

    @Test func `any free port is one where nothing listens`() async throws {
        let agent = Terminal([]).agent
        for uri in [nil, "http://127.0.0.1:0/callback"] {
            let session = try await agent.prepare(redirectURI: uri.map { try RedirectURI($0) }, for: .login)
            #expect(session.redirectURI.rawValue == "http://127.0.0.1:49151/callback")
        }
        let kept = try await agent.prepare(redirectURI: RedirectURI("app.example:/cb"), for: .login)
        #expect(kept.redirectURI.rawValue == "app.example:/cb")
    }

    @Test func `only web addresses are shown`() async throws {
        let terminal = Terminal(["code=1"])
        let session = try await terminal.agent.prepare(redirectURI: nil, for: .login)
        let url = try #require(URL(string: "javascript:alert(1)"))
        await #expect(throws: AuthStateError.self) { try await session.present(url) }
        #expect(terminal.shown.isEmpty)
    }
}

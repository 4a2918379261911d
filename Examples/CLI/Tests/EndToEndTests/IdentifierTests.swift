import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// A login that begins with a user's address, at a provider that answers WebFinger.
@Suite(.timeLimit(.minutes(5)))
struct IdentifierTests {
    private let authstate: Authstate
    private let provider: OpenIDProvider

    init() async throws { (authstate, provider) = (try Authstate(), try await OpenIDProvider()) }

    private var login: [String] {
        [
            "login", "--identifier", "acct:ada@127.0.0.1:\(provider.port)", "--client-id", "app", "--json",
            "--browser-command", authstate.browser.commandLine(),
        ]
    }

    @Test("finds the issuer, which has to be allowed, and shows the ID token's claims")
    func allowed() async throws {
        let result = try await authstate(login + ["--allow-issuer", provider.issuer])
        #expect(result.status == 0, "\(result)")
        #expect(try result.json()["issuer"]?.stringValue == provider.issuer)
        let status = try await authstate.json("status", "--claims")
        let claims = try #require(status["id_token_claims"])
        #expect(claims["iss"]?.stringValue == provider.issuer && claims["aud"] == "app")
        #expect(claims["sub"] == status["subject"] && claims["exp"] != nil)
        #expect(try await authstate.json("status")["id_token_claims"] == nil)
    }

    @Test("a script that allows no issuer, or another one, is not sent to it", arguments: [[], ["https://op.example"]])
    func refused(_ issuers: [String]) async throws {
        let result = try await authstate(login + issuers.flatMap { ["--allow-issuer", $0] })
        let error = try result.json()["error"]
        #expect(result.status == 78 && error?["code"] == "issuerNotAllowed" && error?["stage"] == "discovery")
        #expect(error?["received"]?.stringValue == provider.issuer)
        #expect(error?["hint"]?.stringValue?.contains("--allow-issuer") == true)
        #expect(provider.requests(at: .discovery).isEmpty && provider.requests(at: .authorization).isEmpty)
    }

    /// Starts a program on a new terminal, on which y is typed ahead, and types a text at the question.
    private static let user = """
        import os, pty, sys
        answer, words = sys.argv[1], sys.argv[2:]
        child, terminal = pty.fork()
        if child == 0: os.execv(words[0], words)
        os.write(terminal, b"y\\n")
        shown = b""
        while True:
            try: piece = os.read(terminal, 4096)
            except OSError: break
            shown += piece
            if piece.endswith(b"[y/N] "): os.write(terminal, answer.encode())
        sys.stdout.write(shown.decode(errors="replace"))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    @Test(
        "a user at a terminal is asked about the issuer; an answer from before the question is none, and Ctrl-C and the time end it",
        arguments: [("y\n", 0), ("n\n", 78), ("\u{3}", 130), ("", 69)])
    func asked(_ answer: String, _ status: Int32) async throws {
        let limit = answer.isEmpty ? "20" : "60"
        let result = try await Program.run(
            [LoginBrowser.python, "-c", Self.user, answer, Authstate.path] + login.filter { $0 != "--json" }
                + ["--state", authstate.stateFile, "--timeout", limit])
        #expect(result.status == status && result.output.contains("is logged in by \(provider.issuer)."), "\(result)")
    }
}

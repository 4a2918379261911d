import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// A proxy on a terminal of its own, which Python holds as the user.
    struct ConfirmationTests {
        /// Starts a program on a new terminal, its output in a file, and types a line for each question; a dash is no answer, and one
        /// with a plus is typed ahead.
        private static let user = """
            import os, pty, signal, sys
            output, answers, words = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
            child, terminal = pty.fork()
            if child == 0:
                os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT, 0o600), 1)
                os.execv(words[0], words)
            signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
            if answers[0].startswith("+"): os.write(terminal, answers.pop(0)[1:].encode() + b"\\n")
            shown = b""
            while True:
                try: piece = os.read(terminal, 4096)
                except OSError: break
                shown += piece
                sys.stdout.write(piece.decode(errors="replace")); sys.stdout.flush()
                if shown.endswith(b"[y/N] "):
                    shown = b""
                    answer = answers.pop(0)
                    if answer != "-": os.write(terminal, answer.encode() + b"\\n")
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """

        /// Runs a body with a proxy that asks; it gets the base URL, and the program whose output is the terminal's.
        private func run(
            _ mode: String, answers: String, _ options: [String] = [], limit: Int = 20,
            _ body: (ProxiedAPI, Authstate, String, Program) async throws -> Void
        ) async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let output = authstate.folder("output")
                let words = ["proxy", api.base, "--state", authstate.stateFile, "--confirm", mode]
                let program = try Program.start(
                    [LoginBrowser.python, "-c", Self.user, output, answers, Authstate.path] + words
                        + ["--timeout", "\(limit)"] + options, environment: authstate.environment)
                try await program.during {
                    let url = try await eventually("the URL") {
                        let text = authstate.folder.text("output")
                        return text.hasSuffix("\n") ? String(text.dropLast()) : nil
                    }
                    try await body(api, authstate, url, program)
                }
            }
        }

        @Test("asks about each request, passes on what is confirmed, and writes both into the audit")
        func each() async throws {
            let audit = try TemporaryFolder()
            try await run("each", answers: "y,n,,yes", ["--audit", audit("audit.jsonl")]) { api, _, url, terminal in
                #expect(try await Curl.run(["\(url)/items?secret=1"]).status == 200)
                for words in [["\(url)/items"], ["\(url)/items", "-d", "body"]] {
                    let refused = try await Curl.run(words)
                    let error = try refused.json()["error"]
                    #expect(refused.status == 403 && error?["hint"]?.stringValue?.contains("terminal") == true)
                }
                #expect(try await Curl.run(["\(url)/notes", "-X", "PUT"]).status == 200)
                #expect(try await api.requests() == ["/v1/items?secret=1", "/v1/notes"])
                for question in ["GET /v1/items?", "POST /v1/items?", "PUT /v1/notes?"] {
                    #expect(terminal.output.contains("Pass on \(question) [y/N]"), "\(terminal.output)")
                }
                #expect(!terminal.output.contains("secret=1"))
                // A path that leads out is refused without a question.
                #expect(try await Curl.run(["\(url)/%2e%2e", "--path-as-is"]).status == 400)
                let lines = try audit.text("audit.jsonl").split(separator: "\n").dropFirst().map {
                    try JSONValue(parsing: Array($0.utf8))
                }
                #expect(lines.map { $0["confirmed"] } == [.bool(true), .bool(false), .bool(false), .bool(true), nil])
                #expect(lines.prefix(3).map { $0["status"]?.intValue } == [200, 403, 403])
            }
        }

        @Test("asks once about each method and path, and keeps a yes and a no")
        func kind() async throws {
            try await run("kind", answers: "y,n,y") { _, _, url, terminal in
                let requests = [("GET", "/items", 200), ("POST", "/items", 403), ("GET", "/items/3", 200)]
                for (method, path, status) in requests + requests {
                    let answer = try await Curl.run(["\(url)\(path)?a=b", "-X", method])
                    #expect(answer.status == status, "\(method) \(path): \(answer)")
                }
                #expect(terminal.output.matches(of: /\[y\/N\]/).count == 3, "\(terminal.output)")
            }
        }

        @Test(
            "refuses a request that the user does not answer in time, after the question, and asks again about the next one"
        )
        func unanswered() async throws {
            try await run("kind", answers: "+y,-,y", limit: 3) { _, _, url, terminal in
                let start = ContinuousClock.now
                let refused = try await Curl.run(["\(url)/items"])
                #expect(refused.status == 403 && ContinuousClock.now - start < .seconds(15), "\(refused)")
                #expect(terminal.output.contains("Not answered"), "\(terminal.output)")
                #expect(try await Curl.run(["\(url)/items"]).status == 200)
            }
        }

        @Test("withdraws the question of a program that has ended")
        func withdrawn() async throws {
            try await run("each", answers: "-,y", limit: 60) { api, _, url, terminal in
                let program = try Program.start(["curl", "-sS", "\(url)/first"])
                try await eventually("the question") { terminal.output.contains("/v1/first?") ? () : nil }
                await program.end()
                #expect(try await Curl.run(["\(url)/items"]).status == 200)
                #expect(try await api.requests() == ["/v1/items"])
            }
        }

        @Test("asks on the terminal of a program that runs behind the proxy; the SIGINT from there does not end it")
        func behindProxy() async throws {
            try await ProxiedAPI.run(for: .django) { api, authstate in
                try await authstate.logIn()
                let output = authstate.folder("output")
                let script = """
                    trap : INT; curl -sS -o /dev/null -w '%{http_code} ' $API_URL/items; kill -INT 0
                    curl -sS -o /dev/null -w '%{http_code} ' --unix-socket \(authstate.folder("s")) http://localhost/notes
                    """
                let words = [
                    Authstate.path, "run", "--proxy", api.base, "--confirm", "each", "--socket", authstate.folder("s"),
                    "--state", authstate.stateFile, "--", "sh", "-c", script,
                ]
                let result = try await Program.run(
                    [LoginBrowser.python, "-c", Self.user, output, "n,y"] + words, environment: authstate.environment)
                #expect(result.status == 0 && authstate.folder.text("output") == "403 200 ", "\(result)")
                #expect(result.output.contains("Pass on GET /v1/notes? [y/N]"), "\(result)")
                #expect(try await api.requests() == ["/v1/notes"])
            }
        }

        @Test("does not start without a terminal")
        func noTerminal() async throws {
            let authstate = try Authstate(.django)
            try await authstate.logIn()
            let words = [Authstate.path, "proxy", "https://api.example", "--confirm", "each"]
            let result = try await Program.run(
                ["setsid", "--wait"] + words + ["--state", authstate.stateFile], environment: authstate.environment)
            #expect(result.status == 64 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("terminal") && result.errors.contains("--allow"), "\(result)")
        }
    }
}

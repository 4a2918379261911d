import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    /// The built program, set up by its environment, at independent providers.
    @Suite(.whereProvidersAreInstalled, .running([.glewlwyd, .django]))
    struct ProgramTests {
        @Test("Alice signs in, her tokens are renewed, and she signs out", arguments: [Provider.glewlwyd, .django])
        func life(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            let port = RedirectPorts.next()
            let base = "http://127.0.0.1:\(port)"
            let program = try ServerProgram.start([
                "ISSUER": try provider.process.issuer, "CLIENT_ID": "basic", "CLIENT_SECRET": "s3cret",
                "SCOPE": "openid profile email offline_access", "PORT": "\(port)", "STATE_FOLDER": folder("states"),
            ])
            do {
                try await RunningSite.answers(base)
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await browser.open("\(base)/login?return=/")
                    try await proceed(browser, until: base)
                    #expect(try await browser.text.contains("You are signed in"))
                    try await browser.open("\(base)/profile")
                    #expect(try await browser.text("#email") == "alice@example.test")
                    try await browser.picture("profile-\(provider.software.rawValue)")
                    try await browser.click("#logout")
                    try await leave(browser, provider, to: base)
                    try await browser.open("\(base)/profile")
                    #expect(try await browser.text.contains("Please sign in"))
                }
            } catch {
                program.send(SIGKILL)
                throw error
            }
            program.send(SIGTERM)
            let end = try await program.result(within: .seconds(20))
            #expect(end.status == 0, "\(end.errors)")
            for secret in ["s3cret", "?code=", "&code=", "&state="] {
                #expect(!end.errors.contains(secret), "\(end.errors)")
            }
        }

        /// Ends the session at the provider; glewlwyd 2.7's page for it stays blank in a browser, so the test ends
        /// there.
        private func leave(_ browser: Chromium, _ provider: Provider, to base: String) async throws {
            guard provider == .glewlwyd else { return try await proceed(browser, until: "\(base)/logout") }
            try await eventually("the provider's page") { () -> Bool? in
                try await browser.url.hasSuffix("&prompt=end_session") ? true : nil
            }
        }

        /// Answers the provider's pages as Alice, until the browser is at this site.
        private func proceed(_ browser: Chromium, until base: String) async throws {
            try await eventually("the way back", within: .seconds(30)) { () -> Bool? in
                if try await browser.url.hasPrefix(base) { return true }
                // The page may change meanwhile: check again then.
                _ = try? await browser.script(Self.nextStep)
                try await Task.sleep(for: .milliseconds(300))
                return nil
            }
        }

        /// Fills in Alice's password where one is asked for, else checks scopes, and presses the button that goes on.
        private static let nextStep = """
            const visible = e => e.offsetParent !== null && !e.disabled && !e.dataset.pressed;
            const fill = (e, text) => {
              const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
              set.call(e, text); e.dispatchEvent(new Event("input", {bubbles: true}));
              e.dispatchEvent(new Event("change", {bubbles: true}));
            };
            const password = [...document.querySelectorAll("input[type=password]")].find(visible);
            if (password) {
              const name = [...document.querySelectorAll("input[name=username], input#username, input[type=text]")]
                .find(visible);
              if (name) fill(name, "alice");
              fill(password, "password");
            }
            for (const box of document.querySelectorAll("input[type=checkbox]:not(:checked):enabled")) box.click();
            const buttons = [...document.querySelectorAll("button, input[type=submit], a.btn")].filter(visible);
            const label = e => " " + ((e.value || "") + " " + e.innerText).trim().toLowerCase() + " ";
            const words = ["authorize", "log in", "login", "grant", "continue", "accept", "ok", "log out", "logout"];
            for (const word of words) {
              const button = buttons.find(e => label(e).includes(" " + word + " "));
              if (!button) continue;
              if (!password) button.dataset.pressed = true;
              button.click();
              return;
            }
            """
    }

    struct StartTests {
        @Test("without settings it works at once, and SIGTERM ends it in order")
        func defaults() async throws {
            let folder = try TemporaryFolder()
            let port = RedirectPorts.next()
            let program = try ServerProgram.start(["PORT": "\(port)", "STATE_FOLDER": folder("states")])
            try await RunningSite.answers("http://127.0.0.1:\(port)")
            try await Chromium.run { browsers in
                let browser = browsers[0]
                // Under the other name of this machine too.
                try await browser.open("http://localhost:\(port)/")
                try await browser.click("#login")
                try await browser.type("ada", into: "#username")
                try await browser.type("lovelace", into: "#password")
                try await browser.click("#allow")
                try await browser.arrives(at: "http://127.0.0.1:\(port)/profile")
                #expect(try await browser.text("#name") == "Ada Lovelace")
            }
            program.send(SIGTERM)
            let end = try await program.result(within: .seconds(20))
            #expect(end.status == 0, "\(end.errors)")
        }

        @Test("with a database it makes the table, and keeps the sessions of users in it")
        func database() async throws {
            struct Announcement: Decodable { var connection: String }
            let postgres = try Program.start(["\(Provider.scripts)/postgresql/start.sh"])
            do {
                let line = try #require(try await postgres.firstLine(), "\(postgres.errors)")
                let connection = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8)).connection
                @Sendable func sql(_ statement: String) async throws -> String {
                    let words = [
                        "psql", connection, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-c", statement,
                    ]
                    let result = try await Program.run(words)
                    try #require(result.status == 0, "\(result.errors)")
                    return result.output
                }
                _ = try await sql("DROP TABLE auth_states")
                let port = RedirectPorts.next()
                let program = try ServerProgram.start(["PORT": "\(port)", "DATABASE_URL": connection])
                try await RunningSite.answers("http://127.0.0.1:\(port)")
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await browser.open("http://127.0.0.1:\(port)/")
                    try await browser.click("#login")
                    try await browser.type("ada", into: "#username")
                    try await browser.type("lovelace", into: "#password")
                    try await browser.click("#allow")
                    try await browser.arrives(at: "http://127.0.0.1:\(port)/profile")
                    #expect(try await sql("SELECT count(*) FROM auth_states WHERE archive IS NOT NULL") == "3\n")
                }
                program.send(SIGTERM)
                let end = try await program.result(within: .seconds(20))
                #expect(end.status == 0, "\(end.errors)")
            } catch {
                await postgres.end()
                throw error
            }
            await postgres.end()
        }

        @Test("a wrong variable ends the start with its name", arguments: ["PORT", "BASE_URL", "ISSUER", "LOG_LEVEL"])
        func wrong(variable: String) async throws {
            let program = try ServerProgram.start([variable: "://", "CLIENT_ID": "x"])
            let end = try await program.result(within: .seconds(20))
            #expect(end.status == 78)
            #expect(end.errors.contains("server: \(variable): "), "\(end.errors)")
        }

        @Test("an error that shows only at the start ends it too, and in order")
        func late() async throws {
            let database = try ServerProgram.start(["DATABASE_URL": "postgresql://127.0.0.1:1/x", "PORT": "0"])
            let first = try await database.result(within: .seconds(20))
            // A database that restarts is no wrong value: the next start may find it.
            #expect(first.status == 69 && first.errors.contains("PostgreSQL"), "\(first.errors)")
            let malformed = try ServerProgram.start(["DATABASE_URL": "postgresql://[x", "PORT": "0"])
            let text = try await malformed.result(within: .seconds(20))
            #expect(text.status == 78 && text.errors.contains("server: DATABASE_URL: "), "\(text.errors)")

            let listener = try Listener()
            defer { listener.close() }
            let taken = try ServerProgram.start(["PORT": "\(listener.port)"])
            let second = try await taken.result(within: .seconds(20))
            #expect(second.status == 78 && second.errors.contains("server: PORT: "), "\(second.errors)")

            let provider = try await OpenIDProvider()
            let issuer = "\(provider.issuer)/other"
            let wrong = try ServerProgram.start(["ISSUER": issuer, "CLIENT_ID": "x", "PORT": "0"])
            let third = try await wrong.result(within: .seconds(20))
            #expect(
                third.status == 78 && third.errors.contains("server: ISSUER: The discovery document"), "\(third.errors)"
            )
            await provider.stop()

            let folder = try TemporaryFolder()
            let occupied = try ServerProgram.start(["STATE_FOLDER": try folder.file("file"), "PORT": "0"])
            let fourth = try await occupied.result(within: .seconds(20))
            #expect(fourth.status == 78 && fourth.errors.contains("server: STATE_FOLDER: "), "\(fourth.errors)")
        }

        @Test("an unreachable provider does not prevent the start")
        func away() async throws {
            let program = try ServerProgram.start(["ISSUER": "http://127.0.0.1:1", "CLIENT_ID": "x", "PORT": "0"])
            // Before it listens, SIGTERM ends it like any program.
            try await eventually("the warning, and the start all the same", within: .seconds(30)) {
                let log = program.errors
                return log.contains("the provider does not answer yet") && log.contains("listening on") ? true : nil
            }
            program.send(SIGTERM)
            #expect(try await program.result(within: .seconds(20)).status == 0)
        }
    }
}

/// The built program, which lies beside the tests.
enum ServerProgram {
    private static let path = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("server").path

    static func start(_ environment: [String: String]) throws -> Program {
        try Program.start([path], environment: environment)
    }
}

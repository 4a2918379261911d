import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct TestProviderTests {
        /// The provider as a process, and where it is.
        private struct Running {
            let program: Program
            let issuer: String

            init(_ arguments: String...) async throws {
                program = try Program.start([Authstate.path, "provider", "--port", "0", "--json"] + arguments)
                let line = try #require(try await program.firstLine(within: .seconds(20)), "\(program.errors)")
                issuer = try #require(try JSONValue(parsing: Array(line.utf8))["issuer"]?.stringValue)
            }
        }

        /// Runs a body, and ends the provider.
        private func with<R>(_ running: Running, _ body: (Running) async throws -> R) async throws -> R {
            try await running.program.during { try await body(running) }
        }

        @Test(
            "clients in other languages log in, call the API and renew",
            arguments: [
                ["/usr/bin/python3", "authlib-client.py"], ["/usr/bin/python3", "requests-oauthlib-client.py"],
                ["go", "run", "go-client/main.go"],
            ])
        func foreignClient(words: [String]) async throws {
            try await with(Running("--automatic")) { provider in
                let script = "\(Provider.scripts)/clients/\(words.last ?? "")"
                let result = try await Program.run(
                    words.dropLast() + [script, provider.issuer],
                    environment: ["GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""],
                    within: .seconds(120))
                try #require(result.status == 0, "\(result.output) \(result.errors)")
                let facts = try result.json()
                #expect(facts["sub"] == "248289761001" && facts["message"] == "Hello, Ada Lovelace!")
                #expect(facts["renewed"] == true)
            }
        }

        @Test func `the program in Docs Testing logs in as it stands`() async throws {
            let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../../Docs/Testing.md")
            let text = try String(contentsOf: page, encoding: .utf8)
            let code = try #require(text.firstMatch(of: /```python\n([\s\S]*?)```/)).output.1
            try await with(Running("--automatic")) { provider in
                let folder = try TemporaryFolder()
                let lines = code.split(separator: "\n").map { $0.hasPrefix("   ") ? $0.dropFirst(3) : $0 }.joined(
                    separator: "\n")
                try lines.replacing("http://127.0.0.1:9400", with: provider.issuer)
                    .write(toFile: folder("client.py"), atomically: true, encoding: .utf8)
                // The browser goes to the address that the program shows, and its end is pasted.
                let browser = """
                    import builtins, requests, sys
                    builtins.input = lambda words: requests.get(words.split()[1], allow_redirects=False).headers["Location"]
                    exec(open(sys.argv[1]).read())
                    """
                let result = try await Program.run(
                    ["/usr/bin/python3", "-c", browser, folder("client.py")], within: .seconds(60))
                #expect(result.output.contains("Hello, Ada Lovelace!"), "\(result)")
            }
        }

        @Test("scopes and the algorithm of ID tokens can be chosen, for all clients or for one")
        func choices() async throws {
            let folder = try TemporaryFolder()
            let clients = folder("clients")
            try #"""
            {"client_id": "app", "id_token_signed_response_alg": "PS256"}
            {"client_id": "job", "client_secret": "s", "grant_types": ["client_credentials"]}
            """#.write(toFile: clients, atomically: true, encoding: .utf8)
            try await with(
                Running("--automatic", "--scope", "read:items", "--algorithm", "EdDSA", "--clients", clients)
            ) {
                provider in
                let result = try await Program.run(
                    [
                        "curl", "-s", "-u", "job:s", "-d", "grant_type=client_credentials&scope=read:items",
                        "\(provider.issuer)/token",
                    ])
                #expect(result.output.contains("\"scope\":\"read:items\""), "\(result)")
                let refusal = try await Program.run(["curl", "-si", "\(provider.issuer)/api/hello"]).output
                #expect(refusal.contains("resource_metadata=\"\(provider.issuer)/resource-metadata\""))
                let keys = try await Program.run(["curl", "-s", "\(provider.issuer)/jwks"]).output
                #expect(keys.contains("\"OKP\"") && keys.contains("\"RSA\"") && !keys.contains("\"EC\""), "\(keys)")
            }
            for (arguments, word) in [
                (["--algorithm", "none"], "RS256"), (["--scope", "a b"], "--scope"),
                (["--refresh-token-grace", "40000000"], "--refresh-token-grace"),
            ] {
                let result = try await Program.run([Authstate.path, "provider"] + arguments)
                #expect(result.status == 64 && result.errors.contains(word), "\(result)")
            }
        }

        @Test func `oidc-agent logs in with a device code, and has a token`() async throws {
            try await with(Running("--automatic")) { provider in
                let folder = try TemporaryFolder()
                // The agent keeps its accounts in this folder, and is gone with the shell. It prints its address before it listens.
                let script = """
                    eval "$(oidc-agent)" >/dev/null; trap 'kill $OIDCD_PID' EXIT
                    for _ in $(seq 200); do
                        if oidc-add --loaded >/dev/null 2>&1; then break; fi
                        read -rt 0.1 <>"$1/pause" || true
                    done
                    oidc-gen demo --issuer "$0/" --client-id app --client-secret "" --redirect-uri http://localhost:4242 \
                        --scope "openid profile offline_access" --pw-cmd "echo pw" --flow=device --no-url-call \
                        --dae "$0/device_authorization" </dev/null >"$1/out" 2>&1 &
                    for _ in $(seq 200); do
                        code=$(grep -oE "[A-Z]{4}-[A-Z]{4}" "$1/out" | head -1)
                        if [ -n "$code" ]; then break; fi
                        read -rt 0.2 <>"$1/pause" || true
                    done
                    curl -s "$0/device?user_code=$code" >/dev/null
                    wait $! || cat "$1/out" >&2
                    curl -s -H "Authorization: Bearer $(oidc-token demo)" "$0/api/hello"
                    """
                let result = try await Program.run(
                    ["bash", "-c", "mkfifo \"$1/pause\"; \(script)", provider.issuer, folder("")],
                    environment: ["HOME": folder(""), "OIDC_CONFIG_DIR": folder("")], within: .seconds(120))
                #expect(result.output.contains("Hello, Ada Lovelace!"), "\(result.output) \(result.errors)")
            }
        }

        @Test(
            "a user logs in on its pages in Chromium; a second client asks for consent alone",
            .whereChromiumIsInstalled)
        func pages() async throws {
            try await with(Running("--redirect-uri", "http://127.0.0.1/other")) { provider in
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    func authorize(_ client: String) -> String {
                        "\(provider.issuer)/authorize?response_type=code&client_id=\(client)&scope=openid&state=s&"
                            + "code_challenge=\(String(repeating: "a", count: 43))&code_challenge_method=S256&"
                            + "redirect_uri=http%3A%2F%2F127.0.0.1%3A5999%2Fother"
                    }
                    try await browser.open(authorize("app"))
                    try await browser.type("ada", into: "#username")
                    try await browser.type("lovelace", into: "#password")
                    try await browser.click("#allow")
                    try await browser.arrives(at: "http://127.0.0.1:5999/other?")
                    try await browser.open(authorize("service"))
                    #expect(try await browser.text("main")?.contains("You are logged in as ada.") == true)
                    try await browser.open("\(provider.issuer)/")
                    try await browser.click("input[name=down]")
                    try await browser.click("#apply")
                    try await browser.arrives(at: "\(provider.issuer)/")
                    try await browser.picture("provider-home")
                }
                let token = TransportRequest(method: .post, url: try #require(URL(string: "\(provider.issuer)/token")))
                try await eventually("the token endpoint down", within: .seconds(10)) { () -> Bool? in
                    try await SystemTransport.shared.send(token).status == 503 ? true : nil
                }
            }
        }

        @Test func `wrong files, names and ports are refused with what is wrong`() async throws {
            let folder = try TemporaryFolder()
            let users = folder("users")
            try "# comment\n{\"name\": \"bob\", \"password\": \"x\"}\n{\"name\": \"eve\"}\n".write(
                toFile: users, atomically: true, encoding: .utf8)
            func refusal(_ arguments: String...) async throws -> (Int32, String) {
                let result = try await Program.run([Authstate.path, "provider"] + arguments)
                return (result.status, result.errors)
            }
            let (status, message) = try await refusal("--users", users)
            #expect(status == 64 && message.contains("Line 3 of") && message.contains("password"), "\(message)")
            #expect(try await refusal("--break", "nothing").1.contains("lost-answer"))
            #expect(try await refusal("--issuer", "https://op.example").1.contains("this machine alone"))
            try await with(Running()) { provider in
                let port = String(provider.issuer.split(separator: ":").last ?? "")
                let (status, message) = try await refusal("--port", port)
                #expect(
                    status == 78 && message.contains(port)
                        && message.contains("in use") && message.contains("--port 0"), "\(message)")
            }
        }
    }

    struct ReportTests {
        @Test(
            "a failed login leaves a page with its cause, and its message names the option", .whereChromiumIsInstalled)
        func page() async throws {
            let authstate = try Authstate(.django)
            let report = authstate.folder("login.html")
            let arguments = authstate.loginArguments(client: "basic").with("--client-secret-env", "LONG_SECRET")
            let plain = try await authstate(arguments)
            #expect(plain.errors.contains("Add --report login.html"), "\(plain.errors)")
            let result = try await authstate(arguments + ["--report", report])
            #expect(result.status == 78 && !result.errors.contains("Add --report"), "\(result)")
            let text = authstate.folder.text("login.html")
            #expect(text.contains("invalid_client") && !text.contains("s3cret-s3cret"))
            #expect(try FileManager.default.attributesOfItem(atPath: report)[.posixPermissions] as? Int == 0o600)
            try await Chromium.run { browsers in
                let browser = browsers[0]
                try await browser.open("file://\(report)")
                #expect(try await browser.text("h1") == "Login report")
                #expect(try await browser.text(".sum .msg")?.contains("invalid_client") == true)
                // Nothing is wider than the window, and the style sheet is in force.
                let width = try await browser.script(
                    "return document.documentElement.scrollWidth <= innerWidth "
                        + "&& getComputedStyle(document.querySelector('.seq')).listStyleType == 'none'")
                #expect(width == true)
                try await browser.picture("login-report")
            }
        }

        @Test("every command writes one, and a place that cannot be written is refused before anything is done")
        func everyCommand() async throws {
            let authstate = try await Authstate.loggedIn(.django)
            let archive = authstate.folder("userinfo.har")
            let result = try await authstate("userinfo", "--report", archive)
            #expect(result.status == 0, "\(result)")
            let json = try JSONValue(parsing: Array(authstate.folder.text("userinfo.har").utf8))
            #expect(json["log"]?["entries"]?.arrayValue?.count == 1)
            let before = authstate.folder.text("state/login.json")
            let refused = try await authstate("logout", "--report", authstate.folder("nowhere/x.html"))
            #expect(refused.status == 64 && refused.errors.contains("nothing has been done"), "\(refused)")
            #expect(authstate.folder.text("state/login.json") == before)
        }
    }
}

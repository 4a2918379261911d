import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// Another user of the machine, while a bridge logs in. Only root can take on another user; as another one the tests say so, and
    /// end.
    struct BridgeAttackTests {
        private let user: Authstate
        private let home: TemporaryFolder

        init() throws {
            (user, home) = (try Authstate(), try TemporaryFolder())
            chmod(home.path, 0o755)
        }

        private var variables: [String: String] { ["XDG_STATE_HOME": home.path] }

        private static var canAttack: Bool {
            if geteuid() != 0 { print("Not tested: only root can take on another user.") }
            return geteuid() == 0
        }

        /// Runs a script of Python's as user 65534, who has no rights.
        private func attack(_ script: String, _ words: String...) throws -> Program {
            try Program.start(
                [
                    "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LoginBrowser.python, "-c", script,
                ] + words)
        }

        /// Runs a body while the page of a bridge's login is shown, and expects that the login then succeeds.
        private func duringLogin(
            _ body: (_ server: ResourceServer, _ address: URL) async throws -> Void
        ) async throws {
            try await ResourceServer.run(.mcp) { server in
                // The user takes a while: until the file is there.
                let patient =
                    "\(LoginBrowser.python) -c 'import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.05)\n"
                    + "os.execv(sys.argv[2], sys.argv[2:])' \(user.folder("gate")) \(user.browser.commandLine())"
                // What the program makes is not open to others because its user's files are.
                let words = ["sh", "-c", "umask 0; exec \"$@\"", "sh", Authstate.path, "mcp", server.resource]
                let host = try BridgeHost(words: words + ["--browser-command", patient], environment: variables)
                host.send([
                    "jsonrpc": "2.0", "id": 1, "method": "initialize",
                    "params": [
                        "protocolVersion": "2025-11-25", "capabilities": [:],
                        "clientInfo": ["name": "tests", "version": "1"],
                    ],
                ])
                let address = try await eventually("the address") {
                    host.program.errors.split(separator: "\n").lazy.map { $0.trimmingCharacters(in: .whitespaces) }
                        .first { $0.hasPrefix("http://127.0.0.1") }.flatMap { URL(string: $0) }
                }
                try await body(server, address)
                try user.folder.file("gate", containing: "")
                let answer = try await host.message("the answer") { $0["id"] == 1 }
                #expect(answer["result"] != nil, "\(answer) \(host.program.errors)")
                host.end()
                #expect(try await host.program.result().status == 0)
                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/authorize") == 1 && seen.count(of: "/token") == 1)
            }
        }

        @Test("reads no file, and finds no secret in processes and their arguments")
        func files() async throws {
            guard Self.canAttack else { return }
            try await duringLogin { server, address in
                let place = "127.0.0.1:\(address.port ?? 0)"
                let result = try await attack(Self.spy, home.path, server.resource, place).result()
                let lines = result.output.split(separator: "\n")
                #expect(result.status == 0 && lines.filter { $0.hasPrefix("got ") }.isEmpty, "\(result)")
                // It has looked: at the bridge, the process that logs in, and the folder.
                #expect(lines.count { $0.hasPrefix("process ") } >= 2 && lines.contains("folder"), "\(result)")
                let arguments = lines.filter { $0.hasPrefix("arguments ") }.joined()
                #expect(arguments.contains(address.path) && arguments.contains("--for-bridge"), "\(arguments)")
                for secret in ["code_challenge", "state=", "client_id="] { #expect(!arguments.contains(secret)) }
            }
            let result = try await attack(Self.spy, home.path, "no process").result()
            #expect(!result.output.contains("got ") && result.output.contains("folder"), "\(result)")
        }

        /// Prints what another user can open.
        private static let spy = """
            import os, pathlib, sys
            home, names = sys.argv[1], sys.argv[2:]
            def take(what, body):
                try: body()
                except OSError: return
                print("got", what)
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try: arguments = (process / "cmdline").read_bytes().replace(b"\\0", b" ").decode()
                except OSError: continue
                if int(process.name) == os.getpid() or not any(name in arguments for name in names): continue
                print("process", process.name)
                print("arguments", arguments.replace("\\n", " "))
                take("environ", (process / "environ").read_bytes)
                take("memory", lambda: open(process / "mem", "rb"))
                take("descriptors", lambda: list((process / "fd").iterdir()))
                for number in range(10): take(f"descriptor {number}", lambda: open(process / "fd" / str(number), "rb"))
            if os.path.isdir(home + "/authstate"): print("folder")
            take("list", lambda: os.listdir(home + "/authstate"))
            for folder, _, files in os.walk(home):
                for file in files: take(file, lambda: open(os.path.join(folder, file), "rb"))
            take("plant", lambda: open(home + "/authstate/planted", "w"))
            """

        @Test("forged answers and a flood at the listener do not end the login, and do not take it")
        func listener() async throws {
            guard Self.canAttack else { return }
            try await duringLogin { server, address in
                let attacker = try attack(Self.flood, "\(try #require(address.port))", address.path)
                let line = try await attacker.firstLine(within: .seconds(60))
                #expect(line?.contains(" 2") == false && line?.contains(" 3") == false, "\(line ?? attacker.errors)")
                await attacker.end()
            }
        }

        /// Holds connections, and prints the statuses of answers to requests that the provider did not cause.
        private static let flood = """
            import socket, sys, time
            port, path = int(sys.argv[1]), sys.argv[2]
            held = []
            for number in range(300):
                connection = socket.create_connection(("127.0.0.1", port), 10)
                connection.sendall(b"GET /callback?code=a" if number % 2 else b"")
                held.append(connection)
            def status(target):
                with socket.create_connection(("127.0.0.1", port), 10) as connection:
                    connection.sendall(f"GET {target} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n".encode())
                    try: return connection.recv(100).split(b" ")[1].decode()
                    except (IndexError, OSError): return "none"
            answers = "code=evil&state=evil", "error=access_denied&state=evil", "error=access_denied", "code=evil", ""
            print("statuses", *[status(f"{place}?{answer}") for place in ("/callback", "/", path + "x") for answer in answers],
                  flush=True)
            time.sleep(60)
            """

        /// What another user puts in the place of the folder, before the first login.
        enum Plant: String, CaseIterable { case folder, link, openFolder }

        @Test("a folder that another user has planted keeps no login", arguments: Plant.allCases)
        func planted(_ plant: Plant) async throws {
            guard Self.canAttack else { return }
            chmod(home.path, 0o1777)
            let made = try await attack(Self.planter, home.path, plant.rawValue).result()
            try #require(made.status == 0, "\(made)")
            try await ResourceServer.run(.mcp) { server in
                let host = try BridgeHost(
                    [server.resource, "--browser-command", user.browser.commandLine()], environment: variables)
                let error = try await host.answer("initialize", id: 1)["error"]
                #expect(error?["data"]?["authstate"]?["stage"] == "store", "\(String(describing: error))")
                host.end()
                #expect(try await host.program.result().status == 0)
                let result = try await attack(Self.reader, home.path).result()
                #expect(result.output.isEmpty, "\(result)")
            }
        }

        private static let planter = """
            import os, sys
            home, plant = sys.argv[1:]
            os.umask(0)
            place = home + "/authstate" if plant == "folder" or plant == "openFolder" else home + "/mine"
            os.mkdir(place, 0o700 if plant == "folder" else 0o777)
            if plant == "link": os.symlink(place, home + "/authstate")
            """
        private static let reader = """
            import os, sys
            for folder, _, files in os.walk(sys.argv[1]):
                for file in files:
                    try: print(file, len(open(os.path.join(folder, file), "rb").read()))
                    except OSError: pass
            """
    }
}

import AuthStateJOSE
import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// At the resource server of the Model Context Protocol's own SDK for Python.
    struct ResourceLoginTests {
        @Test func `registers, logs in, calls the API, renews; each command is a process of its own`() async throws {
            try await ResourceServer.run(.mcp, ["ACCESS_TOKEN_SECONDS": "2"]) { server in
                let authstate = try Authstate()
                let login = try await authstate.logIn(for: server.resource)
                #expect(login["authorized"] == true && login["can_renew"] == true && login["scope"] == "mcp")
                #expect(login["resource"]?.stringValue == server.resource)
                #expect(login["issuer"]?.stringValue == server.issuer)
                let status = try await authstate("status")
                #expect(status.output.contains("resource: \(server.resource)\nissuer: \(server.issuer)\n"), "\(status)")
                #expect(try await authstate.json("status")["resource"] == login["resource"])

                let first = try await authstate.json("token")["access_token"]
                #expect(first?.stringValue?.hasPrefix("first-access-") == true)
                #expect(try await authstate.call("add", ["a": 1, "b": 2], at: server.resource) == "3")
                try await Task.sleep(for: .seconds(2))
                #expect(try await authstate.call("whoami", at: server.resource).contains("alice"))
                #expect(try await authstate.json("token")["access_token"] != first)
                #expect(try await authstate.json("refresh")["resource"] == login["resource"])

                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/register") == 1)
                let asked = "resource=\(server.resource)"
                let requests = seen.filter { $0.path == "/authorize" || $0.path == "/token" }
                #expect(requests.count >= 3)
                #expect(requests.allSatisfy { ($0.query + $0.body).removingPercentEncoding?.contains(asked) == true })
            }
        }

        @Test("keeps its client through a refusal, a new login and a logout, and its settings for later commands")
        func client() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                try await authstate.expectFailure(
                    authstate.loginArguments(for: server.resource, ["--leeway", "5"], decision: .decline), 77,
                    [.accessDenied], stage: .authorization, hint: "Log in again")
                let status = try await authstate("status")
                let again = "'authstate login --state \(authstate.stateFile) --for \(server.resource)'"
                #expect(status.status == 77 && status.errors.contains(again), "\(status)")
                let login = try await authstate.logIn(for: server.resource, "--leeway", "5")
                #expect(Set(["authstate.leeway", "authstate.profile"]).isSubset(of: try await authstate.annotations))
                #expect(try await authstate("logout").status == 0)
                #expect(try await authstate("token").errors.contains("--for \(server.resource)"))
                #expect(try await authstate.logIn(for: server.resource)["client_id"] == login["client_id"])
                #expect(try await server.requests(at: .first).count(of: "/register") == 1)
            }
        }

        @Test func `sends its token to the API alone`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                try await authstate.logIn(for: server.resource)
                let other = server.issuer + "/elsewhere"
                try await authstate.expectFailure(
                    ["request", other], 78, [.insecureURL], stage: .resource, hint: "another --profile")
                try await authstate.expectFailure(
                    ["request", other, "--step-up"], 64, [.invalidArgument], stage: .usage, hint: "--profile")
                #expect(try await server.requests(at: .first).count(of: "/elsewhere") == 0)
            }
        }

        @Test func `does not take the place of another login`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try await Authstate.loggedIn(.django)
                let before = try Data(contentsOf: URL(filePath: authstate.stateFile))
                try await authstate.expectFailure(
                    authstate.loginArguments(for: server.resource), 64, [.invalidArgument], stage: .registration,
                    hint: "--profile")
                #expect(try Data(contentsOf: URL(filePath: authstate.stateFile)) == before)
                try await authstate.expectFailure(
                    ["request", server.resource, "--step-up"], 64, [.invalidArgument], stage: .usage,
                    hint: "with --for")
            }
        }

        @Test func `has the client that is given by hand, which stays at its server`() async throws {
            try await ResourceServer.run(.mcp, ["REGISTRATION": "0", "SECOND_ISSUER": "1"]) { server in
                let authstate = try Authstate()
                let uri = ["--redirect-uri", "http://127.0.0.1:\(RedirectPorts.next())/callback"]
                try await authstate.expectFailure(
                    authstate.loginArguments(for: server.resource), 78, [.endpointMissing], stage: .registration,
                    hint: "--client-id")
                let unbound = uri + ["--client-id", "post", "--client-secret-env", "CLIENT_SECRET"]
                for client in [uri + ["--client-id", "public"], unbound + ["--auth-method", "post"]] {
                    let login = try await authstate(authstate.loginArguments(for: server.resource, client))
                    try #require(login.status == 0, "\(login)")
                    #expect(try await authstate.call("add", ["a": 2, "b": 2], at: server.resource) == "4")
                    #expect(!login.errors.contains("s3cret"))
                }
                // The client of the login before, without its options.
                #expect(try await authstate.logIn(for: server.resource)["client_id"] == "post")

                try await server.tell(.resource, "issuer", "issuer=\(server.secondIssuer)")
                let call = try authstate.toolArguments(ToolCall(name: "whoami"), at: server.resource)
                let bound = uri + ["--client-id", "public", "--issuer", server.issuer]
                for arguments in [
                    call + authstate.stepUp(), authstate.loginArguments(for: server.resource),
                    authstate.loginArguments(for: server.resource, bound),
                ] {
                    try await authstate.expectFailure(
                        arguments, 78, [.clientIssuerMismatch], stage: .registration, hint: "--register")
                }
                let seen = try await server.requests(at: .second)
                #expect(!seen.isEmpty && seen.allSatisfy { !$0.everything.contains("s3cret") })
                #expect(seen.count(of: "/authorize") == 0)
            }
        }

        @Test func `is refused where the API has another name; a parent path has to be tolerated`() async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let authstate = try Authstate()
                let arguments = authstate.loginArguments(for: server.resource)
                let origin = server.resource.replacingOccurrences(of: "/mcp", with: "")
                for (name, hint) in [("https://evil.example/mcp", "Do not log in"), (origin, "parent-resource")] {
                    try await server.tell(.resource, "name", "resource=\(name)")
                    try await authstate.expectFailure(
                        arguments, 78, [.resourceMismatch], stage: .resourceMetadata, hint: hint)
                }
                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/authorize") == 0 && seen.count(of: "/register") == 0)
                try await authstate.logIn(for: server.resource, "--tolerate", "parent-resource")
                // Later commands remember that.
                let written = try await authstate.writeNote(at: server.resource, authstate.stepUp())
                #expect(written.status == 0, "\(written)")
            }
        }

        @Test("needs neither a user nor a page with the token of a platform, also for more rights")
        func workload() async throws {
            let authstate = try Authstate()
            let key = try SigningKey.generate(.es256, keyID: "platform-1")
            let keys = JSONValue.object(["keys": .array([key.publicKey.json])])
            let file = try authstate.folder.file(
                "keys.json", containing: String(decoding: keys.serialized(), as: UTF8.self))
            let settings = [
                "PLATFORM_ISSUER": "https://platform.example", "PLATFORM_KEYS": file, "ACCESS_TOKEN_SECONDS": "2",
                "SCOPE_IN_CHALLENGE": "1", "REGISTRATION": "0",
            ]
            try await ResourceServer.run(.mcp, settings) { server in
                let now = Int64(Date().timeIntervalSince1970)
                let token = try JSONWebToken.sign(
                    claims: [
                        "iss": "https://platform.example", "sub": "worker-1", "aud": .string(server.issuer),
                        "exp": .number(JSONNumber(now + 300)),
                    ], with: key)
                let place = try authstate.folder.file("token", containing: "\(token)\n")
                let login = [
                    "login", "--for", server.resource, "--grant", "jwt-bearer", "--assertion-file", place,
                    "--issuer",
                ]
                let client = ["--client-id", "post", "--client-secret-env", "CLIENT_SECRET", "--auth-method", "post"]
                try await authstate.expectFailure(
                    login + ["https://other.example"], 78, [.clientIssuerMismatch],
                    stage: .authorization, hint: "--assertion-file")
                #expect(try await server.requests(at: .first).count(of: "/token") == 0)
                let done = try await authstate(login + [server.issuer] + client)
                try #require(done.status == 0, "\(done)")
                #expect(try await authstate.call("whoami", at: server.resource).contains("worker-1"))
                try await Task.sleep(for: .seconds(2))
                #expect(try await authstate.call("add", ["a": 1, "b": 2], at: server.resource) == "3")
                let written = try await authstate.writeNote(at: server.resource, authstate.stepUp())
                #expect(written.status == 0, "\(written)")
                let seen = try await server.requests(at: .first)
                #expect(seen.count(of: "/authorize") == 0 && seen.count(of: "/register") == 0)
                #expect(seen.count(of: "/token") >= 3)
            }
        }

        @Test func `finds no metadata, or no server`() async throws {
            try await ResourceServer.run(.mcp) { server in
                let authstate = try Authstate()
                try await authstate.expectFailure(
                    authstate.loginArguments(for: server.issuer + "/none"), 78, [.discoveryFailed],
                    stage: .resourceMetadata, hint: "--for")
                try await authstate.expectFailure(
                    authstate.loginArguments(for: "http://127.0.0.1:1/mcp"), 69, [.unreachable], stage: .resource,
                    hint: "try again")
                #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
            }
        }
    }
}

extension Authstate {
    /// The names of the values that the program keeps with the login.
    fileprivate var annotations: Set<String> { get async throws { Set(try await state().record.annotations.keys) } }
}

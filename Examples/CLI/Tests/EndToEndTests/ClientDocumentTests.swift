import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// At FastMCP's proxy in front of glewlwyd, which fetches the documents that this program writes.
    struct ClientDocumentTests {
        /// Puts a document at its URL.
        private func host(_ document: String, as name: String, at server: ResourceServer) async throws {
            let base = server.resource.replacingOccurrences(of: "/mcp", with: "/control/documents/")
            let url = try #require(URL(string: base + name))
            let request = TransportRequest(
                method: .init(rawValue: "PUT"), url: url, headers: ["Content-Type": "application/json"],
                body: Data(document.utf8))
            #expect(try await SystemTransport().send(request).status == 204)
        }

        /// Writes a document for a URL beside the server's own ones, and puts it there.
        private func write(
            _ name: String, _ options: [String], by authstate: Authstate, at server: ResourceServer
        ) async throws -> String {
            let url = try #require(server.clientDocument).replacingOccurrences(of: "client.json", with: name)
            let written = try await authstate(
                ["client-metadata", "--client-metadata-url", url, "--redirect-uri", "http://127.0.0.1/callback"]
                    + options)
            try #require(written.status == 0, "\(written)")
            #expect(written.errors.contains("login --for URL --client-metadata-url \(url)"), "\(written)")
            #expect(try written.json()["client_id"]?.stringValue == url)
            try await host(written.output, as: name, at: server)
            return url
        }

        @Test(
            "is written, hosted, and then the client logs in, renews and gets more rights", .enabled(if: getuid() == 0))
        func life() async throws {
            let settings = ["UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer, "CLIENT_DOCUMENTS": "1"]
            try await ResourceServer.run(.fastmcp, settings) { server in
                let authstate = try Authstate()
                let url = try await write("cli.json", ["--client-name", "CLI"], by: authstate, at: server)
                let login = try await authstate.logIn(for: server.resource, "--client-metadata-url", url)
                #expect(login["client_id"]?.stringValue == url && login["issuer"]?.stringValue == server.issuer)
                #expect(try await authstate.json("refresh")["authorized"] == true)
                #expect(try await authstate.call("add", ["a": 3, "b": 4], at: server.resource) == "7")
                let note = try await authstate.writeNote(at: server.resource, authstate.stepUp())
                #expect(note.status == 0, "\(note)")
                #expect(try await authstate.json("status")["scope"] == "profile email offline_access")
                // The document of the login before, without its option.
                #expect(try await authstate.logIn(for: server.resource)["client_id"]?.stringValue == url)
                #expect(try await server.requests(at: .resource).count(of: "/register") == 0)
            }
        }

        @Test("has the public part of a key, by which the client authenticates", .enabled(if: getuid() == 0))
        func key() async throws {
            let settings = ["UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer, "CLIENT_DOCUMENTS": "1"]
            try await ResourceServer.run(.fastmcp, settings) { server in
                let authstate = try Authstate()
                let file = try authstate.folder.file(of: SigningKey.generate(.es256, keyID: "cli-1"))
                let proof = ["--private-key", file, "--key-id", "cli-1"]
                let url = try await write("keyed.json", proof, by: authstate, at: server)
                let login = authstate.loginArguments(
                    for: server.resource, ["--client-metadata-url", url, "--assertion-audience", "endpoint"] + proof)
                #expect(try await authstate(login).status == 0)
                #expect(try await authstate.json("refresh")["client_id"]?.stringValue == url)
                let sent = try await server.requests(at: .resource).filter { $0.path == "/token" }
                #expect(sent.count == 2 && sent.allSatisfy { $0.body.contains("client_assertion=") })
            }
        }

        @Test("is refused by the rules that the servers have, and without a request")
        func refused() async throws {
            let authstate = try Authstate()
            let uri = ["--redirect-uri", "http://127.0.0.1/callback"]
            for url in ["http://app.example/c.json", "https://app.example", "https://app.example/a/../c.json#x"] {
                try await authstate.expectFailure(
                    ["client-metadata", "--client-metadata-url", url] + uri, 78, [.invalidClientMetadata],
                    stage: .registration, hint: "--client-metadata-url")
                try await authstate.expectFailure(
                    ["login", "--for", "http://127.0.0.1:1/", "--client-metadata-url", url], 78,
                    [.invalidClientMetadata],
                    stage: .registration, hint: "for example https://app.example/client.json")
            }
            let named = ["client-metadata", "--client-metadata-url", "https://app.example/c.json"] + uri
            try await authstate.expectFailure(
                named + ["--metadata", "client_name="], 78, [.invalidClientMetadata], stage: .registration,
                hint: "authstate client-metadata")
            try await authstate.expectFailure(
                named + ["--metadata", "client_secret=x"], 64, [.invalidArgument], stage: .registration, hint: nil)
            try await authstate.expectFailure(
                named + ["--private-key", authstate.folder("none")], 78, [.credentialUnavailable], stage: .registration,
                hint: "Check the path")
        }
    }
}

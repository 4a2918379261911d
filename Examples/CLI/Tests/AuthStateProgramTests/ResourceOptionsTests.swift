import ArgumentParser
import AuthStateResource
import Foundation
import Testing

@testable import AuthStateProgram

struct ResourceOptionsTests {
    private let api = ["--for", "https://mcp.example/mcp"]
    private let document = ["--client-metadata-url", "https://app.example/c.json"]

    @Test(
        "calls that make no sense are refused, with the option in the message",
        arguments: [
            (["--issuer", "https://op.example"], "--issuer"), (["--provider", "google"], "--provider"),
            (["--identifier", "ada@example.org"], "--identifier"), (["--resource", "https://x.example"], "--resource"),
            (["--grant", "device", "--paste"], "--paste"), (["--grant", "device", "--dpop-key", "k"], "--dpop-key"),
            (["--grant", "ciba", "--login-hint", "ada"], "--grant ciba"),
            (["--grant", "jwt-bearer", "--private-key", "k"], "--client-id"),
            (["--grant", "jwt-bearer", "--client-id", "c", "--client-secret-env", "S"], "--private-key"),
            (["--grant", "jwt-bearer", "--assertion-file", "a"], "--issuer"),
            (["--issuer", "https://op.example", "--assertion-file", "a"], "--grant jwt-bearer"),
            (
                ["--issuer", "https://op.example", "--grant", "jwt-bearer", "--assertion-file", "a", "--param", "a=b"],
                "--param"
            ),
            (["--grant", "client-credentials"], "--client-id"),
            (["--grant", "client-credentials", "--register"], "--client-id"),
            (["--grant", "client-credentials", "--client-id", "c"], "--client-secret-env"),
            (
                ["--grant", "client-credentials", "--client-id", "c", "--client-secret-env", "S", "--param", "a=b"],
                "--param"
            ),
            (["--grant", "client-credentials", "--client-id", "c", "--client-secret-env", "S", "--paste"], "--paste"),
            (["--client-secret-env", "S"], "--client-id"), (["--private-key", "k"], "--client-metadata-url"),
            (["--client-id", "c", "--register"], "--register"),
            (["--client-id", "c", "--client-name", "n"], "--register"),
            (["--auth-method", "basic", "--client-id", "c"], "--client-secret-env"),
            (["--id-token-alg", "ES256"], "--id-token-alg"), (["--userinfo-alg", "ES256"], "--userinfo-alg"),
            (["--client-certificate", "c", "--client-certificate-key", "k"], "--client-certificate"),
            (["--response-type", "code id_token"], "openid"),
            (["--device-authorization-endpoint", "https://op.example/device"], "--device-authorization-endpoint"),
        ])
    func refused(_ options: [String], _ word: String) throws {
        let error = #expect(throws: (any Error).self) { try Login.parse(api + options) }
        #expect(Login.message(for: try #require(error)).contains(word))
    }

    @Test func `a document goes without another identity, and with its own ways to authenticate`() {
        let own = ["--client-id", "c"]
        for options in [own, ["--auth-method", "basic"], ["--client-name", "n"], ["--client-secret-env", "S"]] {
            #expect(throws: (any Error).self, "\(options)") { try Login.parse(api + document + options) }
        }
        for options in [[], ["--register"], ["--private-key", "k"], ["--register", "--client-name", "n"]] {
            #expect(throws: Never.self, "\(options)") { try Login.parse(api + document + options) }
        }
    }

    @Test func `options for an API are refused without one`() {
        let login = ["--issuer", "https://op.example", "--client-id", "cli"]
        for options in [
            document, ["--allow-private-addresses"], ["--tolerate", "parent-resource"],
            ["--tolerate", "unnamed-resource"],
        ] {
            #expect(throws: (any Error).self, "\(options)") { try Login.parse(login + options) }
        }
        for url in ["mcp.example", "ftp://mcp.example", "https://ada@mcp.example", "https://mcp.example#x", ""] {
            #expect(throws: (any Error).self, "\(url)") { try Login.parse(["--for", url]) }
        }
    }

    @Test func `the options choose the client; without them the login before does, else it registers`() throws {
        func clients(_ options: [String], stored: AuthState.Record? = nil) throws -> [ResourceClient] {
            try Login.parse(api + options).clients(stored: stored)
        }
        var metadata = ClientMetadata()
        metadata.clientName = "authstate"
        metadata.responseTypes = [.code]
        let registering = ResourceClient.registering(metadata)
        #expect(try clients([]) == [registering] && clients(["--register"]) == [registering])
        let url = "https://app.example/c.json"
        // Where the server takes no documents, the next way is tried.
        #expect(try clients(document) == [.document(url), registering])
        #expect(try clients(document + ["--register"]) == [.document(url), registering])
        #expect(
            try clients(document + ["--private-key", "/k.pem"])
                == [.document(url, credential: .privateKey(file: "/k.pem")), registering])
        let issuer = ["--client-id", "c", "--issuer", "https://op.example"]
        #expect(try clients(issuer) == [.known("c", issuer: "https://op.example")])
        #expect(
            try clients(["--client-id", "c", "--client-secret-env", "S"]) == [
                .known("c", credential: .environment("S"))
            ])

        // Without a page the browser of the machine is not used.
        let account = ["--grant", "jwt-bearer", "--client-id", "c", "--private-key", "/k", "--browser-command", "open"]
        #expect(try clients(account) == [.known("c", credential: .privateKey(file: "/k"))])
        let assertion = ["--grant", "jwt-bearer", "--assertion-file", "/t", "--issuer", "https://op.example"]
        #expect(try clients(assertion) == [])
        #expect(
            try clients(assertion + ["--client-id", "c", "--client-secret-env", "S"])
                == [.known("c", credential: .environment("S"), issuer: "https://op.example")])
        #expect(
            try clients([
                "--grant", "client-credentials", "--assertion-env", "A", "--client-id", "c", "--issuer",
                "https://op.example",
            ]) == [.known("c", credential: .assertion(environment: "A"), issuer: "https://op.example")])

        let provider = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/"))
        var stored = AuthState.Record(Client(provider, id: "c", credential: .environment("S")))
        let known = ResourceClient.known("c", credential: .environment("S"), issuer: "https://op.example")
        #expect(try clients([], stored: stored) == [known])
        #expect(try clients(["--register"], stored: stored) == [registering])
        #expect(stored.secretVariables == ["S"])
        stored.assertionGrant = AssertionGrant(.assertion(environment: "A"))
        #expect(stored.secretVariables == ["S", "A"])
        stored.client.id = ""
        #expect(try stored.resourceClients == [] && clients([], stored: stored) == [registering])
        stored.assertionGrant = nil
        stored.client.id = url
        stored.annotations = ["authstate.client-metadata-url": url]
        #expect(try clients([], stored: stored) == [.document(url, credential: .environment("S"))])
    }

    @Test func `what the login's options say about the API is kept for later commands`() {
        var settings = Settings()
        settings.link.documentURL = "https://app.example/c.json"
        settings.link.toleratesParent = true
        settings.link.allowsPrivateAddresses = true
        settings.link.resource = "https://mcp.example/mcp"
        #expect(Settings(annotations: settings.annotations) == settings)
        #expect(settings.annotations["resource"] == "https://mcp.example/mcp")
        #expect(Settings(annotations: [:]).link == ResourceLink())
    }

    @Test(
        "a request opens pages with --step-up alone, and then uses the login's own token",
        arguments: [
            ["--browser-command", "open"], ["--paste"], ["--step-up", "--scope", "x"],
            ["--step-up", "--resource", "https://x.example"], ["--step-up", "--paste", "-d", "@-"],
            ["--step-up", "--paste", "--browser-command", "open"],
        ])
    func requests(_ options: [String]) throws {
        #expect(throws: (any Error).self) { try Request.parse(["https://mcp.example/mcp"] + options) }
        #expect(
            try Request.parse(["https://mcp.example/mcp", "--step-up", "--browser-command", "open"]).timeLimit == 300)
        #expect(try Request.parse(["https://mcp.example/mcp"]).timeLimit == 60)
    }

    @Test func `a document's options are checked as far as no file is read`() throws {
        func parse(_ options: String...) throws { _ = try PrintClientMetadata.parse(document + options) }
        try parse("--redirect-uri", "http://127.0.0.1/callback")
        try parse("--grant", "client-credentials", "--private-key", "k")
        #expect(throws: (any Error).self) { try parse() }
        #expect(throws: (any Error).self) { try parse("--grant", "client-credentials") }
        #expect(throws: (any Error).self) { try parse("--redirect-uri", "nowhere") }
        for method in ["basic", "secret-jwt", "tls"] {
            #expect(throws: (any Error).self) {
                try parse("--redirect-uri", "http://127.0.0.1/callback", "--auth-method", method)
            }
        }
    }
}

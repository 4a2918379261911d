import ArgumentParser
import AuthStateKit
import Foundation
import Testing

@testable import AuthStateProgram

struct UntidyInputTests {
    private let home = ProcessInfo.processInfo.environment["HOME"] ?? ""

    @Test func `a ~ that no shell has expanded is the home folder, in the name of any file`() throws {
        let words = [
            "--issuer", "https://op.example", "--client-id", "c", "--state", "~/s", "--ca-file", "~/ca", "--dpop-key",
            "~/d",
        ]
        let login = try Login.parse(words + ["--private-key", "~/k"])
        #expect(login.common.state == "\(home)/s" && login.common.selection == " --state \(home)/s")
        #expect(login.connection.certificateAuthorityFile == "\(home)/ca" && login.tokens.dpopKeyFile == "\(home)/d")
        #expect(login.client.key.credential == .privateKey(file: "\(home)/k"))
        let assertion = try Login.parse(words + ["--grant", "jwt-bearer", "--assertion-file", "~/a"])
        #expect(assertion.client.assertion == .assertion(file: "\(home)/a"))
        let certificate = try Login.parse(words + ["--client-certificate", "~/c", "--client-certificate-key", "~/k"])
        #expect(
            certificate.client.certificateFile == "\(home)/c" && certificate.client.certificateKeyFile == "\(home)/k")
        #expect(try FileName.expanded("~", environment: ["HOME": "/home/ada"]) == "/home/ada")
        for name in ["a~", "./~/a", "/~"] { #expect(try FileName.expanded(name, environment: [:]) == name) }
    }

    @Test(
        "a variable that no shell has expanded is refused, and a URL",
        arguments: ["$HOME/s", "${HOME}/s", "$XDG_STATE_HOME/s", "$_/s", "file:///s", "file:s"])
    func unexpanded(_ name: String) throws {
        #expect(throws: ValidationError.self) { try FileName.expanded(name, environment: ["HOME": "/home/ada"]) }
        #expect(try FileName.expanded("./\(name)", environment: [:]) == "./\(name)")
    }

    @Test("a name that begins with a dollar sign is one", arguments: ["$", "$1", "$/s", "a$HOME"])
    func dollar(_ name: String) throws { #expect(try FileName.expanded(name, environment: [:]) == name) }

    @Test("another user's home folder is refused, and one where there is no home", arguments: ["~ada/s", "~/s"])
    func otherHome(_ name: String) {
        let error = #expect(throws: ValidationError.self) { try FileName.expanded(name, environment: [:]) }
        #expect(error?.message.contains("from the root") == true)
    }

    @Test func `a file after @ is found in the home folder too`() throws {
        let name = "authstate-test-\(UInt64.random(in: 0 ... .max))"
        try Data("body".utf8).write(to: URL(filePath: "\(home)/\(name)"))
        defer { try? FileManager.default.removeItem(atPath: "\(home)/\(name)") }
        #expect(try InputFile.read("~/\(name)") == Data("body".utf8))
        let error = #expect(throws: AuthStateError.self) { try InputFile.read("~ada/\(name)") }
        #expect(error?.kind == .usage)
    }

    @Test(
        "the URL of an issuer's metadata names the issuer",
        arguments: [
            ("https://op.example/.well-known/openid-configuration", "https://op.example"),
            ("https://op.example/realms/a/.well-known/openid-configuration", "https://op.example/realms/a"),
            ("https://op.example/.well-known/oauth-authorization-server/a", "https://op.example/a"),
            ("https://op.example/.well-known/oauth-authorization-server/", "https://op.example"),
            ("https://op.example/.well-known/openid-configuration/", "https://op.example"),
            (
                "https://op.example/.well-known/openid-configuration-2",
                "https://op.example/.well-known/openid-configuration-2"
            ),
            ("https://op.example/", "https://op.example/"),
        ])
    func issuer(_ text: String, _ issuer: String) throws {
        #expect(try Login.parse(["--issuer", text, "--client-id", "c"]).connection.issuer == issuer)
        let words = ["--identifier", "ada@op.example", "--client-id", "c", "--allow-issuer", text]
        #expect(try Login.parse(words).identity.allowedIssuers == [issuer])
    }

    @Test func `a token of a variable has no line break at its end`() throws {
        func read(_ text: String) throws -> String? {
            try SecretVariable.read("T", holding: "a token", stage: .token, environment: ["T": text])
        }
        for end in ["", "\n", "\r\n", "\n\n"] { #expect(try read("t\(end)") == "t") }
        #expect(try read("t ") == "t ")
        #expect(throws: AuthStateError.self) { try read("\n") }
    }

    @Test func `git's server may be named by its URL, and a question that git never asks is told`() throws {
        for name in ["git.example", "https://git.example/", "https://git.example:443", "http://git.example"] {
            #expect(try GitCredential.parse(["--host", name, "get"]).servers.host == ["git.example"])
        }
        #expect(
            try GitCredential.parse(["--host", "https://git.example:8443/", "get"]).servers.host == ["git.example:8443"]
        )
        for name in ["https://git.example/team", "https://ada@git.example", "ssh://git.example", "git.example/"] {
            #expect(throws: (any Error).self) { try GitCredential.parse(["--host", name, "get"]) }
        }
        func problem(_ lines: String) -> String? { GitQuestion(Data(lines.utf8)).problem }
        #expect(problem("protocol=https\nhost=https://git.example/\n")?.contains("host=git.example.") == true)
        #expect(problem("host=git.example\n")?.contains("protocol=https") == true)
        #expect(problem("protocol=https\nhost=other.example\n") == nil)
        let servers = try GitCredential.parse(["--host", "git.example", "get"]).servers
        func isPlain(_ lines: String) -> Bool { GitQuestion(Data(lines.utf8)).isPlainHTTP(of: servers) }
        #expect(isPlain("protocol=http\nhost=git.example\n"))
        #expect(!isPlain("protocol=http\nhost=other.example\n") && !isPlain("protocol=https\nhost=git.example\n"))
    }

    @Test("kubectl gets a token for the clusters that are named alone, and has to say which one asks")
    func clusters() throws {
        func answers(_ servers: [String], _ cluster: String?) throws -> AuthStateError? {
            let credential = try KubeCredential.parse(servers.flatMap { ["--server", $0] })
            let spec = cluster.map { #""spec":{"cluster":{"server":"\#($0)"}},"# } ?? ""
            do { try credential.checkServer(asked: "{\(spec)\"apiVersion\":\"v1\"}") } catch let error as AuthStateError
            {
                return error
            }
            return nil
        }
        let own = "https://k8s.example:6443"
        for cluster in [own, "https://K8S.example:6443/", "https://k8s.example:6443//"] {
            #expect(try answers([own + "/"], cluster) == nil && answers([], cluster) == nil)
        }
        #expect(try answers(["https://a.example", own], own) == nil && answers([], nil) == nil)
        let others = [
            "https://evil.example", "https://k8s.example", own + "/x", "http://k8s.example:6443", "k8s", "",
            "https://\u{212A}8s.example:6443",
        ]
        for cluster in others { #expect(try answers([own], cluster)?.kind == .usage, "\(cluster)") }
        #expect(try answers([own], nil)?.hint?.contains("provideClusterInfo") == true)
        for url in ["http://k8s.example", "k8s.example", ""] {
            #expect(throws: (any Error).self) { try KubeCredential.parse(["--server", url]) }
        }
    }

    @Test func `scopes that were not granted are told, under any of their names`() {
        #expect(ScopeNote.missing("a", ["a", "b", "c"])?.hasSuffix(": b c.") == true)
        #expect(ScopeNote.missing("", ["a"])?.hasSuffix(": a.") == true)
        let google = "openid https://www.googleapis.com/auth/userinfo.email"
        #expect(
            ScopeNote.missing(google, ["openid", "email"]) == nil
                && ScopeNote.beyond(google, ["openid", "email"]) == nil)
        #expect(ScopeNote.missing("User.Read", ["https://graph.microsoft.com/User.Read", "offline_access"]) == nil)
        #expect(ScopeNote.missing("a,b", ["a", "b"]) == nil && ScopeNote.beyond("a,b", ["a", "b"]) == nil)
        #expect(ScopeNote.beyond(" a  b ", ["a", "b"]) == nil && ScopeNote.missing("a,b", ["c"]) != nil)
        #expect(ScopeNote.missing("reader", ["read"]) != nil && ScopeNote.missing(nil, ["a"]) == nil)
    }

    @Test("a redirect of a request is no answer, and the place is told", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) throws {
        let url = try #require(URL(string: "https://api.example/mcp"))
        let response = TransportResponse(status: status, headers: ["Location": "/mcp/"])
        let report = ResponseReport(response, of: url).report
        #expect(report.status == (status == 303 ? .done : .resource))
        #expect(report.note?.contains("https://api.example/mcp/") == (status == 303 ? nil : true))
    }
}

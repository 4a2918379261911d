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
}

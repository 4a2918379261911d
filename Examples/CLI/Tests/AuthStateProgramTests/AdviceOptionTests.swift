import ArgumentParser
import AuthStateKit
import AuthStateOAuth
import Foundation
import Testing

@testable import AuthStateProgram

struct AdviceOptionTests {
    @Test func `no advice names what this program does not have`() {
        let hints = [
            "Check the issuer, or give the endpoints by hand.",
            "Tell the provider's operator, or give the endpoints by hand.",
            "Give the endpoints by hand, or ask the provider to mend its document.", "Use the endpoint's final URL.",
        ]
        for hint in hints {
            let error = AuthStateError(.invalidMetadata, stage: .discovery, "Refused.", hint: hint)
            let advice = error.advised.hint ?? ""
            #expect(!advice.contains("by hand") && !advice.contains("endpoint's final URL"), "\(advice)")
            #expect(advice.hasSuffix(".") && !advice.contains(",."), "\(advice)")
        }
        let redirected = AuthStateError(.redirected, stage: .token, "Redirected.").advised.hint
        #expect(redirected?.contains("operator") == true)
    }

    @Test(
        "the words of the library's hints become options",
        arguments: [
            ("Turn DPoP on for the client at the provider, or log in without a DPoP key.", "--dpop"),
            ("Give the request a dpopKey, to which the token can be bound.", "--dpop"),
            ("Ask for resources that the provider knows and that the client may use.", "--resource"),
            ("Ask for authorization details that the provider knows.", "--authorization-details"),
            ("Set signingCredential of the request, or give its client a credential.", "--request-object"),
            ("Push the request (isPushed), or leave out signingCredential.", "--par"),
            (
                "Ask for a response type that the provider supports and that the client is registered for: code, if in doubt.",
                "--response-type"
            ),
            ("Use discovery, give issuer and jwksURI, or leave out the scope openid.", "--scope"),
            ("Register the client for OpenID Connect, or leave out the scope openid.", "--scope"),
            ("Check that the endpoint is the right one, or allow more with maximumResponseBytes.", "endpoint"),
            ("Install the library, or use another one with Cryptography.use(_:).", "Install"),
        ])
    func words(_ hint: String, _ named: String) throws {
        let advice = AuthStateError(.malformedResponse, stage: .token, "Refused.", hint: hint).advised.hint ?? ""
        #expect(advice.contains(named) && advice.hasSuffix("."), "\(advice)")
        #expect(!advice.contains(/\b[a-z]+[A-Z]|\(_/), "\(advice)")
        // The library gives this hint still.
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        #expect(try files.contains { try String(contentsOf: root.appending(path: $0), encoding: .utf8).contains(hint) })
    }

    @Test(
        "a client that registered is never told to check an identifier that the user did not give",
        arguments: [
            ("unauthorized_client", AuthStateError.Code.unauthorizedClient), ("invalid_request", .invalidRequest),
            ("invalid_grant", .invalidGrant), ("invalid_client", .invalidClient),
        ])
    func registered(_ error: String, _ code: AuthStateError.Code) throws {
        let response = OAuthErrorResponse(error: error, errorDescription: "client not found")
        let refusal = AuthStateError(code, stage: .refresh, "Refused.", response: response, httpStatus: 400)
        var facts = LoginFacts(resource: nil, isRegistered: true, parts: [])
        facts.issuer = "https://op.example"
        let hint = try refusal.advised(for: CommonOptions.parse([]), facts).hint
        #expect(hint?.contains("--register-anew") == true && hint?.contains("--client-id") == false)
    }

    /// Options of other programs that a message names.
    static let foreign: Set<String> = [
        "--add", "--exec-api-version", "--exec-arg", "--exec-command", "--exec-interactive-mode", "--global",
        "--package-path", "--generate-completion-script", "--until-eof",
    ]

    static func options(_ text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[^\w-])(--[a-z][a-z-]*[a-z])/).map { String($0.1) })
    }

    static func known(_ command: any ParsableCommand.Type) -> Set<String> {
        let own = options(AuthStateCommand.helpMessage(for: command, includeHidden: true))
        let subcommands =
            command.configuration.subcommands + command.configuration.groupedSubcommands.flatMap(\.subcommands)
        return subcommands.reduce(own) { $0.union(known($1)) }
    }

    @Test func `each option that a message, a help text or an advice names is one of this program`() throws {
        let known = Self.known(AuthStateCommand.self).union(Self.foreign)
        #expect(known.isSuperset(of: ["--tolerate", "--issuer", "--min-validity"]))
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        var found = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for option in Self.options(text) {
                found += 1
                #expect(known.contains(option), "\(path) names \(option)")
            }
        }
        #expect(found > 100)
    }
}

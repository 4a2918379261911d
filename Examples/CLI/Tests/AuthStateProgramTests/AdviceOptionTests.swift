import ArgumentParser
import AuthStateKit
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
        "a client that registered is never told to check an identifier that the user did not give",
        arguments: [
            ("unauthorized_client", AuthStateError.Code.unauthorizedClient), ("invalid_request", .invalidRequest),
            ("invalid_grant", .invalidGrant), ("invalid_client", .invalidClient),
        ])
    func registered(_ error: String, _ code: AuthStateError.Code) throws {
        let response = OAuthErrorResponse(error: error, errorDescription: "client not found")
        let refusal = AuthStateError(code, stage: .refresh, "Refused.", response: response, httpStatus: 400)
        var facts = LoginFacts(resource: nil, isRegistered: true, hasProof: false)
        facts.issuer = "https://op.example"
        let hint = try refusal.advised(for: CommonOptions.parse([]), facts).hint
        #expect(hint?.contains("--register-anew") == true && hint?.contains("--client-id") == false)
    }

    /// Options of other programs that a message names.
    private static let foreign: Set<String> = [
        "--add", "--exec-api-version", "--exec-arg", "--exec-command", "--exec-interactive-mode", "--global",
        "--package-path", "--generate-completion-script", "--until-eof",
    ]

    private static func options(_ text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[^\w-])(--[a-z][a-z-]*[a-z])/).map { String($0.1) })
    }

    private static func known(_ command: any ParsableCommand.Type) -> Set<String> {
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

import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// The built program at a provider that does one thing wrong: the output for the user, and for a script.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    /// One way of a provider to be wrong, and how a login at it ends.
    struct Lie: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int32 = 65
        var stage: AuthStateError.Stage = .token
        var code: AuthStateError.Code
        /// The name of the check, as the message has it.
        var check: String
        var tell: @Sendable (inout OpenIDProvider.Deviations) -> Void

        static func metadata(
            _ name: String, _ stage: AuthStateError.Stage, _ code: AuthStateError.Code, _ check: String,
            _ edit: @escaping OpenIDProvider.Deviations.Edit
        ) -> Lie {
            Lie(testDescription: name, status: 78, stage: stage, code: code, check: check) { $0.metadata = edit }
        }

        static func idToken(_ claim: String, _ edit: @escaping OpenIDProvider.Deviations.Edit) -> Lie {
            Lie(testDescription: "ID token: \(claim)", code: .invalidIDToken, check: claim) {
                $0.idToken = { claims, _ in edit(&claims) }
            }
        }

        static func tokenResponse(
            _ name: String, _ code: AuthStateError.Code, _ check: String,
            _ edit: @escaping OpenIDProvider.Deviations.Edit
        ) -> Lie {
            Lie(testDescription: "token response: \(name)", code: code, check: check) { $0.tokenResponse = edit }
        }

        static let all: [Lie] = [
            metadata("another issuer", .discovery, .issuerMismatch, "another issuer") {
                $0["issuer"] = "https://evil.example"
            },
            metadata("a malformed member", .discovery, .invalidMetadata, "jwks_uri") { $0["jwks_uri"] = 5 },
            metadata("no S256", .authorization, .pkceUnsupported, "S256") {
                $0["code_challenge_methods_supported"] = ["plain"]
            },
            Lie(
                testDescription: "iss of another provider", stage: .authorization, code: .issuerParameterMismatch,
                check: "another provider"
            ) { $0.authorizationResponse = { $0["iss"] = "https://evil.example" } },
            Lie(testDescription: "a broken signature", code: .invalidSignature, check: "signature") {
                $0.signature = .broken
            },
            Lie(testDescription: "no signature", code: .invalidSignature, check: "signature") {
                $0.signature = .missing
            },
            idToken("iss") { $0["iss"] = "https://evil.example" },
            idToken("aud") { $0["aud"] = "another" },
            idToken("nonce") { $0["nonce"] = "another" },
            idToken("exp") { $0["exp"] = 1 },
            idToken("at_hash") { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" },
            tokenResponse("no ID token", .invalidIDToken, "no ID token") { $0["id_token"] = nil },
            tokenResponse("another type", .unsupportedTokenType, "type") { $0["token_type"] = "mac" },
            tokenResponse("a control character", .malformedResponse, "access_token") { $0["access_token"] = "a\u{7}b" },
        ]
    }

    private let authstate: Authstate
    private let provider: OpenIDProvider

    init() async throws { (authstate, provider) = (try Authstate(), try await OpenIDProvider()) }

    private func logIn() async throws -> Program.Result {
        try await authstate(
            "login", "--issuer", provider.issuer, "--client-id", "app", "--browser-command",
            authstate.browser.commandLine(), "--json")
    }

    private func expect(
        _ result: Program.Result, _ status: Int32, _ stage: AuthStateError.Stage, _ code: AuthStateError.Code,
        _ check: String
    ) throws {
        let error = try result.json()["error"]
        #expect(result.status == status, "\(result)")
        #expect(error?["stage"]?.stringValue == stage.rawValue && error?["code"]?.stringValue == code.rawValue)
        #expect(error?["message"]?.stringValue?.contains(check) == true, "\(result.output)")
    }

    @Test("a refused login exits with 65, or 78, names stage and check, and leaves nothing behind", arguments: Lie.all)
    func login(_ lie: Lie) async throws {
        provider.update { lie.tell(&$0.deviations) }
        try expect(try await logIn(), lie.status, lie.stage, lie.code, lie.check)
        #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
    }

    @Test func `a refused login leaves the login before it as it was`() async throws {
        #expect(try await logIn().status == 0)
        let before = try Data(contentsOf: URL(filePath: authstate.stateFile))
        provider.update { $0.deviations.signature = .foreignKey }
        try expect(try await logIn(), 65, .token, .invalidSignature, "signature")
        #expect(try Data(contentsOf: URL(filePath: authstate.stateFile)) == before)
    }

    @Test("a refused renewal keeps the new refresh token, which renews once the provider is right again")
    func renewal() async throws {
        #expect(try await logIn().status == 0)
        provider.update { $0.deviations.idToken = { claims, _ in claims["sub"] = "mallory" } }
        try expect(try await authstate("refresh", "--json"), 65, .refresh, .invalidIDToken, "sub")
        provider.update { $0.deviations = OpenIDProvider.Deviations() }
        #expect(try await authstate("refresh").status == 0)
        #expect(provider.statistics.refreshTokenReuses == 0)
    }

    @Test("userinfo of another user is refused, and the login stays")
    func userInfo() async throws {
        #expect(try await logIn().status == 0)
        provider.update { $0.deviations.userInfo = { $0["sub"] = "mallory" } }
        try expect(try await authstate("userinfo", "--json"), 65, .userinfo, .subjectMismatch, "another user")
        #expect(try await authstate("status").status == 0)
    }
}

import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// The built program at a provider in this process, which signs ID tokens with the client's secret and wants signed
/// requests.
@Suite(.timeLimit(.minutes(5)))
struct RegisteredAlgorithmTests {
    private let authstate: Authstate

    init() throws { authstate = try Authstate() }

    private func logIn(at provider: OpenIDProvider, _ options: [String]) async throws -> Program.Result {
        try await authstate(
            ["login", "--issuer", provider.issuer, "--register", "--browser-command"]
                + [authstate.browser.commandLine(), "--json"] + options)
    }

    @Test(
        "a login registers for HS256 and signed requests, and gets the secret that both need",
        arguments: [[], ["--auth-method", "post"]])
    func algorithms(_ method: [String]) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.signingAlgorithm = .hs256
        configuration.requiresSignedRequestObjects = true
        let provider = try await OpenIDProvider(configuration: configuration)
        let result = try await logIn(at: provider, ["--id-token-alg", "HS256", "--request-object"] + method)
        try #require(result.status == 0, "\(result)")
        let registration = try #require(try await authstate.state().record.lastRegistrationResponse)
        #expect(registration.clientSecret != nil && registration.idTokenSignedResponseAlg == .hs256)
        #expect(registration.metadata["request_object_signing_alg"] == "HS256")
        await provider.stop()
    }

    @Test("a client without a secret is told what to give")
    func withoutSecret() async throws {
        let provider = try await OpenIDProvider()
        let result = try await logIn(at: provider, ["--id-token-alg", "HS256", "--auth-method", "none"])
        #expect(result.status == 64 && result.output.contains("--auth-method basic"), "\(result)")
        await provider.stop()
    }
}

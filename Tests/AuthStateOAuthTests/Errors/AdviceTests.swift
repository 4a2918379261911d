import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct AdviceTests {
    private static let codes = AuthStateError.Code.kinds.keys.sorted { $0.rawValue < $1.rawValue }

    @Test("each code has advice, but for what a user or a program cancelled", arguments: codes)
    func eachCode(_ code: AuthStateError.Code) {
        let error = AuthStateError(code, stage: .token, "It failed.")
        #expect((error.hint == nil) == (error.kind == .cancelled))
        if let hint = error.hint { #expect(hint.hasSuffix(".") && hint.count < 300, "\(hint)") }
    }

    private static let stages: [AuthStateError.Stage] = [
        .registration, .authorization, .token, .userinfo, .refresh, .resource, .logout,
    ]

    @Test("each error of a provider has advice at each stage, unknown ones too", arguments: stages)
    func providersErrors(_ stage: AuthStateError.Stage) {
        for error in OAuthErrorResponse.codes.keys + ["of_its_own"] {
            #expect(OAuthErrorResponse(error: error).hint(at: stage) != nil, "\(error)")
        }
    }

    /// A request for tokens with a proof, and what its advice may speak of.
    private struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var authentication: @Sendable () throws -> ClientAuthentication
        var names: [String]
        var mustName: String
    }

    private static let examples: [Example] = [
        Example(
            testDescription: "a public client",
            authentication: { .none(clientID: "c") }, names: ["secret"], mustName: "no secret"),
        Example(
            testDescription: "a plain secret in the header",
            authentication: { try .secret("abc", clientID: "c", method: .clientSecretBasic) }, names: ["secret"],
            mustName: "Tolerate clientIDBesideBasic"),
        Example(
            testDescription: "a secret that the header encodes",
            authentication: { try .secret("a+b/c=", clientID: "c", method: .clientSecretBasic) }, names: ["secret"],
            mustName: "Tolerate unencodedBasic"),
        Example(
            testDescription: "a secret in the form",
            authentication: { try .secret("abc", clientID: "c", method: .clientSecretPost) }, names: ["secret"],
            mustName: "client_secret_basic"),
        Example(
            testDescription: "a secret with a line break at its end",
            authentication: { try .secret("abc\n", clientID: "c", method: .clientSecretBasic) }, names: ["secret"],
            mustName: "line break"),
        Example(
            testDescription: "a key",
            authentication: { try .assertion("a.b.c", clientID: "c", method: .privateKeyJWT) },
            names: ["assertion"], mustName: "Tolerate endpointAudience"),
    ]

    @Test("a refused client gets advice about its own proof alone", arguments: examples)
    private func proof(_ example: Example) throws {
        var (form, headers) = (Parameters(), TransportHeaders())
        try example.authentication().apply(to: &form, headers: &headers)
        let request = TransportRequest(
            method: .post, url: try #require(URL(string: "https://op.example/token")), headers: headers,
            body: Data(form.encoded.utf8))
        let plain = AuthStateError(.invalidClient, stage: .token, "The token endpoint refused: invalid_client.")
        let hint = try #require(request.advising(plain).hint)
        #expect(hint.contains(example.mustName), "\(hint)")
        for word in ["secret", "assertion", "redirect", "DPoP"] where hint.contains(word) {
            #expect(example.names.contains(word), "\(hint)")
        }
        // What a provider's words say is better than a guess.
        var known = plain
        known.response = OAuthErrorResponse(error: "invalid_client", errorDescription: "AADSTS7000215: wrong")
        #expect(request.advising(known.explained).hint == known.explained.hint)
        #expect(request.advising(AuthStateError(.invalidGrant, stage: .token, "")).hint == "Log in again.")
    }
}

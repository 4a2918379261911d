import AuthStateFoundation
import Testing

@testable import AuthStateOAuth

struct ErrorTests {
    /// The names of all codes, read from their declarations: a list of our own could forget one.
    private static let names: [String] = {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let source = tests.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/AuthStateOAuth/Errors/AuthStateError+Code.swift")
        let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            line.contains("= known(\"") ? line.split(separator: "\"").dropFirst().first.map(String.init) : nil
        }
    }()

    @Test func `every known code has a kind`() {
        #expect(Self.names.count >= 50 && Set(Self.names).count == Self.names.count)
        for name in Self.names {
            #expect(AuthStateError.Code.kinds[AuthStateError.Code(rawValue: name)] != nil, "\(name)")
        }
        #expect(AuthStateError.Code.kinds.count == Self.names.count)
        #expect(AuthStateError(AuthStateError.Code(rawValue: "new"), stage: .token, "New.").kind == .refused)
    }

    @Test(
        "errors have the kinds that decide what a program does",
        arguments: [
            (AuthStateError.Code.invalidGrant, AuthStateError.Kind.reauthenticationRequired),
            (.accessDenied, .reauthenticationRequired), (.refusedWithoutReason, .reauthenticationRequired),
            (.tokenRejected, .reauthenticationRequired), (.noRefreshToken, .reauthenticationRequired),
            (.unreachable, .transient), (.timedOut, .transient), (.connectionLost, .transient),
            (.serverError, .transient), (.temporarilyUnavailable, .transient), (.invalidClient, .configuration),
            (.unauthorizedClient, .configuration), (.unsupportedGrantType, .configuration),
            (.invalidScope, .configuration), (.issuerMismatch, .configuration), (.pkceUnsupported, .configuration),
            (.stateMismatch, .refused), (.invalidIDToken, .refused), (.invalidSignature, .refused),
            (.malformedResponse, .refused), (.storeLocked, .store), (.insufficientScope, .resource),
            (.cancelled, .cancelled), (.invalidArgument, .usage),
        ])
    func kind(_ code: AuthStateError.Code, _ kind: AuthStateError.Kind) {
        #expect(AuthStateError(code, stage: .token, "").kind == kind)
    }

    @Test(
        "a code that no specification defines has one meaning; the table has all the others",
        arguments: ["Invalid_Grant", "", "something_new", "invalid_grant "])
    func unknownCodes(_ name: String) { #expect(OAuthErrorResponse(error: name).code == .providerError) }

    @Test func `an error keeps everything through an archive`() throws {
        var error = AuthStateError(
            .invalidGrant, stage: .refresh, "Gone.", expected: "a", received: "b", hint: "c",
            response: OAuthErrorResponse(error: "invalid_grant", errorDescription: "d", errorURI: "https://e"),
            httpStatus: 400, retryAfter: .seconds(1.5), underlying: CancellationError())
        error.challenge = AuthenticationChallenge(
            scheme: "Bearer", parameters: ["error": "invalid_token"], token68: "x")
        error.responseBody = "body"
        #expect(try JSONDecoder().decode(AuthStateError.self, from: JSONEncoder().encode(error)) == error)
        let text = "\(error)"
        for part in ["Gone.", "Expected a.", "Received b.", "c"] { #expect(text.contains(part)) }
    }

    @Test(
        "where a check of an answer failed, the text says which value is whose",
        arguments: [AuthStateError.Code.invalidIDToken, .issuerMismatch])
    func whose(_ code: AuthStateError.Code) {
        let text = "\(AuthStateError(code, stage: .token, "Wrong.", expected: "a", received: "b", hint: "Ask."))"
        #expect(text == "Wrong. This program expects a. The answer has b. Ask.")
    }

    @Test func `the stages have the names that the command line prints`() {
        let stages: [AuthStateError.Stage] = [
            .usage, .discovery, .registration, .authorization, .token, .userinfo, .refresh, .resource, .logout, .store,
        ]
        let names = "usage discovery registration authorization token userinfo refresh resource logout store"
        #expect(stages.map(\.rawValue).joined(separator: " ") == names)
    }
}

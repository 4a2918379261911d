import AuthStateFoundation
import AuthStateJOSE
import AuthStateProviders
import Testing

@testable import AuthStateOAuth

/// Text that a provider may write to steer a terminal, or to imitate other text.
struct TerminalTextTests {
    /// ESC, CSI, OSC, DEL, NEL, bidirectional marks, overrides and isolates, zero-width characters, line breaks, tabs.
    static let steering: [Unicode.Scalar] = [
        "\u{1B}", "\u{9B}", "\u{9D}", "\u{7F}", "\u{85}", "\u{07}", "\u{08}", "\u{0}", "\n", "\r", "\t", "\u{0B}",
        "\u{061C}",
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}",
        "\u{202C}",
        "\u{202D}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{E0001}",
        "\u{FFF9}",
    ]

    private static let hostile = "a" + String(String.UnicodeScalarView(steering)) + "b"

    /// Whether a text, or its JSON form, has a replacement and none of them left.
    private func isClean(_ text: String) -> Bool {
        !text.unicodeScalars.contains { Self.steering.contains($0) } && text.contains("\u{FFFD}")
    }

    @Test("each character that steers is replaced, and every other one is kept", arguments: steering)
    func scalar(_ scalar: Unicode.Scalar) { #expect("a\(scalar)b".printable() == "a\u{FFFD}b") }

    @Test(
        "letters of every script, combining marks and symbols are kept",
        arguments: ["Žluťoučký", "שלום", "東京 №1", "e\u{301}", "👍"])
    func kept(_ text: String) { #expect(text.printable() == text) }

    @Test("no text of an error steers a terminal, however it came in")
    func errors() throws {
        var error = AuthStateError(
            .providerError, stage: .token, Self.hostile, expected: Self.hostile, received: Self.hostile,
            hint: Self.hostile, response: OAuthErrorResponse(error: Self.hostile, errorDescription: Self.hostile),
            underlying: JOSEError(.malformed, Self.hostile, expected: Self.hostile))
        func check(_ error: AuthStateError) {
            let texts: [String?] = [
                error.message, error.expected, error.received, error.hint, error.underlying, error.response?.error,
                error.response?.errorDescription, error.description,
            ]
            for text in texts { #expect(text.map(isClean) == true) }
        }
        check(error)
        // Set one by one.
        error.message = Self.hostile
        error.expected = Self.hostile
        error.received = Self.hostile
        error.hint = Self.hostile
        error.underlying = Self.hostile
        error.responseBody = Self.hostile
        error.response?.error = Self.hostile
        error.response?.errorDescription = Self.hostile
        error.response?.errorURI = Self.hostile
        error.challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["scope": Self.hostile])
        check(error)
        for text in [error.responseBody, error.challenge?.scope, error.response?.errorURI] {
            #expect(text.map(isClean) == true)
        }
    }

    @Test("an error out of an archive is cleaned like any other")
    func archived() throws {
        let members: JSONValue = [
            "code": "providerError", "stage": "token", "message": .string(Self.hostile),
            "expected": .string(Self.hostile), "received": .string(Self.hostile), "hint": .string(Self.hostile),
            "underlying": .string(Self.hostile), "responseBody": .string(Self.hostile),
            "response": ["error": .string(Self.hostile), "error_description": .string(Self.hostile)],
            "challenge": ["scheme": "Bearer", "parameters": ["scope": .string(Self.hostile)]],
        ]
        let error = try JSONDecoder().decode(AuthStateError.self, from: Data(members.serialized()))
        let again = try JSONEncoder().encode(error)
        let text = String(decoding: again, as: UTF8.self)
        #expect(isClean(text) && isClean(error.description))
        #expect(error.responseBody.map(isClean) == true && error.challenge?.scope.map(isClean) == true)
        #expect(try JSONDecoder().decode(AuthStateError.self, from: again) == error)
    }

    @Test func `an answer of the token endpoint leads to an error that can be shown`() throws {
        let body: JSONValue = ["error": "invalid_grant", "error_description": .string(Self.hostile)]
        let answer = TokenAnswer(
            Fixtures.json(String(decoding: body.serialized(), as: UTF8.self), status: 400),
            to: TokenRequest(Client(try Fixtures.configuration(), id: "client"), .refreshToken("r")),
            sentAt: Fixtures.now)
        guard case .error(let error) = answer else {
            Issue.record("no error")
            return
        }
        #expect(isClean(error.description) && isClean(error.response?.errorDescription ?? ""))
    }

    @Test("a finding can be shown, also one that was decoded")
    func findings() throws {
        let finding = Finding(.providerRule, .warning, Self.hostile, hint: Self.hostile)
        #expect(isClean(finding.message) && isClean(finding.hint) && isClean("\(finding)"))
        let parts = ["code": "providerRule", "severity": "warning", "message": Self.hostile, "hint": Self.hostile]
        let decoded = try JSONDecoder().decode(Finding.self, from: JSONEncoder().encode(parts))
        #expect(isClean(decoded.message) && isClean(decoded.hint))
    }
}

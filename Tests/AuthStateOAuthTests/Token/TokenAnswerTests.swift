import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct TokenAnswerTests {
    /// A JSON object with a good answer's members, some replaced or removed.
    private func body(_ changes: [String: JSONValue?]) -> String {
        var members: [String: JSONValue] = [
            "access_token": "SECRET-a", "token_type": "Bearer", "refresh_token": "SECRET-r",
        ]
        for (name, value) in changes { members[name] = value }
        return String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
    }

    private func read(_ text: String, status: Int = 200, tolerances: Set<Tolerance> = []) throws -> TokenAnswer {
        var configuration = try Fixtures.configuration()
        configuration.tolerances = tolerances
        let request = TokenRequest(Client(configuration, id: "client"), .refreshToken("SECRET-old"))
        return TokenAnswer(Fixtures.json(text, status: status), to: request, sentAt: Fixtures.now)
    }

    private func tokens(_ changes: [String: JSONValue?], tolerances: Set<Tolerance> = []) throws -> TokenResponse? {
        guard case .tokens(let response) = try read(body(changes), tolerances: tolerances) else { return nil }
        return response
    }

    /// The error of a refused answer, and the refresh token that is kept all the same.
    private func refused(_ text: String) throws -> (error: AuthStateError, refreshToken: String?)? {
        guard case .refused(let error, let refreshToken) = try read(text) else { return nil }
        Secrets.expectNone(in: error)
        #expect(error.stage == .refresh && error.httpStatus == 200)
        return (error, refreshToken)
    }

    @Test func `an answer with status 200 that calls itself an error does not lose the refresh token in it`() throws {
        let outcome = try #require(try refused(body(["error": "invalid_grant"])))
        #expect(outcome.error.code == .invalidGrant && outcome.refreshToken == "SECRET-r")
        guard case .error = try read(body(["error": "invalid_grant"]), status: 400) else {
            Issue.record("an error is an error, whatever else is in it")
            return
        }
    }

    @Test("a token type of access_token is Bearer by name, and an error that names the tolerance otherwise")
    func accessTokenType() throws {
        #expect(try tokens(["token_type": "Access_Token"], tolerances: [.accessTokenType])?.tokenType == "Bearer")
        #expect(try tokens(["token_type": nil], tolerances: [.accessTokenType]) == nil)
        #expect(try tokens(["token_type": "mac"], tolerances: [.accessTokenType, .missingTokenType]) == nil)
        let error = try #require(try refused(body(["token_type": "access_token"]))).error
        #expect(error.code == .unsupportedTokenType && error.hint?.contains("accessTokenType") == true)
    }

    @Test("a whole answer is read; members that the specification does not name are kept")
    func whole() throws {
        let response = try #require(
            try tokens(["expires_in": 3600, "id_token": "a.b.c", "scope": "a b", "x": ["y": 1]]))
        #expect(
            response.accessToken == "SECRET-a" && response.refreshToken == "SECRET-r" && response.tokenType == "Bearer")
        #expect(response.idToken == "a.b.c" && response.scope == "a b" && response.additionalMembers == ["x": ["y": 1]])
        #expect(response.issuedAt == Fixtures.now)
        #expect(response.accessTokenExpirationDate == Fixtures.now.addingTimeInterval(3600))
        #expect(try JSONDecoder().decode(TokenResponse.self, from: JSONEncoder().encode(response)) == response)
    }

    @Test("lifetimes: numbers with and without a fraction, in strings too; at most ten years; absent is unknown")
    func lifetimes() throws {
        func lifetime(_ value: JSONValue?) throws -> Double? {
            try #require(try tokens(["expires_in": value])).accessTokenExpirationDate?.timeIntervalSince(Fixtures.now)
        }
        let tenYears = 10.0 * 365 * 86400
        #expect(try lifetime("3600") == 3600 && lifetime(59.5) == 59.5 && lifetime(0) == 0 && lifetime("0") == 0)
        #expect(try lifetime(1e308) == tenYears && lifetime("99999999999999999999") == tenYears)
        #expect(try lifetime(nil) == nil && lifetime(.null) == nil)
    }

    @Test(
        "a lifetime that is no number is unknown",
        arguments: [true, false, "", "soon", "nan", "inf", [], [3600], ["seconds": 1]] as [JSONValue])
    func unusableLifetimes(_ value: JSONValue) throws {
        let response = try #require(try tokens(["expires_in": value]))
        #expect(response.accessTokenExpirationDate == nil && response.refreshToken == "SECRET-r")
    }

    @Test("a negative lifetime is refused; the refresh token is kept", arguments: [-1, "-1"] as [JSONValue])
    func badLifetimes(_ value: JSONValue) throws {
        let outcome = try #require(try refused(body(["expires_in": value])))
        #expect(outcome.error.code == .malformedResponse && outcome.error.message.contains("expires_in"))
        #expect(outcome.refreshToken == "SECRET-r")
    }

    @Test(
        "an access token is visible ASCII and not empty (RFC 6749, appendix A.12)",
        arguments: [nil, .null, "", " ", "a b", "a\n", "a\u{0}", "a\u{7F}", "tökén", 5, ["a"]] as [JSONValue?])
    func badAccessTokens(_ value: JSONValue?) throws {
        let outcome = try #require(try refused(body(["access_token": value])))
        #expect(outcome.error.code == .malformedResponse && outcome.error.message.contains("access_token"))
        #expect(outcome.refreshToken == "SECRET-r")
    }

    @Test(
        "the type must be Bearer in any case; nothing that is no string passes",
        arguments: ["bearer", "BEARER", "Bearer"])
    func bearer(_ type: String) throws { #expect(try tokens(["token_type": .string(type)])?.tokenType == type) }

    @Test(
        "another type is refused by name, the refresh token kept",
        arguments: ["mac", "DPoP", "", "N_A", "bear", 1, nil] as [JSONValue?])
    func otherTypes(_ type: JSONValue?) throws {
        let outcome = try #require(try refused(body(["token_type": type])))
        #expect([.unsupportedTokenType, .malformedResponse].contains(outcome.error.code))
        #expect(outcome.refreshToken == "SECRET-r")
    }

    @Test("a type that begins with Bearer means it", arguments: ["BearerToken", "bearer_token", "Bearer "])
    func nearlyBearer(_ type: String) throws {
        #expect(try tokens(["token_type": .string(type)])?.tokenType == "Bearer")
    }

    @Test("a missing type is tolerated only by name, and then nothing else is")
    func tolerance() throws {
        #expect(try tokens(["token_type": nil], tolerances: [.missingTokenType])?.tokenType == "Bearer")
        #expect(try tokens(["token_type": "mac"], tolerances: [.missingTokenType]) == nil)
        #expect(try tokens(["token_type": nil]) == nil)
    }

    @Test("a refresh token that cannot be sent is refused and not kept", arguments: ["a b", "a\r\nb"] as [JSONValue])
    func badRefreshTokens(_ value: JSONValue) throws {
        let outcome = try #require(try refused(body(["refresh_token": value])))
        #expect(outcome.error.message.contains("refresh_token") && outcome.refreshToken == nil)
    }

    @Test(
        "an optional member that cannot be used is absent",
        arguments: ["id_token", "scope", "refresh_token", "expires_in", "authorization_details"])
    func unusable(_ name: String) throws {
        for value: JSONValue in [.null, "", ["a": 1]] {
            if name == "scope", value == "" { continue }
            #expect(try tokens([name: value]) == tokens([name: nil]))
        }
    }

    @Test func `a list of scopes is the same as their text, and no scope is not the same as an absent one`() throws {
        #expect(try tokens(["scope": ["a", "b"]])?.scope == "a b" && tokens(["scope": ""])?.scope == "")
        #expect(try tokens(["scope": ["a", 5]])?.scope == nil)
    }

    @Test(
        "a 200 that is no JSON object is refused",
        arguments: [
            "", "{", #"{"access_token":"SECRET-a","token_type":"Bear"#, "null",
            "[]",
            "\"SECRET\"", "access_token=SECRET-a&token_type=bearer",
            #"{"access_token":"a","access_token":"SECRET-b","token_type":"Bearer"}"#,
            String(repeating: "[", count: 100_000),
        ])
    func notAnObject(_ text: String) throws { #expect(try refused(text)?.error.code == .malformedResponse) }

    @Test func `a page in place of a renewal's answer is passing, and none of the provider's`() throws {
        guard case .error(let error) = try read("<html><body>SECRET</body></html>") else {
            Issue.record("a page is no answer")
            return
        }
        Secrets.expectNone(in: error)
        #expect(error.code == .temporarilyUnavailable && error.message.contains("page for people"))
    }

    @Test(
        "error beside tokens, whatever it is, is no success; the refresh token is kept",
        arguments: [5, true, ["x"], ["code": 1]] as [JSONValue])
    func unreadableErrors(_ error: JSONValue) throws {
        let outcome = try #require(try refused(body(["error": error])))
        #expect(outcome.error.code == .malformedResponse && outcome.error.message.contains("error"))
        #expect(outcome.refreshToken == "SECRET-r")
    }

    @Test("an error without content is none", arguments: ["", false, [], [:]] as [JSONValue])
    func emptyErrors(_ error: JSONValue) throws { #expect(try tokens(["error": error])?.refreshToken == "SECRET-r") }

    @Test("error: null is what some providers write for none")
    func noError() throws { #expect(try tokens(["error": .null])?.accessToken == "SECRET-a") }

    @Test("an empty object is not a success")
    func emptyObject() throws { #expect(try refused("{}")?.error.code == .malformedResponse) }

    @Test func `bytes that are not UTF-8 are refused`() throws {
        let request = TokenRequest(Client(try Fixtures.configuration(), id: "c"), .refreshToken("r"))
        let bytes = Array(#"{"access_token":"a","token_type":"Bearer","x":""#.utf8) + [0xFF] + Array("\"}".utf8)
        let answer = TokenAnswer(TransportResponse(status: 200, body: Data(bytes)), to: request, sentAt: Fixtures.now)
        guard case .refused = answer else {
            Issue.record("accepted: \(answer)")
            return
        }
    }
}

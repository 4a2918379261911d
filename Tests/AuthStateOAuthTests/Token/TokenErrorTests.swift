import AuthStateFoundation
import Testing

@testable import AuthStateOAuth

struct TokenErrorTests {
    private func error(_ text: String, status: Int, headers: TransportHeaders = [:]) throws -> AuthStateError? {
        let request = TokenRequest(Client(try Fixtures.configuration(), id: "c"), .refreshToken("SECRET"))
        let answer = TokenAnswer(
            Fixtures.json(text, status: status, headers: headers), to: request, sentAt: Fixtures.now)
        guard case .error(let error) = answer else { return nil }
        Secrets.expectNone(in: error)
        #expect(error.stage == .refresh && error.httpStatus == status)
        return error
    }

    @Test(
        "an error response is read whatever the status (RFC 6749, section 5.2)",
        arguments: [200, 302, 400, 401, 403, 404])
    func everyStatus(_ status: Int) throws {
        let text = #"{"error":"invalid_grant","error_description":"gone","error_uri":"https://op.example/e"}"#
        let error = try #require(try error(text, status: status))
        #expect(error.code == .invalidGrant && error.response?.error == "invalid_grant")
        #expect(error.response?.errorDescription == "gone" && error.response?.errorURI == "https://op.example/e")
    }

    @Test func `an error beside an access token is an error`() throws {
        let text = #"{"error":"invalid_grant","access_token":"SECRET","token_type":"Bearer"}"#
        #expect(try error(text, status: 200)?.code == .invalidGrant)
    }

    @Test(
        "an error's name decides its code",
        arguments: [
            ("invalid_request", AuthStateError.Code.invalidRequest), ("invalid_client", .invalidClient),
            ("invalid_grant", .invalidGrant), ("unauthorized_client", .unauthorizedClient),
            ("unsupported_grant_type", .unsupportedGrantType), ("invalid_scope", .invalidScope),
            ("temporarily_unavailable", .temporarilyUnavailable), ("server_error", .serverError),
            ("invalid_code", .providerError),
        ])
    func meaning(_ name: String, _ code: AuthStateError.Code) throws {
        #expect(try error(#"{"error":"\#(name)"}"#, status: 400)?.code == code)
    }

    @Test func `a redirect URI is advised about only where one was sent`() throws {
        let client = Client(try Fixtures.configuration(), id: "c")
        func hint(_ grant: TokenRequest.Grant) -> String? {
            let answer = TokenAnswer(
                Fixtures.json(#"{"error":"invalid_request"}"#, status: 400), to: TokenRequest(client, grant),
                sentAt: Fixtures.now)
            guard case .error(let error) = answer else { return nil }
            return error.hint
        }
        let code = hint(.authorizationCode("code", redirectURI: nil, codeVerifier: nil))
        #expect(code?.contains("redirect URI") == true)
        for grant in [TokenRequest.Grant.clientCredentials, .deviceCode("d"), .refreshToken("r"), .assertion("a")] {
            #expect(hint(grant) == "Check the request's parameters.")
        }
    }

    @Test(
        "a busy or failing server is transient, whatever its error member says",
        arguments: [408, 429, 500, 502, 503, 504, 599])
    func transient(_ status: Int) throws {
        for text in ["", "<html>", "{}", #"{"error":"invalid_grant"}"#, #"{"error":"temporarily_unavailable"}"#] {
            #expect(try error(text, status: status)?.kind == .transient)
        }
        let isBusy = [408, 429, 503].contains(status)
        #expect(try error("", status: status)?.code == (isBusy ? .temporarilyUnavailable : .serverError))
    }

    @Test("a redirect is an error that names its target without the query", arguments: [301, 302, 303, 307, 308])
    func redirects(_ status: Int) throws {
        let error = try #require(
            try error("", status: status, headers: ["Location": "https://else.example/token?code=SECRET#SECRET"]))
        #expect(error.code == .redirected && error.received?.contains("https://else.example/token") == true)
        #expect(try self.error("", status: status)?.code == .redirected)
    }

    @Test(
        "a refusal without a readable reason is not taken for invalid_grant",
        arguments: ["", "{}", #"{"error":5}"#, #"{"error":null}"#, #"{"error":""}"#, #"{"error":{"code":1}}"#, "[]"])
    func withoutReason(_ text: String) throws {
        for status in [400, 401, 403] { #expect(try error(text, status: status)?.code == .refusedWithoutReason) }
    }

    @Test("a page for people says nothing about the grant or the client", arguments: [400, 401, 403])
    func page(_ status: Int) throws {
        let error = try #require(try error("\n <html>Blocked", status: status))
        #expect(error.code == .temporarilyUnavailable && error.hint?.contains("firewall") == true)
    }

    @Test(
        "words about the refresh token count for nothing where the server is busy or broken",
        arguments: [429, 500, 503])
    func busy(_ status: Int) throws {
        for words in ["The refresh token is invalid.", "refresh token expired"] {
            let text = #"{"error":"invalid_request","error_description":"\#(words)"}"#
            #expect(try error(text, status: status)?.kind == .transient)
        }
    }

    @Test(
        "a refusal in a form of its own is shown in its words",
        arguments: [
            (#"{"error":{"code":1,"message":"No such client"}}"#, "No such client"),
            (#"{"errors":[{"title":"Denied","detail":"Too old"}]}"#, "Denied, Too old"),
            (#"[{"message":"No"}]"#, "No"), (#"{"title":"Bad","status":400,"detail":"So"}"#, "Bad, So"),
        ])
    func foreignForms(_ body: String, _ words: String) throws {
        let error = try #require(try error(body, status: 400))
        #expect(error.code == .refusedWithoutReason && error.received == words)
    }

    @Test("a client that is refused without a reason at login is a matter of configuration", arguments: [401, 403])
    func refusedClient(_ status: Int) throws {
        let request = TokenRequest(Client(try Fixtures.configuration(), id: "c"), .clientCredentials)
        guard case .error(let error) = TokenAnswer(Fixtures.json("", status: status), to: request, sentAt: Fixtures.now)
        else {
            Issue.record("not an error")
            return
        }
        #expect(error.code == .invalidClient && error.kind == .configuration)
    }

    @Test("a success without a whole document is refused, and its refresh token is kept", arguments: [204, 206])
    func otherSuccesses(_ status: Int) throws {
        let body = #"{"access_token":"SECRET-a","token_type":"Bearer","refresh_token":"SECRET-r"}"#
        let response = TransportResponse(status: status, body: Data(body.utf8))
        let configuration = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let request = TokenRequest(Client(configuration, id: "c"), .refreshToken("SECRET-0"))
        guard case .refused(let error, let refreshToken) = TokenAnswer(response, to: request, sentAt: Date()) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .malformedResponse && refreshToken == "SECRET-r")
    }

    @Test("other statuses are malformed answers", arguments: [404, 405, 410, 418])
    func otherStatuses(_ status: Int) throws {
        let error = try error("", status: status)
        #expect(error?.code == .malformedResponse && error?.kind == .refused)
    }

    @Test(
        "Retry-After in seconds is passed on; a value that is no count of seconds is not",
        arguments: [
            ("120", 120.0 as Double?), ("0", 0), ("-1", nil), ("nan", nil), ("inf", nil), ("", nil), ("soon", nil),
            ("0x10", nil), ("1e3", nil),
        ])
    func retryAfter(_ value: String, _ expected: Double?) throws {
        for text in ["", #"{"error":"temporarily_unavailable"}"#] {
            let error = try error(text, status: 429, headers: ["retry-after": value])
            #expect(error?.retryAfter == expected.map(Duration.seconds))
        }
    }

    @Test(
        "Retry-After as a date counts from the answer's own Date, else from when the request was sent",
        arguments: [
            ("Fri, 15 Jan 2027 08:02:00 GMT", nil, 120), ("Friday, 15-Jan-27 08:02:00 GMT", nil, 120),
            ("Fri Jan 15 08:02:00 2027", nil, 120),
            ("Fri, 15 Jan 2027 08:02:00 GMT", "Fri, 15 Jan 2027 08:01:30 GMT", 30),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 0), ("Fri, 15 Jan 2088 08:00:00 GMT", nil, 86400),
            ("Fri, 15 Jan 2027 08:02:00 GMT", "nonsense", 120), ("Fri, 32 Jan 2027 08:02:00 GMT", nil, nil),
            ("Fri, 15 Jan 2027 24:02:00 GMT", nil, nil), ("Fri, 15 Jan 2027 08:02:00 CET", nil, nil),
            ("Fri, 15 Foo 2027 08:02:00 GMT", nil, nil), ("15 Jan 2027", nil, nil),
        ] as [(String, String?, Double?)])
    func retryAfterDate(_ value: String, _ date: String?, _ expected: Double?) throws {
        var headers: TransportHeaders = ["Retry-After": value]
        headers["Date"] = date
        #expect(try error("", status: 503, headers: headers)?.retryAfter == expected.map(Duration.seconds))
    }
}

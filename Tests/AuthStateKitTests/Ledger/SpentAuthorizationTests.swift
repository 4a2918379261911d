import Testing

@testable import AuthStateKit

struct SpentAuthorizationTests {
    private func answer(code: String, state: String, nonce: String?) throws -> AuthorizationResponse {
        var request = AuthorizationRequest(
            Client(try Fixture().record.client.provider, id: "client"),
            redirectURI: try RedirectURI("https://app.example/callback"))
        request.state = state
        request.nonce = nonce
        let parameters: Parameters = ["code": code, "state": state, "session_state": "ö", "scope": "a b"]
        return try AuthorizationResponse(
            callback: AuthorizationCallback(url: "https://app.example/callback?\(parameters.encoded)"), for: request)
    }

    @Test(
        "the answer is rebuilt unchanged, without its client", arguments: ["code", "ä\u{0}b", "👩‍👩‍👧"],
        ["state", "é", "e\u{301}"])
    func roundTrip(code: String, state: String) throws {
        for nonce in [nil, "", "nonce", "\u{301}"] {
            let answer = try answer(code: code, state: state, nonce: nonce)
            let again = AuthState.SpentAuthorization(answer).response
            var expected = answer
            expected.request = expected.request.withoutClient
            #expect(again == expected)
            #expect(Array(again.code.utf8) == Array(answer.code.utf8))
            #expect(Array(again.request.state.utf8) == Array(answer.request.state.utf8))
            #expect(again.request.nonce.map { Array($0.utf8) } == nonce.map { Array($0.utf8) })
            #expect(again.request.codeVerifier == answer.request.codeVerifier)
        }
    }

    @Test func `parameters that the provider added come back in order, repeated, empty and special ones too`() throws {
        var answer = try answer(code: "code", state: "state", nonce: nil)
        for parameters: Parameters in [
            [:], ["": ""], ["a": "", "": "b"], ["a": "1", "b": "2", "a": "3"], ["a&b=c": "d%2B+ =&\u{0}ü"],
        ] {
            answer.additionalParameters = parameters
            #expect(AuthState.SpentAuthorization(answer).response.additionalParameters == parameters)
        }
    }

    @Test("the shared parts of two logins are equal")
    func common() throws {
        let answers = try [("a", "b"), ("c", "d")].map { try answer(code: $0, state: $1, nonce: $1) }
        let spent = answers.map(AuthState.SpentAuthorization.init)
        #expect(spent[0].common == spent[1].common)
        #expect(spent[0] != spent[1])
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ClaimsRequestTests {
    @Test func `requested claims become the JSON of OpenID Connect Core, section 5.5`() {
        let request = ClaimsRequest(
            idToken: [
                "auth_time": .essential, "acr": .init(isEssential: true, values: ["a", "b"]), "email": .voluntary,
            ],
            userInfo: ["sub": .init(values: ["alice"])])
        #expect(
            request.json == [
                "id_token": [
                    "auth_time": ["essential": true], "acr": ["essential": true, "values": ["a", "b"]], "email": nil,
                ],
                "userinfo": ["sub": ["value": "alice"]],
            ])
        #expect(ClaimsRequest().json == [:])
    }

    @Test func `requested claims are sent as the parameter claims`() throws {
        var request = try Fixtures.request()
        request.claims = ClaimsRequest(userInfo: ["name": .essential]).json
        let query = try request.url().absoluteString.drop { $0 != "?" }.dropFirst()
        #expect(Parameters(decoding: query)?["claims"] == #"{"userinfo":{"name":{"essential":true}}}"#)
    }
}

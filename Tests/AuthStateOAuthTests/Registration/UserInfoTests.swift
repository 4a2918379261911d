import AuthStateJOSE
import AuthStateOAuth
import Testing

@Suite("Userinfo")
struct UserInfoTests {
    @Test("claims are read, and sub is compared with the ID token's (OpenID Connect Core, section 5.3.2)")
    func bound() throws {
        let body =
            #"{"sub":"alice","name":"A","email":"a@b","preferred_username":"al","x":{"y":[1]},"_claim_names":{}}"#
        let info = try UserInfo(Fixtures.json(body), subject: "alice")
        #expect(info.isBound && info.subject == "alice" && info.name == "A" && info.email == "a@b")
        #expect(info.preferredUsername == "al" && info["x"]?["y"] == [1] && info["none"] == nil)
    }

    @Test("another sub, or none, is refused", arguments: [#"{"sub":"Alice"}"#, #"{"sub":""}"#, "{}", #"{"sub":5}"#])
    func otherSubject(_ body: String) {
        let error = refusal { try UserInfo(Fixtures.json(body), subject: "alice") }
        #expect(error?.code == .subjectMismatch && error?.stage == .userinfo)
        #expect(error?.description.contains("alice") == false)
    }

    @Test("without an ID token the claims are marked unbound")
    func unbound() throws {
        #expect(try !UserInfo(Fixtures.json(#"{"name":"A"}"#), subject: nil).isBound)
    }

    @Test(
        "what is no JSON object, or no 200, is refused",
        arguments: [("", 200), ("[]", 200), ("<html>", 200), ("{}", 500)])
    func malformed(_ body: String, _ status: Int) {
        #expect(refusal { try UserInfo(Fixtures.json(body, status: status), subject: nil) }?.code == .malformedResponse)
    }
}

import AuthStateJOSE
import AuthStateOAuth
import Testing

struct UserInfoTests {
    /// The claims of an unsigned answer.
    private func read(_ body: String, subject: String?, status: Int = 200) throws -> UserInfo {
        guard case .plain(let claims) = try UserInfoAnswer(Fixtures.json(body, status: status)) else {
            throw AuthStateError(.malformedResponse, stage: .userinfo, "It is signed.")
        }
        return try UserInfo(claims, subject: subject, isSigned: false)
    }

    @Test("claims are read, and sub is compared with the ID token's (OpenID Connect Core, section 5.3.2)")
    func bound() throws {
        let body =
            #"{"sub":"alice","name":"A","email":"a@b","preferred_username":"al","x":{"y":[1]},"_claim_names":{}}"#
        let info = try read(body, subject: "alice")
        #expect(info.isBound && info.subject == "alice" && info.name == "A" && info.email == "a@b")
        #expect(info.preferredUsername == "al" && info["x"]?["y"] == [1] && info["none"] == nil)
        #expect(!info.isSigned && info.claimSources.isEmpty)
    }

    @Test("another sub, or none, is refused", arguments: [#"{"sub":"Alice"}"#, #"{"sub":""}"#, "{}", #"{"sub":5}"#])
    func otherSubject(_ body: String) {
        let error = refusal { try read(body, subject: "alice") }
        #expect(error?.code == .subjectMismatch && error?.stage == .userinfo)
        #expect(error?.description.contains("alice") == false)
    }

    @Test func `sub is compared code point by code point: the Kelvin sign is no K (RFC 7519, section 7.3)`() {
        #expect(refusal { try read("{\"sub\":\"\u{212A}ate\"}", subject: "Kate") }?.code == .subjectMismatch)
    }

    @Test("without an ID token the claims are marked unbound")
    func unbound() throws { #expect(try !read(#"{"name":"A"}"#, subject: nil).isBound) }

    @Test("an answer that is no JSON object is refused", arguments: ["", "[]", "<html>", #"{"sub":"a","sub":"b"}"#])
    func malformed(_ body: String) { #expect(refusal { try read(body, subject: nil) }?.code == .malformedResponse) }
}

import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateKit

struct AuthUserTests {
    private func record(_ claims: JSONValue?, grant: String = "g") throws -> AuthState.Record {
        var record = try Fixture().record
        record.idToken = claims.map(unsignedToken)
        record.grantID = grant
        return record
    }

    private let ada: JSONValue = ["iss": "https://op.example", "sub": "ada", "name": "Ada"]

    @Test func `userinfo has precedence over the ID token, claim by claim`() throws {
        let info = try UserInfo(
            ["sub": "ada", "email": "a@example.com", "name": "A."], subject: "ada", isSigned: false)
        let user = AuthUser(try record(ada), userInfo: info)
        #expect(user.name == "A." && user.email == "a@example.com" && user.issuer == "https://op.example")
        #expect(AuthUser(try record(ada)).name == "Ada" && user["iss"] == "https://op.example")
        #expect(!user.isEmailVerified)
        #expect(AuthUser(try record(nil)).subject == nil)
    }

    @Test("the source of an address or a number says whether it is verified")
    func together() throws {
        for (claim, verified) in [("email", "email_verified"), ("phone_number", "phone_number_verified")] {
            func user(_ token: JSONValue, _ info: [String: JSONValue]?) throws -> AuthUser {
                let info = try info.map { try UserInfo($0, subject: nil, isSigned: false) }
                return AuthUser(try record(token), userInfo: info)
            }
            // An address that the user typed, beside what was verified of another one.
            let mixed = try user([claim: "old", verified: true], [claim: "new"])
            #expect(mixed[claim] == "new" && mixed[verified] == nil)
            #expect(!mixed.isEmailVerified && !mixed.isPhoneNumberVerified)
            let reversed = try user([claim: "old"], [verified: true])
            #expect(reversed[claim] == "old" && reversed[verified] == nil)
            let both = try user([claim: "old", verified: false], [claim: "new", verified: true])
            #expect(both[claim] == "new" && both[verified] == true)
            let alone = try user([claim: "old", verified: true], ["name": "Ada"])
            #expect(alone[claim] == "old" && alone[verified] == true && alone.name == "Ada")
            #expect(try user([claim: "old", verified: true], nil)[verified] == true)
        }
        let address: JSONValue = ["street_address": "1"]
        let info = try UserInfo(["address": address], subject: nil, isSigned: false)
        #expect(AuthUser(try record(["address": ["locality": "B"]]), userInfo: info)["address"] == address)
    }

    @Test(
        "a picture is a web URL, never a file or a script", arguments: ["file:///etc/passwd", "javascript:0", "p.png"])
    func picture(_ text: String) throws {
        #expect(AuthUser(try record(["picture": .string(text)])).picture == nil)
        #expect(AuthUser(try record(["picture": "https://op.example/p.png"])).picture?.absoluteString.count == 24)
    }

    @Test("known userinfo stays with the same grant and the same account, and goes to no other")
    func keeping() throws {
        let info = try UserInfo(["sub": "ada", "email": "a@example.com"], subject: "ada", isSigned: false)
        let known = AuthUser(try record(ada), userInfo: info)
        #expect(AuthUser(try record(ada)).keeping(known).email == "a@example.com")
        #expect(AuthUser(try record(ada, grant: "h")).keeping(known).email == "a@example.com")
        let others: [JSONValue?] = [
            ["iss": "https://op.example", "sub": "bob"], ["iss": "https://other.example", "sub": "ada"],
            ["iss": "https://op.example", "sub": "a\u{308}da"], ["sub": "ada"], nil,
        ]
        for other in others { #expect(AuthUser(try record(other, grant: "h")).keeping(known).userInfo == nil) }
        // Without an ID token no two accounts are the same.
        let nameless = AuthUser(try record(nil), userInfo: info)
        #expect(AuthUser(try record(nil, grant: "h")).keeping(nameless).userInfo == nil)
        #expect(AuthUser(try record(nil)).keeping(nameless).userInfo == info)
    }

    @Test("the name that Apple gives once is there after a restart too")
    func apple() throws {
        var record = try record(["iss": "https://appleid.apple.com", "sub": "a"])
        let request = AuthorizationRequest(
            Client(record.client.provider, id: "client"), redirectURI: try RedirectURI("https://app.example/cb"))
        let name = "%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%22%2C%22lastName%22%3A%22Lovelace%22%7D%7D"
        record.lastAuthorizationResponse = try AuthorizationResponse(
            callback: AuthorizationCallback(
                url: "https://app.example/cb?code=c&state=\(request.state)&user=\(name)"), for: request)
        let user = AuthUser(try AuthStateArchive(data: AuthStateArchive(record).data()).record)
        #expect(user.name == "Ada Lovelace" && user.givenName == "Ada" && user.familyName == "Lovelace")
    }

    @Test func `a description names claims and says nothing about the user`() throws {
        let user = AuthUser(try record(ada))
        #expect("\(user)" == "user with iss, name, sub")
        var text = ""
        dump(user, to: &text)
        #expect(!text.contains("Ada"))
    }
}

/// A token with the claims that a test wants, under a signature that is never checked.
func unsignedToken(_ claims: JSONValue) -> String {
    let header: JSONValue = ["alg": "ES256"]
    return [header, claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".") + ".c2ln"
}

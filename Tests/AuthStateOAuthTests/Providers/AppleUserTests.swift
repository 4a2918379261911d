import AuthStateJOSE
import AuthStateOAuth
import Testing

struct AppleUserTests {
    private static let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ada@example.com"}"#

    private func callback(
        state: String? = nil, user: String? = user
    ) throws -> (AuthorizationRequest, AuthorizationCallback) {
        var request = try Fixtures.request(scopes: [.openID, "name", .email])
        request.responseMode = .formPost
        var form: Parameters = ["code": "c", "state": state ?? request.state]
        form["user"] = user
        return (request, AuthorizationCallback(url: "https://app.example/callback", formBody: form.encoded))
    }

    @Test func `the first login's name is read from the form`() throws {
        let (request, callback) = try callback()
        let user = try #require(try AuthorizationResponse(callback: callback, for: request).appleUser)
        #expect(user.firstName == "Ada" && user.lastName == "Lovelace" && user.unverifiedEmail == "ada@example.com")
        #expect("\(user)" == "user with first name, last name, email")
    }

    @Test("later logins have no name, and a value that is no object has none", arguments: [nil, "", "Ada", "[]", "{"])
    func later(_ text: String?) throws {
        let (request, callback) = try callback(user: text)
        #expect(try AuthorizationResponse(callback: callback, for: request).appleUser == nil)
    }

    @Test("a name that comes with another state is refused")
    func otherState() throws {
        let (request, callback) = try callback(state: "another")
        #expect(refusal { try AuthorizationResponse(callback: callback, for: request) }?.code == .stateMismatch)
    }

    @Test func `text that does not print is replaced`() throws {
        let (request, callback) = try callback(user: #"{"name":{"firstName":"A\u001b[31m"}}"#)
        let user = try AuthorizationResponse(callback: callback, for: request).appleUser
        #expect(user?.firstName == "A\u{FFFD}[31m" && user?.lastName == nil)
    }
}

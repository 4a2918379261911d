import AuthStateJOSE
import AuthStateOAuth
import Testing

struct TypedTokenTests {
    @Test(
        "an ID token's type is JWT, absent, its own, or one that names no kind of token",
        arguments: ["JWT", "jwt", "application/JWT", "JOSE", "", "id_token+jwt", "application/ID_Token+jwt"])
    func accepted(_ type: String) throws { try TypedTokenForger.offer(type: type) }

    @Test("an ID token whose type names another kind of token is refused by name", arguments: TypedTokenForger.others)
    func refused(_ type: String) throws {
        let error = #expect(throws: AuthStateError.self) { try TypedTokenForger.offer(type: type) }
        #expect(error?.code == .invalidIDToken && error?.received == type)
        #expect(error?.message.contains("typ") == true)
    }

    @Test("a security event token is no ID token, with any type")
    func events() throws {
        let error = #expect(throws: AuthStateError.self) {
            try TypedTokenForger.offer(["events": [LogoutToken.event: [:]]])
        }
        #expect(error?.code == .invalidIDToken && error?.message.contains("events") == true)
    }
}

import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct IDTokenAccountTests {
    private func token(_ claims: JSONValue) -> String {
        let header: JSONValue = ["alg": "ES256"]
        return [header, claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".") + ".c2ln"
    }

    private let ada: JSONValue = ["iss": "https://op.example", "sub": "K"]

    @Test func `the same issuer and subject are the same account, regardless of the other claims`() throws {
        try IDToken.checkAccount(
            of: token(["iss": "https://op.example", "sub": "K", "name": "Ada"]), isThatOf: token(ada))
    }

    @Test(
        "one different byte in either makes another account",
        arguments: [
            ["iss": "https://op.example", "sub": "k"], ["iss": "https://op.example/", "sub": "K"],
            // The Kelvin sign, which `==` takes for a K.
            ["iss": "https://op.example", "sub": "\u{212A}"], ["iss": "https://op.example"], ["sub": "K"],
        ] as [JSONValue])
    func other(_ claims: JSONValue) throws {
        for (next, before) in [(claims, ada), (ada, claims)] {
            let error = #expect(throws: AuthStateError.self) {
                try IDToken.checkAccount(of: token(next), isThatOf: token(before))
            }
            #expect(error?.code == .accountChanged)
        }
    }

    @Test("a missing ID token counts as another account")
    func none() throws {
        let error = #expect(throws: AuthStateError.self) { try IDToken.checkAccount(of: nil, isThatOf: token(ada)) }
        #expect(error?.code == .accountChanged && error?.received == "no ID token")
    }
}

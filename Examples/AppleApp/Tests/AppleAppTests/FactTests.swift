import AuthStateKit
import Testing

@testable import AppleApp

struct FactTests {
    @Test(
        "Claims are shown for a user",
        arguments: [
            ("exp", 1_700_000_000, "2023-11-14T22:13:20Z"), ("name", "Ada", "Ada"),
            ("amr", ["pwd", "otp"], "pwd, otp"), ("email_verified", true, "true"), ("count", 3, "3"),
            ("address", ["country": "UK"], #"{"country":"UK"}"#), ("exp", "soon", "soon"),
        ] as [(String, JSONValue, String)])
    func shown(name: String, claim: JSONValue, text: String) {
        #expect(Fact.list([name: claim]) == [Fact(name: name, value: text)])
    }

    @Test("A time outside every calendar is shown as a number", arguments: ["1e300", "-1e300", "1e15"])
    func farAway(number: String) throws {
        let claims = try JSONValue(parsing: #"{"updated_at":\#(number)}"#.utf8).objectValue
        #expect(Fact.list(try #require(claims)).first?.value.isEmpty == false)
    }

    @Test("Claims are listed by name, without those that only secure the login")
    func order() {
        let facts = Fact.list(["sub": "1", "aud": "app", "nonce": "n", "at_hash": "h", "c_hash": "h"])
        #expect(facts.map(\.name) == ["aud", "sub"])
    }
}

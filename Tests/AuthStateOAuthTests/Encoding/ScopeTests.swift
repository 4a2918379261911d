import Testing

@testable import AuthStateOAuth

struct ScopeTests {
    @Test func `a scope token has 0x21, 0x23–0x5B and 0x5D–0x7E, and nothing else (RFC 6749, section 3.3)`() {
        for value in UInt32(0)...0x180 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let expected = value == 0x21 || (0x23...0x5B).contains(value) || (0x5D...0x7E).contains(value)
            #expect(Scope(rawValue: "a" + String(scalar)).isValid == expected, "U+\(String(value, radix: 16))")
        }
        #expect(!Scope(rawValue: "").isValid)
        #expect(Scope(rawValue: "https://api.example/read:all").isValid)
    }

    @Test func `scopes are joined by spaces, in order, repeated ones once`() throws {
        let scopes: [Scope] = ["openid", "b", "openid", "a"]
        #expect(try scopes.joined(stage: .token) == "openid b a")
        #expect(try [Scope]().joined(stage: .token) == nil)
        let error = refusal { try (["openid", "a b"] as [Scope]).joined(stage: .refresh) }
        #expect(error?.code == .invalidScope && error?.stage == .refresh)
    }
}

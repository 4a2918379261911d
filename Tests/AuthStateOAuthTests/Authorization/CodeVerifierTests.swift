import AuthStateOAuth
import Testing

struct CodeVerifierTests {
    @Test("the challenge of RFC 7636, appendix B")
    func appendixB() throws {
        let verifier = try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(try verifier.challenge() == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("a new verifier has 43 characters, and one from elsewhere 43 to 128")
    func lengths() throws {
        #expect(CodeVerifier().rawValue.utf8.count == 43)
        for length in 43...128 {
            let verifier = String(repeating: "a", count: length)
            #expect(try CodeVerifier(verifier).rawValue == verifier)
        }
        for length in [0, 42, 129] {
            #expect(refusal { try CodeVerifier(String(repeating: "a", count: length)) }?.code == .invalidArgument)
        }
    }

    @Test("a verifier has unreserved characters only (RFC 7636, section 4.1)")
    func characters() throws {
        let body = String(repeating: "a", count: 42)
        for character in "-._~Z9" { _ = try CodeVerifier(body + String(character)) }
        for character in [" ", "+", "/", "=", "%", "\n", "ä", "\u{0}"] {
            #expect(refusal { try CodeVerifier(body + character) }?.code == .invalidArgument)
        }
    }
}

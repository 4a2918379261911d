import AuthStateJOSE
import AuthStateOAuth
import Testing

struct IDTokenSignatureTests {
    @Test(
        "every asymmetric algorithm is accepted by default",
        arguments: [SignatureAlgorithm.rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA])
    func accepted(_ algorithm: SignatureAlgorithm) throws { #expect(try TokenMint(algorithm).failure() == nil) }

    @Test func `the signature is checked before the claims`() throws {
        let (mint, stranger) = (try TokenMint(), try TokenMint())
        let token = try mint.token(["iss": "https://evil.example"])
        let error = refusal { try token.validate(keys: stranger.keys, expectation: mint.expectation()) }
        #expect(error?.code == .invalidSignature && error?.kind == .refused)
    }

    @Test("a changed claim breaks the signature")
    func changed() throws {
        let mint = try TokenMint()
        let parts = try mint.token().rawValue.split(separator: ".")
        let other = try mint.token(["sub": "mallory"]).rawValue.split(separator: ".")
        let forged = try IDToken(parsing: "\(parts[0]).\(other[1]).\(parts[2])")
        let error = refusal { try forged.validate(keys: mint.keys, expectation: mint.expectation()) }
        #expect(error?.code == .invalidSignature && error?.stage == .token)
    }

    @Test func `an unsigned token is refused, and from the browser even when none is allowed`() throws {
        let mint = try TokenMint()
        let header = Base64URL.encode(#"{"alg":"none"}"#.utf8)
        let payload = try mint.token().rawValue.split(separator: ".")[1]
        let token = try IDToken(parsing: "\(header).\(payload).")
        let lenient = try mint.expectation {
            $0.policy.algorithms.insert(.unsecured)
            $0.code = "SECRET-code"
        }
        for expectation in [try mint.expectation(), lenient] {
            #expect(
                refusal { try token.validate(keys: mint.keys, expectation: expectation) }?.code == .invalidSignature)
        }
    }

    @Test func `HS256 is accepted only when it is asked for`() throws {
        let mint = try TokenMint(.hs256)
        let token = try mint.token()
        let keys = JSONWebKeySet(keys: [mint.key.privateKey])
        #expect(refusal { try token.validate(keys: keys, expectation: mint.expectation()) }?.code == .invalidSignature)
        try token.validate(keys: keys, expectation: mint.expectation { $0.policy.algorithms = [.hs256] })
    }

    @Test(
        "text that is not a signed JWT is no ID token", arguments: ["", "a", "a.b", "a.b.c", "e30.e30.", "a.b.c.d.e"])
    func notAToken(_ text: String) { #expect(throws: JOSEError.self) { try IDToken(parsing: text) } }

    @Test func `an ID token prints issuer and subject, cleaned, and not itself`() throws {
        let token = try TokenMint().token(["sub": "al\u{1B}ice"])
        #expect("\(token)".contains("alice") == false && "\(token)".contains("ice from https://op.example"))
        #expect(!"\(token)".contains(token.rawValue) && Secrets.trace(in: token) == nil)
    }
}

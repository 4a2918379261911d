import Testing

@testable import AuthStateJOSE

/// RFC 7515, appendix A: signatures.
struct RFC7515Tests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let claims: JSONValue = ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true]

    private func key(_ members: JSONValue) throws -> VerificationKey { VerificationKey(try JSONWebKey(json: members)) }

    @Test func `RFC 7515 A.1 and RFC 7519 3.1: HS256`() throws {
        let token = try JSONWebToken(
            parsing:
                "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
        #expect(token.claims == Self.claims)
        #expect(token.header.type == "JWT")
        let secret = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        try token.verify(with: key(["kty": "oct", "k": .string(secret)]), allowed: [.hs256])
    }

    @Test func `RFC 7515 A.2: RS256`() throws {
        let token = try JSONWebToken(
            parsing: """
                eyJhbGciOiJSUzI1NiJ9.\(Self.payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7\
                AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBA\
                rLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6I\
                eYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """)
        #expect(token.claims == Self.claims)
        let modulus = """
            ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2l\
            ZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEM\
            a2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2P\
            AcDTW9gb54h4FRWyuXpoQ
            """
        try token.verify(with: key(["kty": "RSA", "n": .string(modulus), "e": "AQAB"]), allowed: [.rs256])
    }

    @Test func `RFC 7515 A.3: ES256`() throws {
        let token = try JSONWebToken(
            parsing: """
                eyJhbGciOiJFUzI1NiJ9.\(Self.payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSAp\
                mWQxfKTUJqPP3-Kg6NU1Q
                """)
        let key = try key([
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ])
        try token.verify(with: key, allowed: [.es256])
    }

    @Test func `RFC 7515 A.4: ES512, over text that is no JSON`() throws {
        let key = try key([
            "kty": "EC", "crv": "P-521",
            "x": "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
            "y": "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
        ])
        let signingInput = "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA"
        let signature = """
            AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoX\
            D2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
            """
        let bytes = try #require(Base64URL.decode(signature))
        #expect(try key.isValid(bytes, for: Array(signingInput.utf8), algorithm: .es512))
        #expect(throws: JOSEError.self) { try JSONWebToken(parsing: "\(signingInput).\(signature)") }
    }

    @Test func `RFC 7515 A.5 and RFC 7519 6.1: an unsecured token can be read and is never verified`() throws {
        let token = try JSONWebToken(parsing: "eyJhbGciOiJub25lIn0.\(Self.payload).")
        #expect(token.header.algorithm == .unsecured && token.signature.isEmpty)
        let error = #expect(throws: JOSEError.self) {
            try token.verify(with: JSONWebKeySet(keys: []), allowed: [.unsecured, .rs256])
        }
        #expect(error?.code == .algorithmNotAllowed)
    }
}

import Testing

@testable import AuthStateJOSE

/// RFC 7520: the JOSE cookbook.
struct RFC7520Tests {
    /// Section 3, by number.
    private static let keys: [String: String] = [
        "3.1": """
        {
         "kty": "EC",
         "kid": "bilbo.baggins@hobbiton.example",
         "use": "sig",
         "crv": "P-521",
         "x": "AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
         "y": "AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1"
        }
        """,
        "3.2": """
        {
         "kty": "EC",
         "kid": "bilbo.baggins@hobbiton.example",
         "use": "sig",
         "crv": "P-521",
         "x": "AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
         "y": "AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1",
         "d": "AAhRON2r9cqXX1hg-RoI6R1tX5p2rUAYdmpHZoC1XNM56KtscrX6zbKipQrCW9CGZH3T4ubpnoTKLDYJ_fF3_rJt"
        }
        """,
        "3.3": """
        {
         "kty": "RSA",
         "kid": "bilbo.baggins@hobbiton.example",
         "use": "sig",
         "n": "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSC\
        pMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS\
        6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzS\
        nbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
         "e": "AQAB"
        }
        """,
        "3.4": """
        {
         "kty": "RSA",
         "kid": "bilbo.baggins@hobbiton.example",
         "use": "sig",
         "n": "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSC\
        pMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS\
        6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzS\
        nbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
         "e": "AQAB",
         "d": "bWUC9B-EFRIo8kpGfh0ZuyGPvMNKvYWNtB_ikiH9k20eT-O1q_I78eiZkpXxXQ0UTEs2LsNRS-8uJbvQ-A1irkwMSMkK1\
        J3XTGgdrhCku9gRldY7sNA_AKZGh-Q661_42rINLRCe8W-nZ34ui_qOfkLnK9QWDDqpaIsA-bMwWWSDFu2MUBYwkHTMEzLYGqOe0\
        4noqeq1hExBTHBOBdkMXiuFhUq1BU6l-DqEiWxqg82sXt2h-LMnT3046AOYJoRioz75tSUQfGCshWTBnP5uDjd18kKhyv07lhfSJ\
        drPdM5Plyl21hsFf4L_mHCuoFau7gdsPfHPxxjVOcOpBrQzwQ",
         "p": "3Slxg_DwTXJcb6095RoXygQCAZ5RnAvZlno1yhHtnUex_fp7AZ_9nRaO7HX_-SFfGQeutao2TDjDAWU4Vupk8rw9JR0Az\
        Z0N2fvuIAmr_WCsmGpeNqQnev1T7IyEsnh8UMt-n5CafhkikzhEsrmndH6LxOrvRJlsPp6Zv8bUq0k",
         "q": "uKE2dh-cTf6ERF4k4e_jy78GfPYUIaUyoSSJuBzp3Cubk3OCqs6grT8bR_cu0Dm1MZwWmtdqDyI95HrUeq3MP15vMMON8\
        lHTeZu2lmKvwqW7anV5UzhM1iZ7z4yMkuUwFWoBvyY898EXvRD-hdqRxHlSqAZ192zB3pVFJ0s7pFc",
         "dp": "B8PVvXkvJrj2L-GYQ7v3y9r6Kw5g9SahXBwsWUzp19TVlgI-YV85q1NIb1rxQtD-IsXXR3-TanevuRPRt5OBOdiMGQp8\
        pbt26gljYfKU_E9xn-RULHz0-ed9E9gXLKD4VGngpz-PfQ_q29pk5xWHoJp009Qf1HvChixRX59ehik",
         "dq": "CLDmDGduhylc9o7r84rEUVn7pzQ6PF83Y-iBZx5NT-TpnOZKF1pErAMVeKzFEl41DlHHqqBLSM0W1sOFbwTxYWZDm6sI\
        6og5iTbwQGIC3gnJKbi_7k_vJgGHwHxgPaX2PnvP-zyEkDERuf-ry4c_Z11Cq9AqC2yeL6kdKT1cYF8",
         "qi": "3PiqvXQN0zwMeE-sBvZgi289XP9XCQF3VWqPzMKnIgQp7_Tugo6-NZBKCQsMf3HaEGBjTVJs_jcK8-TRXvaKe-7ZMaQj\
        8VfBdYkssbu0NKDDhjJ-GtiseaDVWt7dcH0cfwxgFUHpQh7FoCrjFJ6h6ZEpMF6xmujs4qMpPz8aaI4"
        }
        """,
        "3.5": """
        {
         "kty": "oct",
         "kid": "018c0ae5-4d9b-471b-bfd6-eef314bc7037",
         "use": "sig",
         "alg": "HS256",
         "k": "hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg"
        }
        """,
    ]

    /// Section 4's payload, in base64url.
    private static let payload = """
        SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm\
        9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJl\
        IHN3ZXB0IG9mZiB0by4
        """

    private struct Signed: Sendable, CustomTestStringConvertible {
        let section: String
        let algorithm: SignatureAlgorithm
        let verifyingKey: String
        let signingKey: String
        let header: String
        let signature: String
        var signingInput: [UInt8] { Array("\(header).\(RFC7520Tests.payload)".utf8) }
        var testDescription: String { "\(section): \(algorithm.rawValue)" }
    }

    /// Sections 4.1 to 4.4, in their compact forms.
    private static let signed: [Signed] = [
        Signed(
            section: "4.1", algorithm: .rs256, verifyingKey: "3.3", signingKey: "3.4",
            header: """
                eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9
                """,
            signature: """
                MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII\
                7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1\
                Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-Zn\
                mKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg
                """),
        Signed(
            section: "4.2", algorithm: .ps384, verifyingKey: "3.3", signingKey: "3.4",
            header: """
                eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9
                """,
            signature: """
                cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5\
                dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8\
                P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQS\
                UmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw
                """),
        Signed(
            section: "4.3", algorithm: .es512, verifyingKey: "3.1", signingKey: "3.2",
            header: """
                eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9
                """,
            signature: """
                AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mt\
                PBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2
                """),
        Signed(
            section: "4.4", algorithm: .hs256, verifyingKey: "3.5", signingKey: "3.5",
            header: """
                eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9
                """,
            signature: """
                s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0
                """),
    ]

    private func key(_ section: String) throws -> JSONWebKey {
        try JSONWebKey(json: JSONValue(parsing: #require(Self.keys[section]).utf8))
    }

    @Test("section 3: keys are read, and written the same", arguments: ["3.1", "3.2", "3.3", "3.4", "3.5"])
    func keys(_ section: String) throws {
        #expect(try key(section).privateJSON == JSONValue(parsing: #require(Self.keys[section]).utf8))
    }

    @Test("section 4: signatures are verified", arguments: signed)
    private func verifying(_ signed: Signed) throws {
        let key = VerificationKey(try key(signed.verifyingKey))
        let signature = try #require(Base64URL.decode(signed.signature))
        #expect(try key.isValid(signature, for: signed.signingInput, algorithm: signed.algorithm))
        #expect(try !key.isValid(signature, for: signed.signingInput + [0], algorithm: signed.algorithm))
    }

    @Test("section 4: the two schemes without a random part make the RFC's own signatures", arguments: signed)
    private func signing(_ signed: Signed) throws {
        let key = try SigningKey(key(signed.signingKey), algorithm: signed.algorithm)
        let signature = Base64URL.encode(try key.sign(signed.signingInput))
        #expect((signature == signed.signature) == ["4.1", "4.4"].contains(signed.section))
    }

    @Test func `text as a payload, which no JWT has, is refused`() {
        for signed in Self.signed {
            #expect(throws: JOSEError.self) {
                try JSONWebToken(parsing: "\(signed.header).\(Self.payload).\(signed.signature)")
            }
        }
    }
}

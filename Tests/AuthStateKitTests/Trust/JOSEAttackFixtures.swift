/// What an attacker made with Python's `cryptography`, and the keys it is offered with.
///
/// Written by Tests/Fixtures/make-jose-fixtures.py.
enum JOSEAttackFixtures {
    /// Keys as their owners publish them, by name.
    static let keys: [String: String] = [
        "ec": """
        {"kty": "EC", "crv": "P-256", "x": "To1imb9mQQDokdj_lcN07eL7KkQoLys35HSsGC6Ge1k", "y": "MzxPcJMo\
        L-Rr28s0-KXq5woFm6zWPaCX7Biis11dPEA", "kid": "ec"}
        """,
        "rsa": """
        {"kty": "RSA", "n": "udMl5hh9GCbGOB0pTncINDFCpxmuFILECOiXg2SNYmEvDk0r5B893brjK3TGpA3B6U5lh77QFc7\
        yMv-w5yvC2fbNjRYwKPAxuXP1CrGjT2IysTMyaM3JIYi4O2nSF7TjSr88Ad5utGPr9snrXnu3R7E7l64pmOnWGV7kpNBK1lV\
        TglRRxzEaEfE-kNaBRxcaQlulvFyIqTpihPudXxkxKRoIWDcqE1ZBUhzSs6xTfScgl-1BOxR2_A49f2pyzWE4qIxCkpET9ml\
        f0-DZRkHLss3WmsXdgirxDi_-xu0ZY_XfKsvq93eOy08TB5mme2qY-fVDIyjZawSq-pjh2UKNbQ", "e": "AQAB", "kid"\
        : "rsa"}
        """,
        "small": """
        {"kty": "RSA", "n": "8EoaNlzm0m1oPTj0rzebonoF4hHvNMSIdXAhpianfRofPgW7OmSslTmQt5Jj1odlwz2URvb_kcV\
        u7ELHr5_OSFxAi-cNc8SUKNAQCI3Tz2j6hXHYbcukLRB1cFeAFbxFzZoxky7gllZaM3g114ZQL6N9oziLBLu22XS9-X2wcY8\
        ", "e": "AQAB", "kid": "small"}
        """,
        "oct": """
        {"kty": "oct", "kid": "oct", "k": "6fbkuHO34MWPAgZO8ibUHSXgpslqe2jIw60g7U_LIms"}
        """,
    ]

    /// The key `rsa` as the text that other libraries would take for a secret.
    static let rsaPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAudMl5hh9GCbGOB0pTncI
        NDFCpxmuFILECOiXg2SNYmEvDk0r5B893brjK3TGpA3B6U5lh77QFc7yMv+w5yvC
        2fbNjRYwKPAxuXP1CrGjT2IysTMyaM3JIYi4O2nSF7TjSr88Ad5utGPr9snrXnu3
        R7E7l64pmOnWGV7kpNBK1lVTglRRxzEaEfE+kNaBRxcaQlulvFyIqTpihPudXxkx
        KRoIWDcqE1ZBUhzSs6xTfScgl+1BOxR2/A49f2pyzWE4qIxCkpET9mlf0+DZRkHL
        ss3WmsXdgirxDi/+xu0ZY/XfKsvq93eOy08TB5mme2qY+fVDIyjZawSq+pjh2UKN
        bQIDAQAB
        -----END PUBLIC KEY-----

        """

    /// Tokens by what they show.
    static let tokens: [String: String] = [
        "good": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FP9XdFOz2kXet2yLqo7sGZ5uXll7vmf3vFAcKB6xg\
        jQKI2BNJ_6S6AlqHyHLvLxREcqHr6zwjFvxrRRnRQ3itg
        """,
        "padded": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FP9XdFOz2kXet2yLqo7sGZ5uXll7vmf3vFAcKB6xg\
        jQKI2BNJ_6S6AlqHyHLvLxREcqHr6zwjFvxrRRnRQ3itg=
        """,
        "leftOver": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FP9XdFOz2kXet2yLqo7sGZ5uXll7vmf3vFAcKB6xg\
        jQKI2BNJ_6S6AlqHyHLvLxREcqHr6zwjFvxrRRnRQ3ith
        """,
        "twice": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwLCAic3ViIjogImFkbWluaXN0cmF0b3IifQ.Tsr4A48AT\
        5sd1YpMHy1Uaig-1355mpbfy2ME2ce_lQ5PcSD5qchkhBZMUI2BpObAhqpw7KYXtOzr-uFoIskkTg
        """,
        "fourParts": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FP9XdFOz2kXet2yLqo7sGZ5uXll7vmf3vFAcKB6xg\
        jQKI2BNJ_6S6AlqHyHLvLxREcqHr6zwjFvxrRRnRQ3itg.AAAA
        """,
        "critical": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIiwgImNyaXQiOiBbImh0dHBzOi8vb3AuZXhhbXBsZS9jbmYiXX0.eyJpc3Mi\
        OiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAw\
        MDAwfQ.SphNRqjZESkO3U1wj71aYk5lR9FP0H1p9H9TR8G7_cUsihRloA3zhPeOIWJjx_wLTP6cW1dE1tcWGnvgUB0B5w
        """,
        "unsecured": """
        eyJhbGciOiAibm9uZSIsICJraWQiOiAiZWMifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyL\
        TEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.
        """,
        "confused": """
        eyJhbGciOiAiSFMyNTYifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FRZ0LbRzVNO_fe7D_2r4VHFK_wfRwX-_JWFrhhz07fw
        """,
        "otherKey": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogIndpdGhkcmF3biJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI\
        6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.m8fJR3B_GHttWb_5M5ylvtxqomulOrH0\
        Uw3zWbS7Kf78VqzjRIBMUDABTY2SLI89ubsWcZvD77FV1cS1U5kyXw
        """,
        "otherCurve": """
        eyJhbGciOiAiRVMzODQiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AAAAAAAAAAAAAAAAAAAAAKv7N8DdhfwZ53iZ6S1le\
        XgdAWx3thVpq8dDK9JaE_YlAAAAAAAAAAAAAAAAAAAAANrFEEf_sDt8jnDiRzZqrr-I-nUEYRz63X6VSOYCxcIs
        """,
        "pkcs1": """
        eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.lJhWqkLco5zSJK-m5gHzm0GhUjO_5xmA6ca796xX\
        D_D1Egs8_RQILndi_xoZWkiimPAh8jYI8vq7sjBbLiPYuQ3CCIu_ktUNM5X63wldW0idBAYQZxvnWsAQDfBQ-0TOgPaxysDt\
        z-O8ETcjK_bKBoCGcqDZ74mbK-NXkbqHKWiOBxJXfPKg0wR1hYuqI8j1J1vfS8x0792gIPlFmzGm4r8tlevqSaSCwgBe7qGr\
        qV07yx6McYWPEjxeuyKMxUj7GAOD2xIFyE56zneLsjgtiei8lYsNYQ4lqS-o6LEvHdT5dV_T2jcJjmSSjsgJxy6Cmr8Xjszs\
        QdJNA88TM189JA
        """,
        "small": """
        eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInNtYWxsIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1\
        c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.yT8cpwK10ej3VcUleG8htixrUp3iZa5GQd2ql\
        B4ETdv7gXPqYnXdaJwI4nUxmfN0eATMFiieLluT40AUSBD1acM1PAqNrfaAv_0rhaoy3MfrHYL73vE5MQHktAiGXMHoB69xw\
        8PaRtHGMhXV-v79UmCQVohqeGoS-fo1TBBWYv8
        """,
        "exponent1": """
        eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AAH_____________________________________\
        ________________________________________________________________________________________________\
        ________________________________________________________________________________________________\
        ________________________________________ADAxMA0GCWCGSAFlAwQCAQUABCBa_Mg5lfhHdkxQOnka6igKJBGv8wRY\
        _D_RKFUymhj0lA
        """,
        "published": """
        eyJhbGciOiAiSFMyNTYiLCAia2lkIjogIm9jdCJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.SzRKCC8aVRS3JyXkVdxGEwnEKoKJjqmuXCSavoen\
        3Ic
        """,
        "emptySecret": """
        eyJhbGciOiAiSFMyNTYifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.wHE0rQdsKIWES4FwNIdzKkLedYFdBdJQsLwogzydAfc
        """,
        "longHalves": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.ALlTuOeoocsgDZ7g0IG1gCfITjt421ZGC_960KAkn\
        yxZAJoj7XBkFYU13---iwjMZuczMKr2YCnUMool4ZVoOb_0
        """,
        "changed": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJhdHRh\
        Y2tlciIsICJhdWQiOiAiY2xpZW50IiwgImlhdCI6IDE3MDAwMDAwMDB9.FP9XdFOz2kXet2yLqo7sGZ5uXll7vmf3vFAcKB6\
        xgjQKI2BNJ_6S6AlqHyHLvLxREcqHr6zwjFvxrRRnRQ3itg
        """,
    ]
}

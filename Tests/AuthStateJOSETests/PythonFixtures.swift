/// Keys and tokens made with Python's `cryptography`.
///
/// Written by Tests/Fixtures/make-jose-fixtures.py.
enum PythonFixtures {
    /// Keys as their owners publish them, by name.
    static let keys: [String: String] = [
        "rsa": """
        {"kty": "RSA", "n": "udMl5hh9GCbGOB0pTncINDFCpxmuFILECOiXg2SNYmEvDk0r5B893brjK3TGpA3B6U5lh77QFc7\
        yMv-w5yvC2fbNjRYwKPAxuXP1CrGjT2IysTMyaM3JIYi4O2nSF7TjSr88Ad5utGPr9snrXnu3R7E7l64pmOnWGV7kpNBK1lV\
        TglRRxzEaEfE-kNaBRxcaQlulvFyIqTpihPudXxkxKRoIWDcqE1ZBUhzSs6xTfScgl-1BOxR2_A49f2pyzWE4qIxCkpET9ml\
        f0-DZRkHLss3WmsXdgirxDi_-xu0ZY_XfKsvq93eOy08TB5mme2qY-fVDIyjZawSq-pjh2UKNbQ", "e": "AQAB", "kid"\
        : "rsa"}
        """,
        "ec": """
        {"kty": "EC", "crv": "P-256", "x": "To1imb9mQQDokdj_lcN07eL7KkQoLys35HSsGC6Ge1k", "y": "MzxPcJMo\
        L-Rr28s0-KXq5woFm6zWPaCX7Biis11dPEA", "kid": "ec"}
        """,
        "oct": """
        {"kty": "oct", "kid": "oct", "k": "6fbkuHO34MWPAgZO8ibUHSXgpslqe2jIw60g7U_LIms"}
        """,
    ]

    /// Tokens by what they show.
    static let tokens: [String: String] = [
        "HS256": """
        eyJhbGciOiAiSFMyNTYifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.mFRtbjhkopk88-LBSsLe5l6D1fPcskdLXMphzPXJFIc
        """,
        "HS384": """
        eyJhbGciOiAiSFMzODQifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.H2r-c1pSTz21HDVTfC48NtRuJZS7B4c56GqCi4QtwGv6E0q1qcCBhE4RGu\
        7aPmtV
        """,
        "HS512": """
        eyJhbGciOiAiSFM1MTIifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.Lbp06I2sHQpLVSaiZ_VJzfJTOb30pbvo41oUOZjTlRn4JzkKrrcZcthCEN\
        S-2cryMTy_qPR1ToqujrZaeSqQhA
        """,
        "PS256": """
        eyJhbGciOiAiUFMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AA2f0z34BKXJEEimcHnOuEYkIMet8hsYC-fNpGVg\
        mR7djH0OlJYTkjEAkRVWV5NI7gbRJVHvypdnao_0Bo7pW_Bp9zb2FvydxWQ4Ia716543KzaCUAP9g7zi6eNKWcv7DfkG09cw\
        -ALZf7HM3wmZj1gVSaaNm0GfuI_t21Psy1XU6kIPmhB2u22AqW3vT2L8lXufNuIrqqb93VRp8bviC1yCPqbdyR4JnQjrBmXp\
        37B-vLL8x_rW0qm0GiD7PT2MKKyco1PSJw-vEa3qm1vM0XJyWavkGyKXtM22N3w9fmW_IOtjBRL_SnMLFAFlDOxqma1dxY7b\
        lt3M58_IqJMtBA
        """,
        "PS256 without its leading zero": """
        eyJhbGciOiAiUFMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.DZ_TPfgEpckQSKZwec64RiQgx63yGxgL582kZWCZ\
        Ht2MfQ6UlhOSMQCRFVZXk0juBtElUe_Kl2dqj_QGjulb8Gn3NvYW_J3FZDghrvXrnjcrNoJQA_2DvOLp40pZy_sN-QbT1zD4\
        Atl_sczfCZmPWBVJpo2bQZ-4j-3bU-zLVdTqQg-aEHa7bYCpbe9PYvyVe5824iuqpv3dVGnxu-ILXII-pt3JHgmdCOsGZenf\
        sH68svzH-tbSqbQaIPs9PYworJyjU9InD68RreqbW8zRcnJZq-QbIpe0zbY3fD1-Zb8g62MFEv9KcwsUAWUM7GqZrV3FjtuW\
        3cznz8ioky0E
        """,
        "brought keys": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIiwgImp3ayI6IHsia3R5IjogIkVDIiwgImNydiI6ICJQLTI1NiIsICJ4Ijog\
        Ik5SUnNaZU1XNVFLWUkxdTFYb1VSanJ1aTNCSU5YRGlmNjhKdlpyZ3ZMaFUiLCAieSI6ICJaN04xdHhpODE3SHhFT3hyQnht\
        bk5pcE80VUlqM182RURTR25EbURDNDMwIiwgImtpZCI6ICJlYyJ9LCAiamt1IjogImh0dHBzOi8vZXZpbC5leGFtcGxlL2p3\
        a3MiLCAieDV1IjogImh0dHBzOi8vZXZpbC5leGFtcGxlL2NlcnQiLCAieDVjIjogWyJNRmt3RXdZSEtvWkl6ajBDQVFZSUtv\
        Wkl6ajBEQVFjRFFnQUVOUlJzWmVNVzVRS1lJMXUxWG9VUmpydWkzQklOWERpZjY4SnZacmd2TGhWbnMzVzNHTHpYc2ZFUTdH\
        c0hHYWMyS2s3aFFpUGYvb1FOSWFjT1lNTGpmUT09Il19.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ\
        1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ._FL5nS40TfvzZ2cHi_fColN7xiNeasjqY_6J\
        e6SmETt29b0ccZlVAwDgpXjU5U8uWDqFQH_8Eze-L1KDatdfag
        """,
    ]
}

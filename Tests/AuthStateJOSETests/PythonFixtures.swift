/// Keys and tokens made with Python's `cryptography`.
///
/// Written by Tests/Fixtures/make-jose-fixtures.py.
enum PythonFixtures {
    /// Keys as their owners publish them, by name.
    static let keys: [String: String] = [
        "rsa": """
        {"kty": "RSA", "n": "jXUSz-cdIZQMCnzecqgeSYgfDOuLarT7E22E5g2b6BihOSfzZh2r-pU-WUotwyHpRDw9_5Ngqw4\
        6pK7iyQyCbuZIhXOvJ-lD0-JpLbw_KsMbBU5hQVQ2G-nNGRDJHco51EDKVc5siUxLi477oOYfuCNEtXPnGULc3Pg_SN2ddw_\
        qwTqy7RGLUNZ6hSOmhYViADGw2YwE9_Gz8QUAmEUEudcvjzN7YvYprnjesDe5XoPst5A2_SSaC8JTGt1L21BE1uws-cu-WJA\
        ZNuMZ4-8eHlXh7l-j4Z5ytLv71P2TstjcqOhd_m1xEaWaddRJx1OP2-MAKDZreJgDevNWDkporQ", "e": "AQAB", "kid"\
        : "rsa"}
        """,
        "ec": """
        {"kty": "EC", "crv": "P-256", "x": "NWgLydu4UTijMXnssAFwo5CGtdrIkm9e0laZq6UXh1o", "y": "_H8SDChj\
        3L6G_Y9fEQSsOhvk9zazlEWoGY4Gy93EoHk", "kid": "ec"}
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
        "HS256 by the text of the key rsa": """
        eyJhbGciOiAiSFMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.TYmyp318MhfO1b3Q4RQv666NWNYEgcYYFcAm2lbo\
        iyQ
        """,
        "PS256": """
        eyJhbGciOiAiUFMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AH88OBiB0_4e98L2JD0rhzqWYsC3QBalzGFFhjUk\
        sGwooI7LLxhwho9dc2_khpBZcO3Kr6Iw1KuQjizP-LcD4MAye8HnIM4V5KwbXKfDir9Gfk1rc_Q2wfIO8SyOhpS054HQlIgE\
        u1mgcxNr2oxjLog0SWL3wa41v7KRp8ASMTTm-UbeycjeBO5LI9TP4TFTtt1UykHTzWcDaPgvUH6Hytu2m9VPLFZFSvngQjhY\
        RSLO8Mo3NPVsyoOYnUanYTvCMyyFjhRd3A-wyWxhQJAzJ_yVAQtv3az3LeKCeLoXdPxqfzXp1wT_frNy1Kl829eO9WpRa42p\
        VhaFhyLyLVOJGw
        """,
        "PS256 without its leading zero": """
        eyJhbGciOiAiUFMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.fzw4GIHT_h73wvYkPSuHOpZiwLdAFqXMYUWGNSSw\
        bCigjssvGHCGj11zb-SGkFlw7cqvojDUq5COLM_4twPgwDJ7wecgzhXkrBtcp8OKv0Z-TWtz9DbB8g7xLI6GlLTngdCUiAS7\
        WaBzE2vajGMuiDRJYvfBrjW_spGnwBIxNOb5Rt7JyN4E7ksj1M_hMVO23VTKQdPNZwNo-C9QfofK27ab1U8sVkVK-eBCOFhF\
        Is7wyjc09WzKg5idRqdhO8IzLIWOFF3cD7DJbGFAkDMn_JUBC2_drPct4oJ4uhd0_Gp_NenXBP9-s3LUqXzb1471alFrjalW\
        FoWHIvItU4kb
        """,
        "brought keys": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIiwgImp3ayI6IHsia3R5IjogIkVDIiwgImNydiI6ICJQLTI1NiIsICJ4Ijog\
        ImNheHNfejNCeXlTa0l5Yk5ja1BlY0FseEFCV1BUMHk5Yk1UWkJZOGFhU2siLCAieSI6ICJUbU9wcWJmVEtTQjFGTTRIdGp0\
        azBIeU4tcElFQk0zV1ZxRlJLQWppVFRrIiwgImtpZCI6ICJlYyJ9LCAiamt1IjogImh0dHBzOi8vZXZpbC5leGFtcGxlL2p3\
        a3MiLCAieDV1IjogImh0dHBzOi8vZXZpbC5leGFtcGxlL2NlcnQiLCAieDVjIjogWyJNRmt3RXdZSEtvWkl6ajBDQVFZSUtv\
        Wkl6ajBEQVFjRFFnQUVjYXhzL3ozQnl5U2tJeWJOY2tQZWNBbHhBQldQVDB5OWJNVFpCWThhYVNsT1k2bXB0OU1wSUhVVXpn\
        ZTJPMlRRZkkzNmtnUUV6ZFpXb1ZFb0NPSk5PUT09Il19.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ\
        1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.EtXqj1aEXwiwkiEMWOy8793AOI2tMQXPeSl3\
        l1NAUcurdg1c2shDAIB6CnfWGQqg2hgg4N84cdf9RwvjSdpiDw
        """,
    ]
}

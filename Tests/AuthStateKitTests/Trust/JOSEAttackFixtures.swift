/// What an attacker made with Python's `cryptography`, and the keys it is offered with.
///
/// Written by Tests/Fixtures/make-jose-fixtures.py.
enum JOSEAttackFixtures {
    /// Keys as their owners publish them, by name.
    static let keys: [String: String] = [
        "ec": """
        {"kty": "EC", "crv": "P-256", "x": "NWgLydu4UTijMXnssAFwo5CGtdrIkm9e0laZq6UXh1o", "y": "_H8SDChj\
        3L6G_Y9fEQSsOhvk9zazlEWoGY4Gy93EoHk", "kid": "ec"}
        """,
        "rsa": """
        {"kty": "RSA", "n": "jXUSz-cdIZQMCnzecqgeSYgfDOuLarT7E22E5g2b6BihOSfzZh2r-pU-WUotwyHpRDw9_5Ngqw4\
        6pK7iyQyCbuZIhXOvJ-lD0-JpLbw_KsMbBU5hQVQ2G-nNGRDJHco51EDKVc5siUxLi477oOYfuCNEtXPnGULc3Pg_SN2ddw_\
        qwTqy7RGLUNZ6hSOmhYViADGw2YwE9_Gz8QUAmEUEudcvjzN7YvYprnjesDe5XoPst5A2_SSaC8JTGt1L21BE1uws-cu-WJA\
        ZNuMZ4-8eHlXh7l-j4Z5ytLv71P2TstjcqOhd_m1xEaWaddRJx1OP2-MAKDZreJgDevNWDkporQ", "e": "AQAB", "kid"\
        : "rsa"}
        """,
        "small": """
        {"kty": "RSA", "n": "sx0UG30mQ0IGYeodNB-b1_y2NLeu3o8Eusmgn1TV1TXc4BkR8dW7VMf414yCxa9m58rzPlSePAh\
        Mt7MUyZsCuRHng_-oJxyg3s9Oaib-Bt60GdVf7288azt9UkjSPvm7V4eaftfCNa2Q7EoFVRLBEFbpfav2C5PGDGmbmuW-UjE\
        ", "e": "AQAB", "kid": "small"}
        """,
        "oct": """
        {"kty": "oct", "kid": "oct", "k": "6fbkuHO34MWPAgZO8ibUHSXgpslqe2jIw60g7U_LIms"}
        """,
    ]

    /// The key `rsa` as the text that other libraries would take for a secret.
    static let rsaPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAjXUSz+cdIZQMCnzecqge
        SYgfDOuLarT7E22E5g2b6BihOSfzZh2r+pU+WUotwyHpRDw9/5Ngqw46pK7iyQyC
        buZIhXOvJ+lD0+JpLbw/KsMbBU5hQVQ2G+nNGRDJHco51EDKVc5siUxLi477oOYf
        uCNEtXPnGULc3Pg/SN2ddw/qwTqy7RGLUNZ6hSOmhYViADGw2YwE9/Gz8QUAmEUE
        udcvjzN7YvYprnjesDe5XoPst5A2/SSaC8JTGt1L21BE1uws+cu+WJAZNuMZ4+8e
        HlXh7l+j4Z5ytLv71P2TstjcqOhd/m1xEaWaddRJx1OP2+MAKDZreJgDevNWDkpo
        rQIDAQAB
        -----END PUBLIC KEY-----

        """

    /// Tokens by what they show.
    static let tokens: [String: String] = [
        "good": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.eKDyqxvFdAO566Dg853BcP04A0-zHdRx2W8rkwNWH\
        E5U-lBthx7ZQz4Fzd7yLqyOjYk3rlojfpdyIHWV5sbF1g
        """,
        "padded": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.eKDyqxvFdAO566Dg853BcP04A0-zHdRx2W8rkwNWH\
        E5U-lBthx7ZQz4Fzd7yLqyOjYk3rlojfpdyIHWV5sbF1g=
        """,
        "leftOver": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.eKDyqxvFdAO566Dg853BcP04A0-zHdRx2W8rkwNWH\
        E5U-lBthx7ZQz4Fzd7yLqyOjYk3rlojfpdyIHWV5sbF1h
        """,
        "twice": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwLCAic3ViIjogImFkbWluaXN0cmF0b3IifQ.smm4kUSiF\
        iMHcqSr6r4ODB9F-tpRU6gn7CbDtmTjHdPt23wS0_Uot6kvTnQqzPXu95Y3S0r4Ddq4jAELqjqFQg
        """,
        "fourParts": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.eKDyqxvFdAO566Dg853BcP04A0-zHdRx2W8rkwNWH\
        E5U-lBthx7ZQz4Fzd7yLqyOjYk3rlojfpdyIHWV5sbF1g.AAAA
        """,
        "critical": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIiwgImNyaXQiOiBbImh0dHBzOi8vb3AuZXhhbXBsZS9jbmYiXX0.eyJpc3Mi\
        OiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAw\
        MDAwfQ.8R8EvxJvATl2bbCUqx-p4i5Vxjo8zNOtN-Zr84r5nQkcnOK431yQbNonKptIe0C65hMMpejMmfmAFj39aJsHiw
        """,
        "confused": """
        eyJhbGciOiAiSFMyNTYifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogI\
        mNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.sRaSKTNPaFLK--HRxrnOT2H0k6ltEPQTesq0D-VbmLI
        """,
        "otherKey": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogIndpdGhkcmF3biJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI\
        6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.0RAvFIdRH1GS465S29HSkIrnEXuJ2uvz\
        TIQGLDoxyeP7lr8HOiWtnoqV2SjGzfUX1UMNAwf3RkYjKTeNl7B6kg
        """,
        "otherCurve": """
        eyJhbGciOiAiRVMzODQiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2Vy\
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AAAAAAAAAAAAAAAAAAAAAIWUrSRnaLes_K61RwG55\
        IidIoOS_aW06o8AYfZc7i3mAAAAAAAAAAAAAAAAAAAAANca1aIPaQ2Esb3ObfAI2P2jjOvpSfdGi6MlHm87BOtr
        """,
        "pkcs1": """
        eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.BpiAozzEfQUjwzXtmqUtEo8rmD9KMpY3ObVhIJoC\
        WK8Ix4oYs4WsEKLimyu65-43pQBD3FEm1QmXZ89ml_l7UNuBYUqasApEZQ35Uvt18iutAiFfUPG-W9EDpAirOzmI54eZiF-_\
        Y2cC8D4512lCM3dK-hhpxO1flHwcsnIy8AUtzP43NeKKnDyuOqTKHJ3ZHbOtX4XyYEW8_8reYN8metlj9v4PECgpG8ik1PqV\
        KEb8d_3q-5R8qveEXaogWNiapAQFUyZShx0kQbUeiB5DrP2VjBNvEk5OgFZyQz0CalfSRGZRNWqbyZG8Au6hu-MkGVP7Qcv3\
        jR7Ydeyy9Z5T5Q
        """,
        "small": """
        eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInNtYWxsIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1\
        c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.fnaRhJpO_zy4RW7GsZKkHrJ6piU4K2zOcpgrR\
        OZJLqTFUBywNPzQYi30j9NdKBPFXq1T4OiykYrNcG-0D1cCMGSm9gTYtWxsCGZNWVRozqi4kPR6ZGCZUtSWwedna6LdNB2eP\
        CUB3PeiZnvagG69RP3IFL0mOP25oCJmkcUOLyg
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
        LTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AMvkBpaFXjQxNipxV97VOhl39H174iuvelKi4LI0T\
        klxAH63nV4TlYbqRDRhfrLIlKbDItVRQ3hzvcY_peR0odFn
        """,
        "changed": """
        eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVjIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJhdHRh\
        Y2tlciIsICJhdWQiOiAiY2xpZW50IiwgImlhdCI6IDE3MDAwMDAwMDB9.eKDyqxvFdAO566Dg853BcP04A0-zHdRx2W8rkwN\
        WHE5U-lBthx7ZQz4Fzd7yLqyOjYk3rlojfpdyIHWV5sbF1g
        """,
    ]
}

/// Keys of a client that OpenSSL made, for these tests alone.
enum ClientKeys {
    /// P-256, PKCS #8.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9jaoeonWkgnWzDEI
        rvj1iQJ+8zW2xUd+tAVZmTjoNuuhRANCAARYVcs21tS2JKTL28G0jKduaR0QrLTv
        DB34Irz3/pnN0pbHHgn/7h4MtPv6BZ9QtoxMxw6azijSO7RbkfpY5h7G
        -----END PRIVATE KEY-----
        """

    /// The same, SEC 1.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIPY2qHqJ1pIJ1swxCK749YkCfvM1tsVHfrQFWZk46DbroAoGCCqGSM49
        AwEHoUQDQgAEWFXLNtbUtiSky9vBtIynbmkdEKy07wwd+CK89/6ZzdKWxx4J/+4e
        DLT7+gWfULaMTMcOms4o0ju0W5H6WOYexg==
        -----END EC PRIVATE KEY-----
        """

    /// The same, as a JWK.
    static let jwk = """
        {"kty": "EC", "crv": "P-256", "kid": "jwk-1", "alg": "ES256",
         "x": "WFXLNtbUtiSky9vBtIynbmkdEKy07wwd-CK89_6ZzdI", "y": "lsceCf_uHgy0-_oFn1C2jEzHDprOKNI7tFuR-ljmHsY",
         "d": "9jaoeonWkgnWzDEIrvj1iQJ-8zW2xUd-tAVZmTjoNus"}
        """

    /// Ed25519, PKCS #8.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIPxtj+5rbHdG++LA/ayH48MhhRGT4aJNN52uFnOQZlfM
        -----END PRIVATE KEY-----
        """

    /// RSA, PKCS #1.
    static let pkcs1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAwavPR5fznYLkySESpmVVk8MwkU5/9d1y9Vx/paKG2IFNKoWH
        MjwP327w7DvwjXyE88KfNz+wcF9NLS1N6MRX9IMQ4wwIZ7W+soKnVYGV7c/Lxt1j
        BLIBhdChGVY+0YRCq8mAE/qY7pOW25FYtJwvatFztwQoc7RyoyVa3Ofa83zuvkzI
        /jDijK+suCQBTYcQC2td+cNR04RXwAAtA2pjIuazFTY+/KDnD5aGRQ64TcFEmyKf
        h2jnESYc92SWiQlftdxZdrKBJuGZuY2tQfJaELDM9jH45ke7xQ7e7bQ0k/AZUSpZ
        E67n7sLVu331SVLEuxpqQ3QBRvLClgt2i+G6DQIDAQABAoIBAAS1kmDQXtMzwYTr
        fzTZGMjdnELNmMUdeU634lRgfJdrTiP3IxJeDVkWl+338iblQiVcPuYHcC6h/pzX
        McJeczC7TCU9NRTH1vx9D/0UstTZcpV3a3w2fjInCyJ0K1W0ZIZMAXIwQS48m/84
        TE14pnAvlM5R3/rvm8Gq+503V7wHwOfhJF+JXn1IYZ3OOxseqgfv9hv3NYuxA75Z
        WRI52A83Mhkt5Y7yu4nPjxEjQJgZ1r2ZdGi1nmyyJ/PuyC1/a1fTPZnHF2HHemNq
        QdRmAJBE4ZZ48OKbpdcEabYGESfcD4SHL6TGAxtmsXwFWIW364PJcNTyWpvURstx
        a2wUj8ECgYEA6wTY+pvNj84JuKiewVBl4EYtE4EVOnYtGdLMhC76DrCbi9kWPnoF
        RM/jVQ71vI1F4sP0ChYDuWbNnil/6U7HDpP8nEywLym2wimjU1jkhAdNwrOfxbdH
        00qHdO2dktkWKe6wh0R95zrARC+HsH+YbSF2l00CoJ0zMjJ+/y2dXc0CgYEA0vX+
        gjlAO05yFNsHGtm0UADlqU2rgXkD9VLqQgTfjpOjyrXheSOG2I2R7oaYk/j1jQKe
        RTOYpLFA+iovkpwCRa/zS78OWzhR/7odXrfUiEgMCLefYds0eVOSgIOcg2gcjiP3
        RL5P5+JZClEZiVwA9h9v3QVhNeb8Tswe1bhPjUECgYEAm5AV36yJoIqNPMHAc803
        4gARjjt/Rbc7m0BBR62gr2CPVT5YzvoNysKgg4jnd+s7OyLhwltYE7zMlch6doBC
        mo+yQfMxG8bMxjCxf1XzzMDY4+vp8gGjdWR7zRYLm0w+s3rfNmpLvGbTJU8gzd9n
        kbT4vqWm+5GSdcOe9GHJLHECgYAbZyrdPZSTX5hAD0d3/GmIruUmPdmWYuLZviCB
        3OIxQgpXrZKRSsUcYh9frYoqRn+XBo0Kji44znGTTWGKmMtOxBFFeJbj0IgOQN3J
        zPVFkp5Fj5ybeH7zd6CjIvV0uFRlPlTDUDlO9L7+MRSxHAtf7St5uVYsS0ng7nDe
        8CcdQQKBgHAL87DHe1sMlY2V/weCwxnJ1iNzQrgilyUK7AMyemiaEvU/yioUXvVr
        MDrbha6e5o0zTV7j/Nptg4gkAxCGen5Vl0uIzM/yCXIBBL8+JviJrFn7BT42lZ9L
        mAf5f8NeCQBqZnfHGPudJszNAe12V7xiIJx2hIS23HlWauAXMScH
        -----END RSA PRIVATE KEY-----
        """

    /// P-256, encrypted.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAibSkHBqle1RgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKYwy2JwyJN0zAzuEgK35JgEgZBi
        81Byn+cPZDPmTT2HcPZ8F0W5Rwhzk7mfp0pqPzGj5agKSAjgCb3KHc/Y+trw02ox
        XqptLvy77X6Ihjutq6PZYZWvTczA1r5x8en7OaqmmY2g4fTlih7PvYWMMwClsylR
        jh8kQu+Eg7Ygl8ylnEkgyotcdSQ5JMQaJC/2xJk6YcB0tL++EeSX6qpSeCmBObg=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The public part of the first.
    static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWFXLNtbUtiSky9vBtIynbmkdEKy0
        7wwd+CK89/6ZzdKWxx4J/+4eDLT7+gWfULaMTMcOms4o0ju0W5H6WOYexg==
        -----END PUBLIC KEY-----
        """

    /// The same, as a JWK.
    static let publicJWK = """
        {"kty": "EC", "crv": "P-256", "kid": "jwk-1", "alg": "ES256",
         "x": "WFXLNtbUtiSky9vBtIynbmkdEKy07wwd-CK89_6ZzdI", "y": "lsceCf_uHgy0-_oFn1C2jEzHDprOKNI7tFuR-ljmHsY"}
        """
}

/// Keys and tokens that Python's `cryptography` made: nothing here was signed by the code under test.
enum Fixtures {
    /// One public key of each type.
    static let keySet = """
        {
         "keys": [
          {
           "kty": "RSA",
           "kid": "rsa",
           "use": "sig",
           "n": "vyMQtw9PqbI-ev9IjRxquFMKB-jLakH4evA9XVQULQ_MMOemhCRDQ0mEoVOCddaMu0ZjpVnlKh88DmJiyu6TdZgK-4LVk-5t0nAI4JCsUTv5em2reZTpVkvybdZWyWP2P_351kjS7Aq39ZDhE32__cNth1VxjUUGFn8vT2r-MZHCQBqsxaXghRSBxazX4J1RPFjQy5oitNynEPHIXSRMkFcQ000Sy-AZypI03Y3Sx3TQYi97U-FabqyY9fWudgE24fEMBWQF213kqyo-I6uXIxgpq7DYzZo7IiTiRxBzILFojEEHNMdzhLqqNig8V0asb8vuTpwsN6e6Bkm5iIropQ",
           "e": "AQAB"
          },
          {
           "kty": "EC",
           "kid": "ec256",
           "crv": "P-256",
           "x": "AaEFIguNYAJjJHcKZL8jPccHIEL8N4QHFCzKYTw8mVc",
           "y": "C7IoudNacoURE9vqLsaNP7oA2rerR9xtqazYo2sBBII"
          },
          {
           "kty": "EC",
           "kid": "ec384",
           "crv": "P-384",
           "x": "NaFpMK_dA2vwwfkKmRj_f8Sde8Do25UfYtrbV-BsFQ-lV2WaGpl_tClPAYB56-D6",
           "y": "S6QHQutFFHLPy1jXl3rFZxZZRSpVPIBJV4Mh5tx8Ok5EvuOalYrZsRlY8WqJm9FI"
          },
          {
           "kty": "EC",
           "kid": "ec512",
           "crv": "P-521",
           "x": "AJughdDfBUvVwPPD94Dd2a9glYRMGoeYXmr-LN_lm2jMq0hiO4A6KrRE8q8aFgFwTKPQdcgiZuuyh8Be45KUFIV6",
           "y": "AEcphKACczBSS1n_QNYqSs_AwbyzFMJBCzXXalPFj1ckiyGcE9npNdj6UI4AKEzI6oftMNOtaC2U95Fp3uD9upvn"
          },
          {
           "kty": "OKP",
           "kid": "ed",
           "crv": "Ed25519",
           "x": "dr3pWFoNHwFGeq95dZTpzmFBeojJAPwNNX9JKzhlATI"
          }
         ]
        }
        """

    /// A P-256 key whose `x` was published without its leading zero.
    static let shortKey = """
        {"kty": "EC", "kid": "short", "crv": "P-256", "x": "uTmqSsUj9ipqXJXJfjflPjG4wRq73nx64GDv2tOlrg", "y": "-PVKxsoNgMo2NLesr5RJSixQxEQgICjU_knRB5OcZaM"}
        """

    /// An RSA key of 1024 bits.
    static let smallKey = """
        {"kty": "RSA", "n": "xBRFD54N1ywGibpQMebnqJU6yBJ8XYOtD6kN_fNQ-k8C4FJlzyhic2UxiiXluL4PvRFDoXoK8-ZJ3Nx7cYA9H3x-jBVz2Bg6RGmpDMDg0cm9-c4cFdqNY6es2gwwxdbPPT3oFof1c6nxEknDB6gfA4k8Qet_GvBPPdyCjLA2hh8", "e": "AQAB"}
        """

    /// The private half of `rsa`.
    static let rsaPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC/IxC3D0+psj56
        /0iNHGq4UwoH6MtqQfh68D1dVBQtD8ww56aEJENDSYShU4J11oy7RmOlWeUqHzwO
        YmLK7pN1mAr7gtWT7m3ScAjgkKxRO/l6bat5lOlWS/Jt1lbJY/Y//fnWSNLsCrf1
        kOETfb/9w22HVXGNRQYWfy9Pav4xkcJAGqzFpeCFFIHFrNfgnVE8WNDLmiK03KcQ
        8chdJEyQVxDTTRLL4BnKkjTdjdLHdNBiL3tT4VpurJj19a52ATbh8QwFZAXbXeSr
        Kj4jq5cjGCmrsNjNmjsiJOJHEHMgsWiMQQc0x3OEuqo2KDxXRqxvy+5OnCw3p7oG
        SbmIiuilAgMBAAECggEACe86T4Ql4YMYiO9l3PfCJZcjU//p5WRNFE68/HHXTp7z
        P64lUy7zVAxT2XLBZXs4+1mQP6g+0gP87Mkjq2U1GDfxMjC9sHUEaPCryshE5z//
        xTjtYGIOCA87KDGrdxzmpV1/s9SQf0ubU3yBRlsTNI8IzVpH5E4sdSo30kqUWw0f
        r3+vASBNcaVCkKErdr/Ql5uMLzo5X9n45s7a2Z8YZUBGIrAps8z3jcw88tO3Je/A
        jVIZS+a0lLvGsqRoT5UUO1coqw8dI3ylZIHNH3t/lnO4pEENzT0tOk2zXTSjWqMB
        uysWy3OWHwkfRSvHT/uTjBeF07OHTF2gRGTVF2e1DQKBgQDutAosTQXGO/y5xagw
        H+kYoQmZTx4C+o9ESrqnPe2GWV70z2xWnBxX4YVjCOb5TTyMMZKRsKcYjjMzFTok
        AuQcbmKZoNudak8ph8euFc0BqM3onTAD8lGu+1y+g83dc/TNxBdRnA5phXu8VsCl
        ZdSz7iOUnF75KrlPcG08R0zqNwKBgQDM/KruSSFGWtOTWbJt/Yhn2MzQnf95IWM/
        y0TbsZ5JCDKzWnVCqkQE1xqXh/6oDVqgDD1SAGslfFeSPMnZQxYAsS2yohNNkQOk
        bh+tpMHeqA+NPV9IkmkarsqE/oGlowovpigb3aKzRcWuvwjb7XIBjMZxdAKBCxu2
        NsiphyAmAwKBgQCyMb0WbTlOTyHPHPr9UhUUycL8q89fseSZup+0kcprbPQyFVZv
        IYMXJ8gHsnGa0knM7oTYNePHtQALtmD82RupDc6VmTvZO6909WPfVW8BOh7c89sQ
        VykbU5JcttBL7XBm22f9CF7J71f7tVeDIY2z9KajHkjYAUjtQKSLRz7n6QKBgQCy
        rDnBYXTjgh+Q/EoOnULcYZiE7nLT/kooPOFULUmulrq6oko7RXXsUiIXmq5ZhOpN
        Pt3kMAE0t2ENUncOLO9swwL2BVeV8KSgGmz6SfXCQfLsRWZcN2HtpBVaPwx6d9ZV
        GhszzsgWQubAHjt2l00cFLyT/25/VFNfS/kz61gWSQKBgQCM/acrS68+tmBUY+A3
        iqWpgCoE6VvI7J2/48G2fFUasoiEIF4DF5E1azAWOYSXV4HfLalbWYk41KAmfxPQ
        XxXJLWOlATbZnEeyEEeMP2w8f2LhoEAVnlwLwFkH4395xErhxTYyUgQA8Xqjmz1T
        ZasQmkpo0BFGyomdQ4PynSQ1nw==
        -----END PRIVATE KEY-----
        """

    /// The same, in PKCS #1.
    static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpQIBAAKCAQEAvyMQtw9PqbI+ev9IjRxquFMKB+jLakH4evA9XVQULQ/MMOem
        hCRDQ0mEoVOCddaMu0ZjpVnlKh88DmJiyu6TdZgK+4LVk+5t0nAI4JCsUTv5em2r
        eZTpVkvybdZWyWP2P/351kjS7Aq39ZDhE32//cNth1VxjUUGFn8vT2r+MZHCQBqs
        xaXghRSBxazX4J1RPFjQy5oitNynEPHIXSRMkFcQ000Sy+AZypI03Y3Sx3TQYi97
        U+FabqyY9fWudgE24fEMBWQF213kqyo+I6uXIxgpq7DYzZo7IiTiRxBzILFojEEH
        NMdzhLqqNig8V0asb8vuTpwsN6e6Bkm5iIropQIDAQABAoIBAAnvOk+EJeGDGIjv
        Zdz3wiWXI1P/6eVkTRROvPxx106e8z+uJVMu81QMU9lywWV7OPtZkD+oPtID/OzJ
        I6tlNRg38TIwvbB1BGjwq8rIROc//8U47WBiDggPOygxq3cc5qVdf7PUkH9Lm1N8
        gUZbEzSPCM1aR+ROLHUqN9JKlFsNH69/rwEgTXGlQpChK3a/0JebjC86OV/Z+ObO
        2tmfGGVARiKwKbPM943MPPLTtyXvwI1SGUvmtJS7xrKkaE+VFDtXKKsPHSN8pWSB
        zR97f5ZzuKRBDc09LTpNs100o1qjAbsrFstzlh8JH0Urx0/7k4wXhdOzh0xdoERk
        1RdntQ0CgYEA7rQKLE0Fxjv8ucWoMB/pGKEJmU8eAvqPREq6pz3thlle9M9sVpwc
        V+GFYwjm+U08jDGSkbCnGI4zMxU6JALkHG5imaDbnWpPKYfHrhXNAajN6J0wA/JR
        rvtcvoPN3XP0zcQXUZwOaYV7vFbApWXUs+4jlJxe+Sq5T3BtPEdM6jcCgYEAzPyq
        7kkhRlrTk1mybf2IZ9jM0J3/eSFjP8tE27GeSQgys1p1QqpEBNcal4f+qA1aoAw9
        UgBrJXxXkjzJ2UMWALEtsqITTZEDpG4fraTB3qgPjT1fSJJpGq7KhP6BpaMKL6Yo
        G92is0XFrr8I2+1yAYzGcXQCgQsbtjbIqYcgJgMCgYEAsjG9Fm05Tk8hzxz6/VIV
        FMnC/KvPX7HkmbqftJHKa2z0MhVWbyGDFyfIB7JxmtJJzO6E2DXjx7UAC7Zg/Nkb
        qQ3OlZk72TuvdPVj31VvAToe3PPbEFcpG1OSXLbQS+1wZttn/Qheye9X+7VXgyGN
        s/Smox5I2AFI7UCki0c+5+kCgYEAsqw5wWF044IfkPxKDp1C3GGYhO5y0/5KKDzh
        VC1Jrpa6uqJKO0V17FIiF5quWYTqTT7d5DABNLdhDVJ3DizvbMMC9gVXlfCkoBps
        +kn1wkHy7EVmXDdh7aQVWj8MenfWVRobM87IFkLmwB47dpdNHBS8k/9uf1RTX0v5
        M+tYFkkCgYEAjP2nK0uvPrZgVGPgN4qlqYAqBOlbyOydv+PBtnxVGrKIhCBeAxeR
        NWswFjmEl1eB3y2pW1mJONSgJn8T0F8VyS1jpQE22ZxHshBHjD9sPH9i4aBAFZ5c
        C8BZB+N/ecRK4cU2MlIEAPF6o5s9U2WrEJpKaNARRsqJnUOD8p0kNZ8=
        -----END RSA PRIVATE KEY-----
        """

    /// The private half of `ec256`.
    static let ecPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN61YFIQpEJ/YrgQ/
        U50pFgnPAq4jViz6nd8IvuAV0TGhRANCAAQBoQUiC41gAmMkdwpkvyM9xwcgQvw3
        hAcULMphPDyZVwuyKLnTWnKFERPb6i7GjT+6ANq3q0fcbams2KNrAQSC
        -----END PRIVATE KEY-----
        """

    /// The same, in SEC 1.
    static let ecSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIDetWBSEKRCf2K4EP1OdKRYJzwKuI1Ys+p3fCL7gFdExoAoGCCqGSM49
        AwEHoUQDQgAEAaEFIguNYAJjJHcKZL8jPccHIEL8N4QHFCzKYTw8mVcLsii501py
        hRET2+ouxo0/ugDat6tH3G2prNijawEEgg==
        -----END EC PRIVATE KEY-----
        """

    /// The private half of `ed`.
    static let edPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEID53FJwIOBY7i/K5oOJHGzDqsWm6DMjVm2wM/v4QMJKW
        -----END PRIVATE KEY-----
        """

    /// Keys for X25519, X448 and Ed448: the first has the form of an Ed25519 key but for its type.
    static let foreignPKCS8 = [
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEICDD8PcEmuyoa9HteG6wAs69Dq6/griTbkf3c289th1h
        -----END PRIVATE KEY-----
        """,
        """
        -----BEGIN PRIVATE KEY-----
        MEYCAQAwBQYDK2VvBDoEODABzqfuBZsxbLIyVmUj8igB9cOS89XXCBpULKTGyqhh
        bSF6F0XHzMbAISjs6re3ehhK1+yH3Ezw
        -----END PRIVATE KEY-----
        """,
        """
        -----BEGIN PRIVATE KEY-----
        MEcCAQAwBQYDK2VxBDsEORbaHSy47RcWI+G8ethrpQnGwMJGXi0DyktjHuPRnBhX
        Khs5RYVvxBOlPusSzLvmx+t/HTNLpvAqBg==
        -----END PRIVATE KEY-----
        """,
    ]

    /// An encrypted key.
    static let encryptedPEM = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIFNTBfBgkqhkiG9w0BBQ0wUjAxBgkqhkiG9w0BBQwwJAQQjqJV6orNOXE12Hwb
        M14BvwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHBhLrh7gxVrUZkd
        nOvdlTEEggTQQpBPjHueuijPrmlId03fPd76vjeGpXFXi6b9LFgPMkWJM/S2SJMR
        m3qC3kmRp4AC3ajVz5529GKjIYqC06buwxmEobpoLSNtYSEXy9xuJ8E2Fucfoboe
        MAurfs9l+qyzF4KLN8jx2fDQs+QApoJH7qH6bSEeiaf9aL4shzllFCu8zi/CCOxH
        W32x7tLWB07vSVQIEfQsV4XCin1neAeMOEDiKf0QvNriixDeWJk2vzGb87laOxvP
        W0PQ8YvM5Q7N5DTwTybhb1IPihlp9pjGNPFcDhtOieHbLne4OkLPjeMUQmqn7oAu
        PVG9teMAata6vSdTrSTieV9uFT7mI3pYoIGDaMDCkdHTL+E+T6tlx8eXk3RA0BFk
        Jtgm6bAYmnGLLzT/7z8hQP8qK/pXjE4qKn/abyoXdFUixNEYJvI4ubTHTqafwYXT
        WnV3MzALVLG3trGjpiiaO4YOKlpH38FH/98pYlU5DSsnkrhNsCOl4IMHykmnxa4T
        ULC5I/fVMrTuKs1jqADFQ25tWEEUDI3pDAiESMle6UbwnDg777I8zAhCXNATDXmV
        wISjnXZ8L8nsGLl7KAgCv0GQh3Gm2ttRAn5Vcf5eVP5KFot+MSaqw82FcDgBN1/r
        vVh5CUau6LHVCDpFrEV6jOLgNYB56rEe7AlfMrBkprtTKf6ZejNKuKY2bYHpcP+8
        WAgBSYroAulAJahKQ753mtzdTQYvxhSjDcCCOXp3sqTx9OMmFT2zpe1w/kWxXqOv
        WYoxUupcKITDgIW1K2ZYF9o7Ahyu4EtMYNrAZp3QAbBCjekQ8xQXQ+248ZVzxyfR
        myEF+4dlwZ/SXwd/Z/I2FF59ks+k2m+iw3TgRbnMEXD6SaJPmyXnw/h2pQ0AkoA+
        0AHmtn923+fLTCMC1D0AMNEaCkQ3JuHcNIllwenWKyCoWGCmTlc+lfS+Z/09ODtI
        xGLACMrj0kcj39nqTlOt30RyC3LnxtxurVUKcUF140xBJvYJSlr6/AYrztjUzn9v
        bk/agGRdHxcSRB+vTSGhjTHd72sSdPkmd0QgmmT2yB8M2tBdKQGODe8UkT7/uw6a
        2MFQjM1mWwKgyfGQdfbHiW0ehkOC4eyAIjGi9TPp4DMSIi8cuN3LdFHM+860asTX
        cuNdG7tw3cZ7P7y4Kupg4TNAjgksD4YU3wfhLx52V5z89++TU8zT2280Cy2q3yNt
        7Jtlr+S7AYRcUyuN54QvBheBemc4HhAM8RVmPS5bdLtp3o9SkkckvXQdWotcuFcm
        /zKfYBRaJ6ttt4oB4K/NDC75qdmnxD9vqcnT4ZZLeWxf/UEVAC70DvZuqKcf+tUx
        7ptOUi2jkZWX1vxF99i5iFlgAr0/norMxyT8p6vf0aFGplUA16OqeWqXiZ1K4Mku
        vFTGb28LL+wtS4mDBw0YcvWNBsAjtG6Pkd9PpVhwWkZwtnoYJaFr0hs8WJywpCaM
        FRoVVhYIQY/9LdVzO73S5/dpIGbcbiRQbnOeUjBmd2XFPioNPXxaus6egWMixoEf
        GrsQpPhkrM2XvrVu1x+Z5nKbVda1VD5GM1GEmmBdIZmaSfjhxq3Em8xwpPz8FfQB
        abz6m9zoMHx45iHnD1aIZeBfArpBP1MCXkg2Iv7VEtYG9pgSOM+ed5E=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// Tokens by what they show.
    static let tokens: [String: String] = [
        "RS256": """
        eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.JEkmO4OUjROiiCJNHiJg1\
        xttekjFRvo62KJV2LBQKVrqGyeJ3CnQG3oYRGNz4DsTcxDO1vYkUNXJUr4uxWe61bNoE5XDQPCANz1m2axTYOh8fQteaVSQd\
        b4m7-IWgu7r6w1yfFBZ7ml5F2GTMEOB9LTS7VNCGs_C8QehwYvF2QPqh3E7J4xTGki_ExLwkdJnsLNbCrklMmpfDOW0U4Fi3\
        oKwsDtEzcFNCCXe6QA3lhKtJ5YlMhmxG77ty8qcPYzC9qxqcQf1PSBeTKnDZY_AEBtPEVQGbQ7BTQ-m6SbVNPQo3XH-KzoEI\
        pd0JIQMgxEMviuWv5c-hUg8GZoOoX7qhw
        """,
        "PS256": """
        eyJhbGciOiAiUFMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.FgcFZbZyganTe6tXkUjW4\
        HA_q-PT0FRbdey1hUNEEB21MzYiscuTo0wfYAFhLwqraslZ9QFXXXdSrjxN2pcbH9TrNb5QLrB7cDKSq3VjOjOgXGVVDsnSt\
        xwmI_7MkfYKc5_0mawL5N2F1OWDbFiPlxbMd7fkBbxP_zRP5pwNNAMvc5bPTbX1XyDGMj5nKETyzi-I2mUGXCVtcGH58ivnz\
        wCe1TNuHwlkqrB7OFqrEJ7me-FUcUI1OhwJlQ5TDqXVl_irRBFJP6-7GUJmOXqVBATOJeh2SY6jgDQABgPQMpJbt4V7TUG0u\
        qubYIzJ5IjyIEIuQM_gSas8BtluyagDfQ
        """,
        "RS384": """
        eyJhbGciOiAiUlMzODQiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.fjgUC1yrnxMuDd8s_D_Wa\
        -Kn3-vIoMwmS_psTyrE4ODCn9xA_fZtu_b8aGNAWVO8SR-KxC4o31B7HpdpmB3o1VBk62FGu9kY0rvWX4XWa0ZV4N5k1QAbA\
        ruVYFOoUVpd2X0BlK1b8axPiO44lgoOgjh2i6ww_GrjLWdFqqVapAxsaerO4NY8A0WRBoodXvAy6A4nwaqPgO7nSel2b_UZY\
        9yzCmX_IWZ1lGqmgsE238v9MYEcjnzZ9zK-vcwv56rex32QBaJdGpA0m9GgkQvUUqZuOoxQAYngz9yWkUsiPiVOxfXJGj9_A\
        ZjKkFdIvbNP-WEMIJAHIADo7xNr0oCdkw
        """,
        "PS384": """
        eyJhbGciOiAiUFMzODQiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.t0O_T7ZJGPtpVnEja7ZsT\
        EOF5v5ZMIDkkDuBCtoSJs3lKEt_FDoy6uxd67KzkakcsIDPTyczdA3hHIw3PTcf-unFkuyvhjOmFRubMGc0Kc9uTBm4iZ18i\
        kYaWb_PouOYGbBch32nkzPxSTMf_NksqZX2Ywq3bR6jEIxIQPBKUVXqAhMWu3gFcO7uiR3M98aE6j6s-GFXHu0cry1dYyeVq\
        fV4jhKaiWLrzfrSQuM1h6LSyStjXLVBpCQ-PSmAEX3hzb_xGZ4tVkgiGWkaZH3gCmj3VlO06K4_DNcR_qJlXoGMlc9CopJT2\
        24HSF2SCLJYoA3b45NiYaOUTPvvWZdSXg
        """,
        "RS512": """
        eyJhbGciOiAiUlM1MTIiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.IFd9SkzRix_tvAsGZZB9P\
        EdszNFioxtO_iHQZ4yDrsXTe6oqI05c5js14YLyvQpSW0TlxxBg1lJzpEnA4BMrM0g_1hB1wmGpRPb9814ngjIVJR_Jd2JBd\
        _UtNyhmVmtB0UG33oIhWtnnkAo6NImg4Ayv6-jIeBZlPXhXr9VDb6RcCxHJXRatn6Q5_tQPYa8XAeVk5QoWzuxy1_KrU9wBx\
        H3GYwwVkUqdNfSdsjMQSghhU1OL4RLnoAg7rt7RkucMB7S7W9_c9pXbP8PsVJnANGW2CBB1VK9ZLUghXuFDcWl05r32YgLx4\
        gc5NH8muQEraRrg6Rz5zbJGuXC57spEhw
        """,
        "PS512": """
        eyJhbGciOiAiUFM1MTIiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxl\
        IiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.rY7XxWN40gTptzK-wttlj\
        3FnrczsJL9t8mdCj6WE3IhApALa7jctiCyXCo8eQWhTC058rtbKl_3xrjlwtInhKyBzGgJ_scC0KhQV72MmXliiEvI3054at\
        IqlbygUpuGwkd-aew9gkZrYgW_KvVDi6b27OyEhuxWNto5T3wk4g8Hiu6G2EX2ziD2gf7hl5QiSy6Z6rCd_D89nORtpVInux\
        KmjJszgLmUXmdbNrvwxSSt_0GAPClnFPsD0vK1FPj6GFgHqrzIeVIB7HcLVWBbqJtH21zCLHu1L9Alhzje3M7xtn5dMi1D_R\
        Y34ZQVekLJC31yDR3eM0Czl1T5QT-C8kQ
        """,
        "ES256": """
        eyJhbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWMyNTYifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtc\
        GxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.72slFmHkQwLGFFLk-n\
        tG7H0OcvNtWSTYUbqXIUFH7IwZJadDGTneSFm3OBlWRHqXFWQQmQ44ccuv7QVYGZ0Eiw
        """,
        "ES256 without kid": """
        eyJhbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlIiwgInN1YiI6ICJ1c2V\
        yLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.RbKOrwSuCNNcfhFdk-uBLCbxhD6tvmgETnES55lY\
        5-RmetaQiayGpTuht_f0jCMBjEEn0AYoYLZtLiZkNVEmvA
        """,
        "ES384": """
        eyJhbGciOiAiRVMzODQiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWMzODQifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtc\
        GxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.tdmVb94y3AFbYvA_9Y\
        haHDudEq5IPeL-jD4XeDZpLPQTqA6o7H3IkLF-lm1VmwiBXDsh28Z6XiiLdyS2efhVxyY1OxaYciXB3TrTu6NVO6aIF6cTCQ\
        aY26iwH66crlWG
        """,
        "ES512": """
        eyJhbGciOiAiRVM1MTIiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWM1MTIifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtc\
        GxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.AKH3d7U9f-ge9BCdPb\
        JBRFEm3V34OLZLC_8_ERofbWkSEYAWS-X96ZWQyjLg4UjjtsUwr7H5-I2LBesUWLyP_EclAFRQRbs3whDNkAlb4kniQlzeJJ\
        43wNNkejp23LqNlxnv6z3nyDkgLr-dVCZ8bor2XHIOKQEjXwDaZJmsFtxCE7lT
        """,
        "EdDSA": """
        eyJhbGciOiAiRWREU0EiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWQifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtcGxlI\
        iwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.96aDUYG3VvpoZax2potMtQ\
        rss91FGaZyiXdJ7ZmvH_-XeJpZjp5UYNsHQ6VXMm12hj-8MiXWzGyZjw5YFFm5Bg
        """,
        "short coordinate": """
        eyJhbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAic2hvcnQifQ.eyJpc3MiOiAiaHR0cHM6Ly9vcC5leGFtc\
        GxlIiwgInN1YiI6ICJ1c2VyLTEiLCAiYXVkIjogImNsaWVudCIsICJpYXQiOiAxNzAwMDAwMDAwfQ.7N5kpAV3C1DFWl9PNR\
        CVYIRXKO8X8IQ9WvxtXPtlQPynsLXhPOMrj3xDVPxouyrlH3CGnd-J4SvU7Mdtu0ksgA
        """,
    ]
}

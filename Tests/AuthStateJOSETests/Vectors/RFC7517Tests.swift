import Testing

@testable import AuthStateJOSE

/// RFC 7517, appendix A, and RFC 7638: keys.
struct RFC7517Tests {
    /// A.1, public keys.
    private static let publicKeys = """
        {
         "keys": [
          {
           "kty": "EC",
           "crv": "P-256",
           "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
           "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
           "use": "enc",
           "kid": "1"
          },
          {
           "kty": "RSA",
           "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJEC\
        PebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMi\
        cAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPk\
        sINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
           "e": "AQAB",
           "alg": "RS256",
           "kid": "2011-04-29"
          }
         ]
        }
        """

    /// A.2, private keys.
    private static let privateKeys = """
        {
         "keys": [
          {
           "kty": "EC",
           "crv": "P-256",
           "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
           "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
           "use": "enc",
           "kid": "1",
           "d": "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"
          },
          {
           "kty": "RSA",
           "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJEC\
        PebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMi\
        cAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPk\
        sINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
           "e": "AQAB",
           "alg": "RS256",
           "kid": "2011-04-29",
           "d": "X4cTteJY_gn4FYPsXB8rdXix5vwsg1FLN5E3EaG6RJoVH-HLLKD9M7dx5oo7GURknchnrRweUkC7hT5fJLM0WbFAKNL\
        WY2vv7B6NqXSzUvxT0_YSfqijwp3RTzlBaCxWp4doFk5N2o8Gy_nHNKroADIkJ46pRUohsXywbReAdYaMwFs9tv8d_cPVY3i07a3\
        t8MN6TNwm0dSawm9v47UiCl3Sk5ZiG7xojPLu4sbg1U2jx4IBTNBznbJSzFHK66jT8bgkuqsk0GjskDJk19Z4qwjwbsnn4j2WBii\
        3RL-Us2lGVkY8fkFzme1z0HbIkfz0Y6mqnOYtqc0X4jfcKoAC8Q",
           "p": "83i-7IvMGXoMXCskv73TKr8637FiO7Z27zv8oj6pbWUQyLPQBQxtPVnwD20R-60eTDmD2ujnMt5PoqMrm8RfmNhVWDt\
        jjMmCMjOpSXicFHj7XOuVIYQyqVWlWEh6dN36GVZYk93N8Bc9vY41xy8B9RzzOGVQzXvNEvn7O0nVbfs",
           "q": "3dfOR9cuYq-0S-mkFLzgItgMEfFzB2q3hWehMuG0oCuqnb3vobLyumqjVZQO1dIrdwgTnCdpYzBcOfW5r370AFXjiWf\
        t_NGEiovonizhKpo9VVS78TzFgxkIdrecRezsZ-1kYd_s1qDbxtkDEgfAITAG9LUnADun4vIcb6yelxk",
           "dp": "G4sPXkc6Ya9y8oJW9_ILj4xuppu0lzi_H7VTkS8xj5SdX3coE0oimYwxIi2emTAue0UOa5dpgFGyBJ4c8tQ2VF402X\
        RugKDTP8akYhFo5tAA77Qe_NmtuYZc3C3m3I24G2GvR5sSDxUyAN2zq8Lfn9EUms6rY3Ob8YeiKkTiBj0",
           "dq": "s9lAH9fggBsoFR8Oac2R_E2gw282rT2kGOAhvIllETE1efrA6huUUvMfBcMpn8lqeW6vzznYY5SSQF7pMdC_agI3nG\
        8Ibp1BUb0JUiraRNqUfLhcQb_d9GF4Dh7e74WbRsobRonujTYN1xCaP6TO61jvWrX-L18txXw494Q_cgk",
           "qi": "GyM_p6JrXySiz1toFgKbWV-JdI3jQ4ypu9rbMWx3rQJBfmt0FoYzgUIZEVFEcOqwemRN81zoDAaa-Bk0KWNGDjJHZD\
        dDmFhW3AN7lI-puxk_mHZGJ11rxyR8O55XLSe3SPmRfKwZI6yU24ZxvQKFYItdldUKGzO6Ia6zTKhAVRU"
          }
         ]
        }
        """

    /// A.3, symmetric keys.
    private static let symmetricKeys = """
        {
         "keys": [
          {
           "kty": "oct",
           "alg": "A128KW",
           "k": "GawgguFyGrWKav7AX4VKUg"
          },
          {
           "kty": "oct",
           "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
           "kid": "HMAC key used in JWS spec Appendix A.1 example"
          }
         ]
        }
        """

    private func keys(_ text: String) throws -> (json: JSONValue, keys: [JSONWebKey]) {
        let json = try JSONValue(parsing: text.utf8)
        let members = try #require(json["keys"]?.arrayValue)
        return (json, try members.map { try JSONWebKey(json: $0) })
    }

    @Test func `A.1: public keys are read, and written the same`() throws {
        let (json, keys) = try keys(Self.publicKeys)
        #expect(JSONWebKeySet(keys: keys).json == json)
        #expect(keys.map(\.keyID) == ["1", "2011-04-29"])
        #expect(keys.map(\.isPrivate) == [false, false])
        // The first is for encryption.
        let set = try JSONWebKeySet(json: json)
        #expect(try set.candidates(for: JOSEHeader(json: ["alg": "ES256"])).isEmpty)
        #expect(try set.candidates(for: JOSEHeader(json: ["alg": "RS256"])).map(\.key.keyID) == ["2011-04-29"])
    }

    @Test func `A.2: private keys are read, written the same, and sign`() throws {
        let (json, keys) = try keys(Self.privateKeys)
        #expect(JSONValue.object(["keys": .array(keys.map(\.privateJSON))]) == json)
        #expect(throws: JOSEError.self) { try SigningKey(keys[0]) }
        var elliptic = keys[0]
        elliptic.use = nil
        for key in [elliptic, keys[1]] {
            let signature = try SigningKey(key).sign([1, 2, 3])
            let algorithm: SignatureAlgorithm = key.keyType == "RSA" ? .rs256 : .es256
            #expect(try VerificationKey(key.publicKey).isValid(signature, for: [1, 2, 3], algorithm: algorithm))
        }
        // The private part, which a provider should not publish, is dropped.
        #expect(try JSONWebKeySet(json: json).keys.map(\.isPrivate) == [false, false])
    }

    @Test func `A.3: symmetric keys are read, and skipped in a set that was published`() throws {
        let (json, keys) = try keys(Self.symmetricKeys)
        #expect(JSONValue.object(["keys": .array(keys.map(\.privateJSON))]) == json)
        #expect(try JSONWebKeySet(json: json).keys.isEmpty)
        // The first is for wrapping keys.
        #expect(throws: JOSEError.self) { try SigningKey(keys[0], algorithm: .hs256) }
        #expect(try SigningKey(keys[1]).algorithm == .hs256)
    }

    @Test func `RFC 7638, 3.1: a thumbprint depends on the members that make the key, and on no others`() throws {
        let key = try keys(Self.publicKeys).keys[1]
        #expect(try key.thumbprintText() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(try keys(Self.privateKeys).keys[1].thumbprint() == key.thumbprint())
        #expect(try key.thumbprint(.sha512).count == 64)
        // Section 3.4's members in their order, for the other types.
        let elliptic = try keys(Self.publicKeys).keys[0]
        let text = """
            {"crv":"P-256","kty":"EC","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}
            """
        #expect(try elliptic.thumbprint() == SHA2.sha256(text.utf8))
        let symmetric = try keys(Self.symmetricKeys).keys[0]
        #expect(try symmetric.thumbprint() == SHA2.sha256(#"{"k":"GawgguFyGrWKav7AX4VKUg","kty":"oct"}"#.utf8))
    }
}

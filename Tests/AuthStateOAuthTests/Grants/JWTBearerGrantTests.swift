import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Assertions as a grant (RFC 7523, section 2.1).
struct JWTBearerGrantTests {
    private func grant(_ change: (inout JWTBearerGrant) -> Void = { _ in }) throws -> JWTBearerGrant {
        var grant = JWTBearerGrant(
            issuer: "robot", subject: "ada", key: .privateKey(file: "/keys/robot.pem", keyID: "k"),
            additionalClaims: ["scope": "api"], scopes: ["api"], resources: ["https://api.example"])
        change(&grant)
        return grant
    }

    private func claims(
        _ change: (inout JWTBearerGrant) -> Void = { _ in }, service: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> JSONValue {
        let key = try SigningKey.generate(.es256, keyID: "k")
        var configuration = try Fixtures.configuration()
        service(&configuration)
        let token = try JSONWebToken(
            parsing: grant(change).assertion(for: configuration, signedWith: key, at: Fixtures.now))
        try token.verify(with: VerificationKey(key.publicKey), allowed: [.es256])
        #expect(token.header.keyID == "k")
        return token.claims
    }

    @Test("the claims (section 3)")
    func requiredClaims() throws {
        let claims = try claims()
        #expect(claims["iss"] == "robot" && claims["sub"] == "ada" && claims["aud"] == "https://op.example")
        #expect(claims["iat"]?.intValue == 1_800_000_000 && claims["exp"]?.intValue == 1_800_000_300)
        #expect(claims["scope"] == "api" && claims["jti"]?.stringValue?.count == 22)
        #expect(try self.claims()["jti"] != claims["jti"])
    }

    @Test("a lifetime is between a second and a day", arguments: [(-1, 1), (60, 60), (Int.max, 86400)])
    func lifetime(_ asked: Int, _ got: Int) throws {
        let claims = try claims { $0.lifetime = asked }
        #expect(claims["exp"]?.intValue == 1_800_000_000 + Int64(got))
    }

    @Test("the audience is the issuer, the token endpoint where that is tolerated or there is no issuer, or given")
    func audience() throws {
        #expect(try claims(service: { $0.tolerances = [.endpointAudience] })["aud"] == "https://op.example/token")
        #expect(try claims(service: { $0.issuer = nil })["aud"] == "https://op.example/token")
        #expect(try claims { $0.audience = "https://else.example" }["aud"] == "https://else.example")
        #expect(try claims { $0.subject = nil }["sub"] == nil)
    }

    @Test("no additional claim replaces one of the grant's own", arguments: ["iss", "sub", "aud", "jti", "iat", "exp"])
    func clash(_ name: String) throws {
        for subject in ["ada", nil] {
            let error = refusal {
                try claims {
                    $0.subject = subject
                    $0.additionalClaims = [name: "x"]
                }
            }
            #expect(error?.code == .invalidArgument && error?.message.contains(name) == true)
        }
    }

    @Test func `the request, with an assertion from elsewhere, and with one that is signed when it is sent`() throws {
        let configuration = try Fixtures.configuration()
        let ready = TokenRequest(
            Client(configuration, id: "client"), .assertion(Secrets.make("assertion")), scopes: ["api"])
        let form = try #require(try ready.transportRequest(authentication: .none(clientID: "client")).form)
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" && form["client_id"] == "client")
        #expect(form["assertion"] == Secrets.make("assertion") && form["scope"] == "api")
        Secrets.expectNone(in: ready)
        var unsigned = TokenRequest(Client(configuration, id: try grant().issuer), .jwtBearer(try grant()))
        #expect(unsigned.client.id == "robot" && unsigned.isNamedByAssertion)
        #expect(
            refusal { try unsigned.transportRequest(authentication: .nameless(clientID: "robot")) }?.code
                == .invalidArgument)
        unsigned.grant = .assertion("a.b.c")
        let sent = try #require(try unsigned.transportRequest(authentication: .nameless(clientID: "robot")).form)
        #expect(sent["client_id"] == nil && sent.values("resource") == ["https://api.example"])
        #expect(!TokenRequest(Client(configuration, id: "x"), .jwtBearer(try grant())).isNamedByAssertion)
    }

    @Test func `an archive refers to the key, and neither it nor a description shows one that is in memory`() throws {
        let grant = try grant()
        #expect(try JSONDecoder().decode(JWTBearerGrant.self, from: JSONEncoder().encode(grant)) == grant)
        let inMemory = try self.grant { $0.key = ClientCredential(.value("SECRET-key"), method: .privateKeyJWT) }
        Secrets.expectNone(in: inMemory)
        #expect(!String(decoding: try JSONEncoder().encode(inMemory), as: UTF8.self).contains("SECRET"))
    }
}

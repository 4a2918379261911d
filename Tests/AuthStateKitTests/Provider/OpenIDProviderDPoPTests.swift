import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

/// The provider in the process checks proofs (RFC 9449, section 4.3).
struct OpenIDProviderDPoPTests {
    /// A token request in the client's own name, with a proof that is changed before it is signed.
    private func ask(
        _ fixture: ProviderFixture, at date: Date = Date(),
        _ change: (_ claims: inout [String: JSONValue], _ header: inout [String: JSONValue]) throws -> Void = { _, _ in
        }
    ) async throws -> (status: Int, error: String?) {
        let key = try SigningKey.generate(.es256)
        var claims: [String: JSONValue] = [
            "jti": .string(Base64URL.encode(SecureRandom.bytes(8))), "htm": "POST",
            "htu": .string(fixture.provider.url(of: .token).absoluteString),
            "iat": .number(JSONNumber(Int64(date.timeIntervalSince1970))),
        ]
        let shown = JSONWebKey(key.publicKey.material).json
        var header: [String: JSONValue] = ["typ": "dpop+jwt", "jwk": shown, "kid": .null]
        header["kid"] = nil
        try change(&claims, &header)
        return try await post(fixture, proofs: [JSONWebToken.sign(claims: .object(claims), header: header, with: key)])
    }

    private func post(_ fixture: ProviderFixture, proofs: [String]) async throws -> (status: Int, error: String?) {
        var headers: TransportHeaders = [
            "Authorization": "Basic \(Base64.encode(Array("service:service-secret".utf8)))"
        ]
        headers[values: "DPoP"] = proofs
        let response = try await fixture.post(["grant_type": "client_credentials", "scope": "api"], headers: headers)
        return (response.status, try JSONValue(parsing: [UInt8](response.body))["error"]?.stringValue)
    }

    @Test func `a good proof is accepted, one that lacks anything is not`() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await ask(fixture).status == 200)
        let changes: [(inout [String: JSONValue], inout [String: JSONValue]) throws -> Void] = [
            { claims, _ in claims["htm"] = "GET" },
            { claims, _ in claims["htm"] = "post" },
            { claims, _ in claims["htu"] = "https://op.example/token" },
            { claims, _ in claims["htu"] = nil },
            { claims, _ in claims["iat"] = nil },
            { claims, _ in claims["iat"] = .number(JSONNumber(Int64(Date().timeIntervalSince1970) - 300)) },
            { claims, _ in claims["iat"] = .number(JSONNumber(Int64(Date().timeIntervalSince1970) + 300)) },
            { claims, _ in claims["jti"] = nil },
            { claims, _ in claims["ath"] = "x" },
            { _, header in header["typ"] = "JWT" },
            { _, header in header["jwk"] = nil },
            { _, header in header["jwk"] = try SigningKey.generate(.es256).publicKey.json },
            { _, header in header["jwk"] = try SigningKey.generate(.es256).privateKey.privateJSON },
        ]
        for (number, change) in changes.enumerated() {
            let answer = try await ask(fixture, change)
            #expect(answer.status == 400 && answer.error == "invalid_dpop_proof", "change \(number)")
        }
    }

    @Test func `a proof serves once, and a request has only one`() async throws {
        let fixture = try await ProviderFixture()
        let key = try SigningKey.generate(.es256)
        let url = fixture.provider.url(of: .token)
        let proof = try DPoPProof(method: .post, url: url, issuedAt: Date()).signed(with: key)
        let other = try DPoPProof(method: .post, url: url, issuedAt: Date()).signed(with: key)
        #expect(try await post(fixture, proofs: [proof]).status == 200)
        #expect(try await post(fixture, proofs: [proof]).error == "invalid_dpop_proof")
        #expect(try await post(fixture, proofs: [other, proof]).error == "invalid_dpop_proof")
        #expect(try await post(fixture, proofs: ["nonsense"]).error == "invalid_dpop_proof")
        #expect(try await post(fixture, proofs: [other]).status == 200)
    }

    @Test func `a token needs a proof where proofs are required`() async throws {
        let fixture = try await ProviderFixture { $0.requiresDPoP = true }
        #expect(try await post(fixture, proofs: []).error == "invalid_dpop_proof")
        fixture.provider.update { $0.requiresDPoP = false }
        #expect(try await post(fixture, proofs: []).status == 200)
    }

    @Test func `a nonce serves as many requests as it is set to`() async throws {
        let fixture = try await ProviderFixture { $0.dpopNonceUses = 2 }
        #expect(try await ask(fixture).error == "use_dpop_nonce")
        let key = try SigningKey.generate(.es256)
        let url = fixture.provider.url(of: .token)
        func proof(_ nonce: String?) throws -> TransportHeaders {
            let proof = try DPoPProof(method: .post, url: url, issuedAt: Date(), nonce: nonce)
            return [
                "DPoP": try proof.signed(with: key),
                "Authorization": "Basic \(Base64.encode(Array("service:service-secret".utf8)))",
            ]
        }
        let form: Parameters = ["grant_type": "client_credentials"]
        let first = try await fixture.post(form, headers: proof(nil)).headers["DPoP-Nonce"]
        let second = try await fixture.post(form, headers: proof(first))
        #expect(second.status == 200 && second.headers["DPoP-Nonce"] == first)
        let third = try await fixture.post(form, headers: proof(first))
        #expect(third.status == 200 && third.headers["DPoP-Nonce"] != first)
        #expect(try await fixture.post(form, headers: proof(first)).status == 400)
    }
}

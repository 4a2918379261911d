import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct IntrospectionTests {
    private func request() throws -> IntrospectionRequest {
        var configuration = try Fixtures.configuration()
        configuration.introspectionEndpoint = try Fixtures.url("https://op.example/introspect")
        return IntrospectionRequest(Client(configuration, id: "client"), token: "SECRET-a", tokenTypeHint: .accessToken)
    }

    @Test func `token, hint and the client's proof are posted`() throws {
        var request = try request()
        request.additionalParameters = ["resource": "https://api.example"]
        let proof = try ClientAuthentication.secret("s", clientID: "client", method: .clientSecretPost)
        let message = try request.transportRequest(authentication: proof)
        #expect(message.method == "POST" && message.url.absoluteString == "https://op.example/introspect")
        let body = try #require(message.body)
        let form = try #require(Parameters(decoding: String(decoding: body, as: UTF8.self)))
        #expect(form.names == ["token", "token_type_hint", "client_id", "client_secret", "resource"])
        #expect(form["token"] == "SECRET-a" && form["token_type_hint"] == "access_token")
        request.additionalParameters = ["token": "x"]
        #expect(refusal { try request.transportRequest(authentication: proof) }?.code == .invalidArgument)
    }

    @Test func `without an endpoint nothing is asked`() throws {
        var request = try request()
        request.client.provider.introspectionEndpoint = nil
        #expect(
            refusal { try request.transportRequest(authentication: .none(clientID: "c")) }?.code == .endpointMissing)
    }

    // RFC 7662, section 2.2.
    @Test("the answer of the RFC is read whole")
    func example() throws {
        let response = try IntrospectionResponse(
            Fixtures.json(
                """
                {"active": true, "client_id": "l238j323ds-23ij4", "username": "jdoe", "scope": "read write dolphin",
                "sub": "Z5O3upPC88QrAjx00dis", "aud": "https://protected.example.net/resource",
                "iss": "https://server.example.com/", "exp": 1419356238, "iat": 1419350238,
                "extension_field": "twenty-seven", "nbf": 1419350238.5, "jti": "j", "token_type": "Bearer"}
                """))
        #expect(response.isActive && response.clientID == "l238j323ds-23ij4" && response.username == "jdoe")
        #expect(response.scope == "read write dolphin" && response.subject == "Z5O3upPC88QrAjx00dis")
        #expect(response.audience == ["https://protected.example.net/resource"])
        #expect(response.issuer == "https://server.example.com/" && response.tokenID == "j")
        #expect(response.tokenType == "Bearer")
        #expect(response.expirationDate == Date(timeIntervalSince1970: 1_419_356_238))
        #expect(response.issuedAt == Date(timeIntervalSince1970: 1_419_350_238))
        #expect(response.notBefore == Date(timeIntervalSince1970: 1_419_350_238.5))
        #expect(response.additionalMembers == ["extension_field": "twenty-seven"])
    }

    @Test func `an inactive token has no other members; null is absent; several audiences are kept`() throws {
        let inactive = try IntrospectionResponse(Fixtures.json(#"{"active":false}"#))
        #expect(!inactive.isActive && inactive.audience.isEmpty && inactive.expirationDate == nil)
        let several = try IntrospectionResponse(
            Fixtures.json(#"{"active":true,"aud":["a","b"],"sub":null,"error":null}"#))
        #expect(several.audience == ["a", "b"] && several.subject == nil)
    }

    @Test func `other members are read as they are meant, or absent`() throws {
        let text = #"{"active":"true","scope":["a","b"],"exp":"1419356238","nbf":"soon","sub":7,"iss":"","aud":{}}"#
        let found = try IntrospectionResponse(Fixtures.json(text, status: 201))
        #expect(found.isActive && found.scope == "a b" && found.expirationDate != nil && found.notBefore == nil)
        #expect(found.subject == "7" && found.issuer == nil && found.audience.isEmpty)
    }

    @Test(
        "an answer that does not say whether the token is active is refused",
        arguments: [
            "", "[]", "{}", #"{"active":1}"#, #"{"active":null}"#, #"{"active":"yes"}"#,
            #"{"active":true,"error":{"code":190}}"#,
        ])
    func malformed(_ text: String) {
        let error = refusal { try IntrospectionResponse(Fixtures.json(text)) }
        #expect(error?.code == .malformedResponse && error?.stage == .token)
    }

    @Test(
        "a refusal is typed, with or without a reason",
        arguments: [
            (#"{"error":"invalid_client"}"#, 401, AuthStateError.Code.invalidClient), ("", 401, .invalidClient),
            ("", 403, .invalidClient), (#"{"error":"invalid_request"}"#, 400, .invalidRequest),
            (#"{"error":"invalid_token"}"#, 401, .tokenRejected), ("", 404, .malformedResponse),
            ("", 503, .temporarilyUnavailable), ("", 500, .serverError), ("", 302, .redirected),
            (#"{"error":"slow"}"#, 429, .temporarilyUnavailable), (#"{"error":"invalid_client"}"#, 500, .serverError),
        ])
    func refused(_ body: String, _ status: Int, _ code: AuthStateError.Code) {
        #expect(refusal { try IntrospectionResponse(Fixtures.json(body, status: status)) }?.code == code)
    }

    @Test("an answer for resource servers, as a JWT (RFC 9701), is refused by its name")
    func signed() {
        let answer = TransportResponse(
            status: 200, headers: ["Content-Type": "application/token-introspection+jwt"],
            body: Data("e30.e30.c2ln".utf8))
        let error = refusal { try IntrospectionResponse(answer) }
        #expect(error?.code == .unsupported && error?.received == "a JWT (RFC 9701)")
        #expect(error?.hint?.contains("introspection_signed_response_alg") == true)
    }
}

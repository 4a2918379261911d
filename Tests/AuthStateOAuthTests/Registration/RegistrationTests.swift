import AuthStateJOSE
import AuthStateOAuth
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Dynamic registration")
struct RegistrationTests {
    @Test("the request is JSON with what RFC 7591 names, and the initial access token in a header")
    func request() throws {
        var request = RegistrationRequest(
            configuration: try Fixtures.configuration(), redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
        request.clientName = "Tool"
        request.grantTypes = [.authorizationCode, .refreshToken]
        request.responseTypes = [.code]
        request.tokenEndpointAuthMethod = ClientAuthenticationMethod.none
        request.scopes = ["openid", "api"]
        request.postLogoutRedirectURIs = [try RedirectURI("http://127.0.0.1/bye")]
        request.additionalMetadata = ["software_id": "x"]
        request.initialAccessToken = "SECRET-initial"
        let sent = try request.transportRequest()
        #expect(sent.method == "POST" && sent.url.path == "/register")
        #expect(sent.headers["Content-Type"] == ["application/json"])
        #expect(sent.headers["Authorization"] == ["Bearer SECRET-initial"])
        let body = try JSONValue(parsing: [UInt8](#require(sent.body)))
        #expect(
            body == [
                "redirect_uris": ["http://127.0.0.1/cb"], "client_name": "Tool", "scope": "openid api",
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                "token_endpoint_auth_method": "none", "application_type": "native",
                "post_logout_redirect_uris": ["http://127.0.0.1/bye"], "software_id": "x",
            ])
        request.initialAccessToken = nil
        #expect(try request.transportRequest().headers["Authorization"].isEmpty)
        request.configuration.registrationEndpoint = nil
        #expect(refusal { try request.transportRequest() }?.code == .endpointMissing)
    }

    @Test("a client that signs registers its public keys, and no private number of them")
    func keys() throws {
        var request = RegistrationRequest(
            configuration: try Fixtures.configuration(), redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
        let key = try SigningKey.generate(.es256, keyID: "k1")
        request.tokenEndpointAuthMethod = .privateKeyJWT
        request.tokenEndpointAuthSigningAlg = .es256
        request.keys = [key.privateKey]
        let body = try JSONValue(parsing: [UInt8](#require(try request.transportRequest().body)))
        #expect(body["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(body["token_endpoint_auth_signing_alg"] == "ES256")
        #expect(body["jwks"] == ["keys": [key.publicKey.json]])
        #expect(key.publicKey.json["d"] == nil && key.publicKey.json["x"] != nil)
    }

    @Test("the credential of a client that signs says how; its private key is not the provider's to issue")
    func signingCredential() throws {
        let secret = try RegistrationResponse(
            Fixtures.json(
                """
                {"client_id":"c","client_secret":"s","client_secret_expires_at":0,
                "token_endpoint_auth_method":"client_secret_jwt","token_endpoint_auth_signing_alg":"HS512"}
                """))
        #expect(
            secret.credential == ClientCredential(.issued("s"), method: .clientSecretJWT, signingAlgorithm: .hs512))
        let key = try RegistrationResponse(
            Fixtures.json(#"{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}"#))
        #expect(key.credential == ClientCredential(.none, method: .privateKeyJWT))
    }

    @Test("a confidential client's registration is read whole", arguments: [200, 201])
    func confidential(_ status: Int) throws {
        let response = try RegistrationResponse(
            Fixtures.json(
                """
                {"client_id":"c","client_secret":"SECRET-s","client_secret_expires_at":1800000000,"x":[1],
                "client_id_issued_at":1700000000,"registration_access_token":"SECRET-t",
                "registration_client_uri":"https://op.example/c","token_endpoint_auth_method":"client_secret_post"}
                """, status: status))
        #expect(response.clientID == "c" && response.clientSecret == "SECRET-s")
        #expect(response.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(response.clientIDIssuedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(response.registrationClientURI?.path == "/c" && response.registrationAccessToken == "SECRET-t")
        #expect(response.credential == ClientCredential(.issued("SECRET-s"), method: .clientSecretPost))
        #expect(response.metadata["x"] == [1])
        #expect(try JSONDecoder().decode(RegistrationResponse.self, from: JSONEncoder().encode(response)) == response)
    }

    @Test("a secret that never ends has no date; a public client has no credential")
    func endless() throws {
        let endless = #"{"client_id":"c","client_secret":"s","client_secret_expires_at":0}"#
        #expect(try RegistrationResponse(Fixtures.json(endless)).clientSecretExpiresAt == nil)
        #expect(try RegistrationResponse(Fixtures.json(#"{"client_id":"c"}"#, status: 201)).credential == .none)
    }

    // django-oauth-toolkit and glewlwyd.
    @Test("a secret without an end is tolerated by name; a method alone in an array is that method")
    func tolerated() throws {
        let text = #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":["client_secret_post"]}"#
        let response = try RegistrationResponse(Fixtures.json(text), tolerances: [.missingSecretExpiry])
        #expect(response.clientSecret == "s" && response.clientSecretExpiresAt == nil)
        #expect(response.tokenEndpointAuthMethod == .clientSecretPost)
        let renewed = #"{"client_id":"c","client_secret":"t"}"#
        let answer = try RegistrationManagementRequest(.read, response).answer(Fixtures.json(renewed))
        #expect(answer?.clientSecret == "t")
    }

    @Test(
        "what RFC 7591 and RFC 7592 require is required",
        arguments: [
            "", "[]", "{}", #"{"client_id":""}"#, #"{"client_id":5}"#, #"{"client_id":"c","client_secret":"SECRET"}"#,
            #"{"client_id":"c","client_secret":"SECRET","client_secret_expires_at":"never"}"#,
            #"{"client_id":"c","registration_access_token":"SECRET"}"#,
            #"{"client_id":"c","registration_client_uri":"https://op.example/c"}"#,
            #"{"client_id":"c","registration_access_token":"SECRET","registration_client_uri":"no URL"}"#,
        ])
    func malformed(_ text: String) {
        let error = refusal { try RegistrationResponse(Fixtures.json(text, status: 201)) }
        #expect(error?.code == .malformedResponse && error?.stage == .registration)
    }

    @Test(
        "a refusal keeps its own name (RFC 7591, section 3.2.2)",
        arguments: [
            ("invalid_redirect_uri", AuthStateError.Code.registrationRedirectURIRefused),
            ("invalid_client_metadata", .invalidClientMetadata),
            ("invalid_software_statement", .invalidSoftwareStatement),
        ])
    func refused(_ name: String, _ code: AuthStateError.Code) {
        let error = refusal { try RegistrationResponse(Fixtures.json(#"{"error":"\#(name)"}"#, status: 400)) }
        #expect(error?.code == code && error?.response?.error == name && error?.httpStatus == 400)
    }

    @Test(
        "an answer without a reason is told by its status",
        arguments: [
            (302, "redirected"), (503, "temporarilyUnavailable"), (500, "serverError"), (404, "malformedResponse"),
        ])
    func statuses(_ status: Int, _ code: String) {
        #expect(refusal { try RegistrationResponse(Fixtures.json("", status: status)) }?.code.rawValue == code)
    }
}

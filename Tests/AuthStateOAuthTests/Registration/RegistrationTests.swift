import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct RegistrationTests {
    @Test("the request is JSON with what RFC 7591 names, and the initial access token in a header")
    func request() throws {
        var request = RegistrationRequest(
            try Fixtures.configuration(), redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
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
        #expect(sent.headers[values: "Content-Type"] == ["application/json"])
        #expect(sent.headers[values: "Authorization"] == ["Bearer SECRET-initial"])
        let body = try JSONValue(parsing: [UInt8](#require(sent.body)))
        #expect(
            body == [
                "redirect_uris": ["http://127.0.0.1/cb"], "client_name": "Tool", "scope": "openid api",
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                "token_endpoint_auth_method": "none", "application_type": "native",
                "post_logout_redirect_uris": ["http://127.0.0.1/bye"], "software_id": "x",
            ])
        request.initialAccessToken = nil
        #expect(try request.transportRequest().headers["Authorization"] == nil)
        request.provider.registrationEndpoint = nil
        #expect(refusal { try request.transportRequest() }?.code == .endpointMissing)
    }

    @Test func `a client that signs registers its public keys, and no private number of them`() throws {
        var request = RegistrationRequest(
            try Fixtures.configuration(), redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
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
        #expect(secret.credential == ClientCredential(.issued("s"), method: .clientSecretJWT, signingAlgorithm: .hs512))
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

    @Test func `a secret that never ends has no date; a public client has no credential`() throws {
        let endless = #"{"client_id":"c","client_secret":"s","client_secret_expires_at":0}"#
        #expect(try RegistrationResponse(Fixtures.json(endless)).clientSecretExpiresAt == nil)
        #expect(try RegistrationResponse(Fixtures.json(#"{"client_id":"c"}"#, status: 201)).credential == .none)
    }

    // django-oauth-toolkit and glewlwyd.
    @Test func `a secret without an end has none that is known; a method alone in an array is that method`() throws {
        let text = #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":["client_secret_post"]}"#
        let response = try RegistrationResponse(Fixtures.json(text))
        #expect(response.clientSecret == "s" && response.clientSecretExpiresAt == nil)
        #expect(response.tokenEndpointAuthMethod == .clientSecretPost)
        let renewed = #"{"client_id":"c","client_secret":"t"}"#
        #expect(try RegistrationManagementRequest(.read, response).answer(Fixtures.json(renewed))?.clientSecret == "t")
    }

    @Test(
        "a registration that names no place, or no token, is one that cannot be managed",
        arguments: [
            #""registration_access_token":"SECRET""#, #""registration_client_uri":"https://op.example/c""#,
            #""registration_access_token":"SECRET","registration_client_uri":"/clients/c""#,
            #""registration_access_token":"","registration_client_uri":"""#,
            #""registration_access_token":null,"registration_client_uri":"https://op.example/c""#,
        ])
    func unmanageable(_ members: String) throws {
        let found = try RegistrationResponse(Fixtures.json(#"{"client_id":"c",\#(members)}"#, status: 201))
        #expect(found.clientID == "c" && found.registrationClientURI == nil && found.registrationAccessToken == nil)
    }

    @Test func `a secret that comes without a method is used, and one with the method none is not`() throws {
        func credential(_ members: String) throws -> ClientCredential {
            let provider = ProviderConfiguration(
                authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
            var metadata = ClientMetadata()
            metadata.tokenEndpointAuthMethod = ClientAuthenticationMethod.none
            let text = #"{"client_id":"c","client_secret":"s","client_secret_expires_at":0\#(members)}"#
            return try RegistrationRequest(provider, metadata).answer(Fixtures.json(text, status: 201)).credential
        }
        #expect(try credential("").method == nil && credential("").isProof)
        #expect(try credential(#","token_endpoint_auth_method":"none""#).method == ClientAuthenticationMethod.none)
    }

    @Test(
        "an answer without a member that RFC 7591 or RFC 7592 requires is refused",
        arguments: [
            "", "[]", "{}", #"{"client_id":""}"#, #"{"client_id":[5]}"#, #"{"client_secret":"SECRET"}"#,
            #"{"client_id":"c","error":5}"#,
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
            ("unapproved_software_statement", .unapprovedSoftwareStatement),
        ], [400, 401, 403])
    func refused(_ refused: (name: String, code: AuthStateError.Code), _ status: Int) {
        let answer = Fixtures.json(#"{"error":"\#(refused.name)"}"#, status: status)
        let error = refusal { try RegistrationResponse(answer) }
        #expect(error?.code == refused.code && error?.response?.error == refused.name && error?.httpStatus == status)
        #expect(error?.kind == .configuration && error?.hint != nil)
    }

    // RFC 7591, section 3; django-oauth-toolkit and Keycloak.
    @Test(
        "a client that may not register is told so, and not to log in again",
        arguments: [
            ("", 401), ("", 403), (#"{"error":"access_denied","error_description":"Authentication required"}"#, 401),
            (#"{"error":"invalid_token"}"#, 401), (#"{"error":"insufficient_scope"}"#, 403),
        ])
    func notAllowed(_ body: String, _ status: Int) {
        let error = refusal { try RegistrationResponse(Fixtures.json(body, status: status)) }
        #expect(error?.code == .initialAccessTokenRejected && error?.kind == .configuration)
        #expect(error?.stage == .registration && error?.hint?.contains("Get such a token") == true)
    }

    @Test func `a busy endpoint is transient, regardless of its answer's content`() {
        let answer = TransportResponse(
            status: 429, headers: ["Retry-After": "7"], body: Data(#"{"error":"invalid_request"}"#.utf8))
        let error = refusal { try RegistrationResponse(answer) }
        #expect(error?.code == .temporarilyUnavailable && error?.retryAfter == .seconds(7))
    }

    /// All members that have a property, as a provider writes them.
    static let metadata: JSONValue = [
        "redirect_uris": ["https://app.example/callback"], "grant_types": ["authorization_code"],
        "response_types": ["code"], "token_endpoint_auth_method": "private_key_jwt", "client_name": "Tool",
        "client_uri": "https://app.example", "logo_uri": "https://app.example/logo",
        "policy_uri": "https://app.example/p",
        "tos_uri": "https://app.example/t", "contacts": ["ada@example.com"], "jwks_uri": "https://app.example/keys",
        "software_id": "tool", "software_version": "1.2", "software_statement": "e30.e30.c2ln", "scope": "openid api",
        "application_type": "web", "subject_type": "pairwise", "token_endpoint_auth_signing_alg": "ES256",
        "id_token_signed_response_alg": "PS256", "userinfo_signed_response_alg": "RS256",
        "request_object_signing_alg": "ES384", "default_max_age": 3600, "require_auth_time": true,
        "initiate_login_uri": "https://app.example/login", "post_logout_redirect_uris": ["https://app.example/bye"],
        "backchannel_logout_uri": "https://app.example/ended", "backchannel_logout_session_required": true,
        "tls_client_auth_subject_dn": "CN=tool", "tls_client_certificate_bound_access_tokens": false,
        "require_signed_request_object": true, "require_pushed_authorization_requests": true,
        "dpop_bound_access_tokens": true, "authorization_signed_response_alg": "ES256",
        "authorization_details_types": ["payment"],
    ]

    private func registered(_ members: [String: JSONValue]) throws -> RegistrationResponse {
        let body = Data(JSONValue.object(members.merging(["client_id": "c"]) { $1 }).serialized())
        return try RegistrationResponse(TransportResponse(status: 201, body: body))
    }

    @Test("every member goes into its property and comes out as it was")
    func members() throws {
        var document = try #require(Self.metadata.objectValue)
        #expect(Set(document.keys) == Set(ClientMetadata.members.map(\.name)))
        document["client_name#fr"] = "Outil"
        let request = try RegistrationRequest(updating: registered(document), at: Fixtures.configuration())
        #expect(request.additionalMetadata == ["client_name#fr": "Outil"])
        #expect(request.subjectType == "pairwise" && request.defaultMaxAge == 3600)
        #expect(request.dpopBoundAccessTokens == true && request.idTokenSignedResponseAlg == .ps256)
        #expect(try JSONValue(parsing: [UInt8](#require(try request.transportRequest().body))) == .object(document))
        // A value of another type is not sent back as something else.
        for member in ClientMetadata.members {
            let wrong = try registered([member.name: ["of": "another type"]])
            let error = refusal { try RegistrationRequest(updating: wrong, at: Fixtures.configuration()) }
            #expect(error?.code == .malformedResponse && error?.message.contains(member.name) == true)
        }
    }

    @Test("a member is set by its name: through its property, to nothing by null, and never what the provider says")
    func byName() throws {
        var request = RegistrationRequest(
            try Fixtures.configuration(), redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
        for (name, value) in try #require(Self.metadata.objectValue) {
            try request.metadata.setMetadata(name, to: value)
        }
        try request.metadata.setMetadata("client_name#fr", to: "Outil")
        #expect(request.clientName == "Tool" && request.additionalMetadata == ["client_name#fr": "Outil"])
        for name in try #require(Self.metadata.objectValue).keys { try request.metadata.setMetadata(name, to: .null) }
        try request.metadata.setMetadata("client_name#fr", to: .null)
        #expect(try request.transportRequest().body == Data("{}".utf8))
        for (name, value) in [("client_secret", "x"), ("client_id", "x"), ("contacts", 5)] as [(String, JSONValue)] {
            #expect(refusal { try request.metadata.setMetadata(name, to: value) }?.code == .invalidArgument)
        }
        #expect(refusal { try request.metadata.setMetadata("redirect_uris", to: ["x"]) }?.code == .invalidRedirectURI)
    }

    @Test func `keys have one place, and a new place replaces the registered keys`() throws {
        let registered = try RegistrationResponse(Fixtures.json(#"{"client_id":"c","jwks":{"keys":[]}}"#))
        var request = try RegistrationRequest(updating: registered, at: Fixtures.configuration())
        request.jwksURI = "https://app.example/keys"
        let body = try JSONValue(parsing: [UInt8](#require(try request.transportRequest().body)))
        #expect(body == ["jwks_uri": "https://app.example/keys"])
        request.keys = [try SigningKey.generate(.es256).privateKey]
        #expect(refusal { try request.transportRequest() }?.code == .invalidArgument)
    }

    // Hydra and others.
    @Test("an empty value counts as absent: no secret, and nothing to send back")
    func empty() throws {
        let text = #"{"client_id":"c","client_secret":"","client_uri":"","logo_uri":"","contacts":[],"tos_uri":null}"#
        let registered = try RegistrationResponse(Fixtures.json(text))
        #expect(registered.clientSecret == nil && registered.credential == .none)
        let request = try RegistrationRequest(updating: registered, at: Fixtures.configuration())
        #expect(try request.transportRequest().body == Data("{}".utf8))
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

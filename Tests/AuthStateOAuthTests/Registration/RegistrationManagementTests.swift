import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct RegistrationManagementTests {
    private static let registered = """
        {"client_id":"c","client_secret":"SECRET-s","client_secret_expires_at":0,"client_id_issued_at":1700000000,
        "registration_access_token":"SECRET-t","registration_client_uri":"https://op.example/client?id=c",
        "redirect_uris":["http://127.0.0.1/cb"],"client_name":"Tool","grant_types":["authorization_code"],
        "response_types":["code"],"token_endpoint_auth_method":"client_secret_post","scope":"openid api",
        "application_type":"native","post_logout_redirect_uris":["http://127.0.0.1/bye"],
        "software_statement":"e30.e30.c2ln","logo_uri":null,"contacts":["a@b.example"],"jwks":{"keys":[]}}
        """

    private func registration() throws -> RegistrationResponse {
        try RegistrationResponse(Fixtures.json(Self.registered, status: 201))
    }

    private func request(_ action: RegistrationManagementRequest.Action = .read) throws -> RegistrationManagementRequest
    {
        RegistrationManagementRequest(action, try registration())
    }

    @Test func `reading and deleting go to the registration's own URI, with its own token and without a body`() throws {
        for (action, method) in [(RegistrationManagementRequest.Action.read, "GET"), (.delete, "DELETE")] {
            let message = try request(action).transportRequest()
            #expect(message.method.rawValue == method && message.body == nil)
            #expect(message.url.absoluteString == "https://op.example/client?id=c")
            #expect(message.headers[values: "Authorization"] == ["Bearer SECRET-t"])
        }
    }

    // RFC 7592, section 2.2.
    @Test("an update sends all that is registered, identifier and secret, and nothing that only the provider says")
    func update() throws {
        var change = try RegistrationRequest(updating: registration(), at: Fixtures.configuration())
        change.clientName = "Renamed"
        let message = try request(.update(change)).transportRequest()
        #expect(message.method == "PUT" && message.headers[values: "Content-Type"] == ["application/json"])
        let body = try JSONValue(parsing: [UInt8](#require(message.body)))
        #expect(
            body == [
                "client_id": "c", "client_secret": "SECRET-s", "client_name": "Renamed",
                "redirect_uris": ["http://127.0.0.1/cb"], "grant_types": ["authorization_code"],
                "response_types": ["code"], "token_endpoint_auth_method": "client_secret_post",
                "scope": "openid api", "application_type": "native",
                "post_logout_redirect_uris": ["http://127.0.0.1/bye"], "software_statement": "e30.e30.c2ln",
                "contacts": ["a@b.example"], "jwks": ["keys": []],
            ])
    }

    @Test func `metadata that cannot be read is not sent back as something else`() throws {
        for member in [#""redirect_uris":"x""#, #""grant_types":[1]"#, #""client_name":5"#, #""redirect_uris":["x"]"#] {
            let registration = try RegistrationResponse(Fixtures.json("{\"client_id\":\"c\",\(member)}"))
            let error = refusal { try RegistrationRequest(updating: registration, at: Fixtures.configuration()) }
            #expect(error?.code == .malformedResponse || error?.code == .invalidRedirectURI)
        }
    }

    @Test func `a registration without a place to manage it is not managed`() throws {
        let bare = try RegistrationResponse(Fixtures.json(#"{"client_id":"c"}"#))
        let request = RegistrationManagementRequest(.read, bare)
        #expect(refusal { try request.transportRequest() }?.code == .endpointMissing)
    }

    @Test func `a new token and a new secret replace the old ones`() throws {
        let answer = try request().answer(
            Fixtures.json(
                """
                {"client_id":"c","client_secret":"SECRET-2","client_secret_expires_at":1800000000,
                "registration_access_token":"SECRET-3","registration_client_uri":"https://op.example/client?id=c&v=2",
                "token_endpoint_auth_method":"client_secret_basic"}
                """))
        #expect(answer?.clientSecret == "SECRET-2" && answer?.registrationAccessToken == "SECRET-3")
        #expect(answer?.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(answer?.registrationClientURI?.query == "id=c&v=2")
        #expect(answer?.credential == ClientCredential(.issued("SECRET-2"), method: .clientSecretBasic))
    }

    @Test func `members that the answer leaves out stay: secret, token, place and date of issue`() throws {
        let answer = try request().answer(Fixtures.json(#"{"client_id":"c","client_name":"New"}"#))
        #expect(answer?.clientSecret == "SECRET-s" && answer?.registrationAccessToken == "SECRET-t")
        #expect(answer?.registrationClientURI == (try registration().registrationClientURI))
        #expect(answer?.clientIDIssuedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(answer?.metadata["client_name"] == "New")
    }

    // RFC 7592, section 3: the answer has all that is registered.
    @Test("a whole answer stands for itself; a part of one leaves the rest as it was asked for")
    func parts() throws {
        let whole = try request().answer(
            Fixtures.json(
                #"{"client_id":"c","redirect_uris":["http://127.0.0.1/new"],"grant_types":["authorization_code"]}"#))
        #expect(whole?.metadata["client_name"] == nil && whole?.metadata["redirect_uris"] == ["http://127.0.0.1/new"])
        let part = try request().answer(Fixtures.json(#"{"client_id":"c","client_name":"New"}"#))
        #expect(part?.metadata["client_name"] == "New" && part?.metadata["redirect_uris"] == ["http://127.0.0.1/cb"])
        #expect(part?.metadata["contacts"] == ["a@b.example"] && part?.metadata["scope"] == "openid api")

        var change = try RegistrationRequest(updating: registration(), at: Fixtures.configuration())
        change.contacts = []
        change.tokenEndpointAuthMethod = .clientSecretBasic
        let update = try request(.update(change)).answer(Fixtures.json(#"{"client_id":"c","client_name":"New"}"#))
        #expect(update?.metadata["contacts"] == nil && update?.metadata["redirect_uris"] == ["http://127.0.0.1/cb"])
        #expect(update?.tokenEndpointAuthMethod == .clientSecretBasic && update?.clientSecret == "SECRET-s")
    }

    @Test func `a new secret without an expiry is taken: the token beside it is new, too, and would be lost`() throws {
        let answer = try request().answer(
            Fixtures.json(#"{"client_id":"c","client_secret":"SECRET-2","registration_access_token":"SECRET-3"}"#))
        #expect(answer?.clientSecret == "SECRET-2" && answer?.registrationAccessToken == "SECRET-3")
        #expect(answer?.clientSecretExpiresAt == nil)
        // The answer does not say how the secret is used; the method stays.
        #expect(answer?.credential == ClientCredential(.issued("SECRET-2"), method: .clientSecretPost))
    }

    @Test func `a client that becomes public, or signs from now on, has no secret any more`() throws {
        for method in ["none", "private_key_jwt"] {
            let answer = try request().answer(
                Fixtures.json("{\"client_id\":\"c\",\"token_endpoint_auth_method\":\"\(method)\"}"))
            #expect(answer?.clientSecret == nil)
        }
    }

    @Test func `the registration of another client is refused`() throws {
        let request = try request()
        #expect(refusal { try request.answer(Fixtures.json(#"{"client_id":"d"}"#)) }?.code == .malformedResponse)
    }

    @Test("a deletion is done when the status says so", arguments: [200, 202, 204])
    func deleted(_ status: Int) throws {
        #expect(try request(.delete).answer(Fixtures.json("", status: status)) == nil)
    }

    @Test(
        "a refusal is typed, with or without a reason",
        arguments: [
            ("", 401, AuthStateError.Code.registrationTokenRejected),
            (#"{"error":"invalid_token"}"#, 401, .registrationTokenRejected), ("", 403, .unsupported),
            (#"{"error":"invalid_token"}"#, 400, .registrationTokenRejected),
            ("", 405, .unsupported), (#"{"error":"invalid_client_metadata"}"#, 400, .invalidClientMetadata),
            (#"{"error":"invalid_redirect_uri"}"#, 400, .registrationRedirectURIRefused),
            ("", 500, .serverError), ("", 503, .temporarilyUnavailable), ("", 404, .malformedResponse),
        ])
    func refused(_ body: String, _ status: Int, _ code: AuthStateError.Code) throws {
        let update = try RegistrationRequest(updating: registration(), at: Fixtures.configuration())
        for action in [RegistrationManagementRequest.Action.read, .update(update), .delete] {
            let request = try request(action)
            let error = refusal { try request.answer(Fixtures.json(body, status: status)) }
            #expect(error?.code == code && error?.stage == .registration)
        }
    }
}

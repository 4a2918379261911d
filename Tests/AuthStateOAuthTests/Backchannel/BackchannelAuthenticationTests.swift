import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Backchannel authentication (OpenID Connect CIBA Core 1.0).
struct BackchannelAuthenticationTests {
    private static func request(
        _ hint: BackchannelAuthenticationRequest.Hint = .login("ada@op.example")
    ) throws -> BackchannelAuthenticationRequest {
        var configuration = try Fixtures.configuration()
        configuration.backchannelAuthenticationEndpoint = try Fixtures.url("https://op.example/backchannel")
        return BackchannelAuthenticationRequest(Client(configuration, id: "client"), hint: hint)
    }

    private static func form(_ request: BackchannelAuthenticationRequest) throws -> Parameters? {
        try request.transportRequest(authentication: .none(clientID: "client")).form
    }

    /// An answer as in section 7.3, some members replaced or removed.
    private static func response(
        _ changes: [String: JSONValue?] = [:], userCode: String? = nil
    ) throws -> BackchannelAuthenticationResponse {
        var members: [String: JSONValue] = [
            "auth_req_id": .string(Secrets.make("request")), "expires_in": 120, "interval": 2,
        ]
        for (name, value) in changes { members[name] = value }
        var request = try request()
        request.userCode = userCode
        return try BackchannelAuthenticationResponse(
            Fixtures.json(String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)), to: request,
            sentAt: Fixtures.now)
    }

    @Test("the request is a form with the client's proof (section 7.1)")
    func requestForm() throws {
        var request = try Self.request()
        request.scopes = [.openID, .email]
        request.bindingMessage = "W4SCT"
        request.userCode = "1234"
        request.requestedExpiry = 120
        request.acrValues = ["urn:a", "urn:b"]
        request.resources = ["https://api.example/"]
        request.additionalParameters = ["tenant": "t"]
        let message = try request.transportRequest(authentication: .none(clientID: "client"))
        #expect(message.method == "POST" && message.url.absoluteString == "https://op.example/backchannel")
        let expected = [
            "client_id": "client", "scope": "openid email", "login_hint": "ada@op.example", "binding_message": "W4SCT",
            "user_code": "1234", "requested_expiry": "120", "acr_values": "urn:a urn:b",
            "resource": "https://api.example/", "tenant": "t",
        ]
        let form = try #require(message.form)
        #expect(Set(form.names) == Set(expected.keys))
        for (name, value) in expected { #expect(form.values(name) == [value]) }
    }

    @Test("each hint is a parameter of its own, and nothing that was not asked for is sent")
    func hints() throws {
        let hints: [(BackchannelAuthenticationRequest.Hint, String)] = [
            (.login("a"), "login_hint"), (.idToken("a"), "id_token_hint"), (.loginToken("a"), "login_hint_token"),
        ]
        for (hint, name) in hints {
            let form = try #require(try Self.form(Self.request(hint)))
            #expect(form[name] == "a" && Set(form.names) == [name, "scope", "client_id"])
        }
    }

    @Test(
        "an invalid request is refused before it is sent",
        arguments: [
            { $0.scopes = [.email] }, { $0.scopes = [] }, { $0.requestedExpiry = 0 }, { $0.hint = .login("") },
            { $0.additionalParameters = ["id_token_hint": "x"] }, { $0.additionalParameters = ["login_hint": "x"] },
            { $0.additionalParameters = ["scope": "admin"] }, { $0.resources = ["nowhere"] },
        ] as [@Sendable (inout BackchannelAuthenticationRequest) -> Void])
    func refusedRequests(_ change: @Sendable (inout BackchannelAuthenticationRequest) -> Void) throws {
        var request = try Self.request()
        change(&request)
        #expect(refusal { try Self.form(request) }?.code == .invalidArgument)
    }

    @Test("a provider without the endpoint, or without polling, is refused")
    func unsupported() throws {
        var request = try Self.request()
        request.client.provider.metadata = try ProviderMetadata(
            document: ["backchannel_token_delivery_modes_supported": ["ping", "push"]])
        let error = refusal { try Self.form(request) }
        #expect(error?.code == .unsupported && error?.received == "ping push")
        request.client.provider.metadata = try ProviderMetadata(
            document: ["backchannel_token_delivery_modes_supported": ["ping", "poll"]])
        #expect(try Self.form(request) != nil)
        request.client.provider.backchannelAuthenticationEndpoint = nil
        #expect(refusal { try Self.form(request) }?.code == .endpointMissing)
    }

    @Test("an answer is read, its lifetime counted from when the request was sent; no user code is kept (section 7.3)")
    func answer() throws {
        let response = try Self.response(userCode: Secrets.make("code"))
        #expect(response.authenticationRequestID == Secrets.make("request") && response.interval == .seconds(2))
        #expect(response.expiresAt == Fixtures.now.addingTimeInterval(120) && response.request.userCode == nil)
        Secrets.expectNone(in: response)
        let data = try JSONEncoder().encode(response)
        #expect(try JSONDecoder().decode(BackchannelAuthenticationResponse.self, from: data) == response)
        #expect(try Self.response(["interval": nil]).interval == .seconds(5))
    }

    @Test(
        "a member that cannot be used is named",
        arguments: [
            ("auth_req_id", nil), ("auth_req_id", ""), ("auth_req_id", 5), ("auth_req_id", "a b"), ("expires_in", nil),
            ("expires_in", 0), ("expires_in", "soon"), ("error", 5),
        ] as [(String, JSONValue?)])
    func refused(_ member: String, _ value: JSONValue?) throws {
        let error = refusal { try Self.response([member: value]) }
        #expect(error?.code == .malformedResponse && error?.stage == .authorization)
        #expect(error?.message.contains("The backchannel authentication response's \(member)") == true)
    }

    @Test(
        "the endpoint's refusals (section 13)",
        arguments: [
            ("invalid_request", 400, AuthStateError.Code.invalidRequest), ("invalid_scope", 400, .invalidScope),
            ("expired_login_hint_token", 400, .expiredLoginHintToken), ("unknown_user_id", 400, .unknownUserID),
            ("unauthorized_client", 400, .unauthorizedClient), ("missing_user_code", 400, .missingUserCode),
            ("invalid_user_code", 400, .invalidUserCode), ("invalid_binding_message", 400, .invalidBindingMessage),
            ("invalid_client", 401, .invalidClient), ("access_denied", 403, .accessDenied),
            ("unknown_user_id", 503, .temporarilyUnavailable),
        ])
    func refusals(_ name: String, _ status: Int, _ code: AuthStateError.Code) throws {
        let hint = Secrets.make("hint-of-somebody")
        let answer = Fixtures.json(
            #"{"error":"\#(name)","error_description":"Nobody has the token \#(hint)."}"#, status: status)
        let request = try Self.request(.loginToken(hint))
        let message = try request.transportRequest(authentication: .none(clientID: "client"))
        let error = refusal {
            try message.hidingSecrets {
                try BackchannelAuthenticationResponse(answer, to: request, sentAt: Fixtures.now)
            }
        }
        #expect(error?.code == code && error?.stage == .authorization && error?.httpStatus == status)
        #expect(error?.hint != nil)
        Secrets.expectNone(in: error as Any)
    }

    @Test func `the question for the tokens (section 10.1)`() throws {
        let request = try Self.response().tokenRequest(["tenant": "t"])
        let form = try #require(try request.transportRequest(authentication: .none(clientID: "client")).form)
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba")
        #expect(form["auth_req_id"] == Secrets.make("request") && form["client_id"] == "client")
        #expect(form["tenant"] == "t")
        Secrets.expectNone(in: request)
    }

    @Test func `an endpoint for clients with certificates is used by them alone (RFC 8705, section 5)`() throws {
        var configuration = try Self.request().client.provider
        configuration.metadata = try ProviderMetadata(
            document: [
                "mtls_endpoint_aliases": ["backchannel_authentication_endpoint": "https://mtls.op.example/backchannel"]
            ])
        let own = configuration.endpoints(for: .certificate()).backchannelAuthenticationEndpoint
        #expect(own?.absoluteString == "https://mtls.op.example/backchannel")
        #expect(configuration.endpoints(for: .none) == configuration)
    }

    @Test func `a user code that the provider repeats is not shown, short as it is`() throws {
        var request = try Self.request()
        request.userCode = "1234"
        let message = try request.transportRequest(authentication: .none(clientID: "client"))
        let answer = Fixtures.json(
            #"{"error":"invalid_user_code","error_description":"user code 1234 is wrong"}"#, status: 400)
        let error = refusal {
            try message.hidingSecrets {
                try BackchannelAuthenticationResponse(answer, to: request, sentAt: Fixtures.now)
            }
        }
        #expect(error?.code == .invalidUserCode && error?.message.contains("user code … is wrong") == true)
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Device authorization (RFC 8628).
struct DeviceAuthorizationTests {
    private static func request() throws -> DeviceAuthorizationRequest {
        var configuration = try Fixtures.configuration()
        configuration.deviceAuthorizationEndpoint = try Fixtures.url("https://op.example/device_authorization")
        return DeviceAuthorizationRequest(
            Client(configuration, id: "client"), scopes: [.openID, .profile],
            resources: ["https://api.example/", "https://files.example/"], additionalParameters: ["tenant": "t"])
    }

    /// The example of section 3.2, some members replaced or removed.
    private static func response(_ changes: [String: JSONValue?] = [:]) throws -> DeviceAuthorizationResponse {
        var members: [String: JSONValue] = [
            "device_code": .string(Secrets.make("device")), "user_code": "WDJB-MJHT",
            "verification_uri": "https://example.com/device",
            "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT", "expires_in": 1800,
            "interval": 5,
        ]
        for (name, value) in changes { members[name] = value }
        return try DeviceAuthorizationResponse(
            Fixtures.json(String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)), to: request(),
            sentAt: Fixtures.now)
    }

    @Test("the request is a form with the client's proof (section 3.1)")
    func requestForm() throws {
        let message = try Self.request().transportRequest(authentication: .none(clientID: "client"))
        let form = try #require(message.form)
        #expect(message.method == "POST" && message.url.absoluteString == "https://op.example/device_authorization")
        #expect(form["client_id"] == "client" && form["scope"] == "openid profile" && form["tenant"] == "t")
        #expect(form.values("resource") == ["https://api.example/", "https://files.example/"])
        let proof = try ClientAuthentication.secret("s", clientID: "client", method: .clientSecretBasic)
        let confidential = try Self.request().transportRequest(authentication: proof)
        #expect(confidential.headers["Authorization"] != nil && confidential.form?["client_id"] == nil)
    }

    @Test func `without the endpoint there is a clear error, and no parameter is replaced`() throws {
        var request = try Self.request()
        request.additionalParameters = ["scope": "admin"]
        #expect(
            refusal { try request.transportRequest(authentication: .none(clientID: "c")) }?.code == .invalidArgument)
        request.client.provider.deviceAuthorizationEndpoint = nil
        #expect(
            refusal { try request.transportRequest(authentication: .none(clientID: "c")) }?.code == .endpointMissing)
    }

    @Test("an answer is read, its lifetime counted from when the request was sent (section 3.2)")
    func answer() throws {
        let response = try Self.response()
        #expect(response.deviceCode == Secrets.make("device") && response.userCode == "WDJB-MJHT")
        #expect(response.verificationURI.absoluteString == "https://example.com/device")
        #expect(response.verificationURIComplete?.query == "user_code=WDJB-MJHT")
        #expect(response.expiresAt == Fixtures.now.addingTimeInterval(1800) && response.interval == .seconds(5))
        Secrets.expectNone(in: response)
        #expect(!"\(response)".contains("WDJB"))
        let copy = try JSONDecoder().decode(DeviceAuthorizationResponse.self, from: JSONEncoder().encode(response))
        #expect(copy == response)
    }

    @Test(
        "members that a provider may leave out, or write in its own way, are read",
        arguments: [
            (["interval": nil], 5), (["interval": .null], 5), (["interval": 0], 1), (["interval": "7"], 7),
            (["interval": 2.5], 2.5), (["expires_in": "1800"], 5), (["verification_uri_complete": nil], 5),
            (["verification_uri_complete": .null], 5), (["error": .null], 5), (["error": ""], 5),
            (["verification_uri_complete": ""], 5), (["verification_uri_complete": "mailto:a@b.example"], 5),
            (["interval": -1], 1), (["interval": "often"], 5), (["interval": ""], 5),
            (["interval": 5000], 5), (["interval": 1800], 5), (["interval": 1799], 1799),
        ] as [([String: JSONValue?], Double)])
    func tolerated(_ changes: [String: JSONValue?], _ interval: Double) throws {
        let response = try Self.response(changes)
        #expect(response.interval == .seconds(interval) && response.expiresAt == Fixtures.now.addingTimeInterval(1800))
    }

    @Test("Google's names from before the RFC are read too")
    func aliases() throws {
        let response = try Self.response([
            "verification_uri": nil, "verification_uri_complete": nil,
            "verification_url": "https://www.google.com/device",
            "verification_url_complete": "https://www.google.com/device?c=WDJB",
        ])
        #expect(response.verificationURI.absoluteString == "https://www.google.com/device")
        #expect(response.verificationURIComplete?.query == "c=WDJB")
    }

    @Test(
        "a member that cannot be used is named",
        arguments: [
            ("device_code", nil), ("device_code", ""), ("device_code", 5), ("device_code", "a b"),
            ("user_code", nil), ("user_code", ""), ("user_code", " "), ("user_code", "A\u{1B}[2J"),
            ("user_code", .string(String(repeating: "A", count: 101))),
            ("verification_uri", nil), ("verification_uri", "/device"), ("verification_uri", "javascript:alert(1)"),
            ("verification_uri", "file:///etc/passwd"), ("verification_uri", "https://u@op.example/"),
            ("verification_uri", "https:///device"), ("expires_in", nil), ("expires_in", 0), ("expires_in", -1),
            ("expires_in", "soon"), ("error", 5),
        ] as [(String, JSONValue?)])
    func refused(_ member: String, _ value: JSONValue?) throws {
        let error = refusal { try Self.response([member: value]) }
        #expect(error?.code == .malformedResponse && error?.stage == .authorization)
        #expect(error?.message.contains(member) == true)
    }

    @Test(
        "the endpoint's refusals",
        arguments: [
            ("invalid_client", 401, AuthStateError.Code.invalidClient),
            ("unauthorized_client", 400, .unauthorizedClient),
            ("invalid_scope", 400, .invalidScope), ("slow_down", 400, .slowDown),
            // The second status is Google's: https://developers.google.com/identity/protocols/oauth2/limited-input-device
            ("slow_down", 429, .slowDown), ("authorization_pending", 428, .authorizationPending),
            ("invalid_request", 429, .temporarilyUnavailable),
            ("invalid_request", 503, .temporarilyUnavailable),
        ])
    func refusals(_ name: String, _ status: Int, _ code: AuthStateError.Code) throws {
        let answer = Fixtures.json(#"{"error":"\#(name)"}"#, status: status)
        let error = refusal { try DeviceAuthorizationResponse(answer, to: Self.request(), sentAt: Fixtures.now) }
        #expect(error?.code == code && error?.stage == .authorization && error?.httpStatus == status)
    }

    @Test func `the question for the tokens (section 3.4)`() throws {
        let request = TokenRequest(
            Client(try Fixtures.configuration(), id: "client"), .deviceCode(Secrets.make("device")))
        let form = try #require(try request.transportRequest(authentication: .none(clientID: "client")).form)
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(form["device_code"] == Secrets.make("device") && form["client_id"] == "client")
        Secrets.expectNone(in: request)
    }
}

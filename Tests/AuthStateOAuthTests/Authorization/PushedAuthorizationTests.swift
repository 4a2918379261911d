import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Pushed authorization requests (RFC 9126).
struct PushedAuthorizationTests {
    private func configuration() throws -> ProviderConfiguration {
        var configuration = try Fixtures.configuration()
        configuration.pushedAuthorizationRequestEndpoint = try Fixtures.url("https://op.example/par")
        return configuration
    }

    @Test("the form has exactly the parameters that the browser's URL would have, and the client's proof")
    func sameParameters() throws {
        var request = try Fixtures.request(configuration())
        request.resources = ["https://a.example", "https://b.example"]
        request.claims = ClaimsRequest(idToken: ["email": .essential]).json
        request.responseMode = .formPost
        request.prompt = [.login]
        request.additionalParameters = ["tenant": "x y"]
        let message = try PushedAuthorizationRequest(request).transportRequest(
            authentication: .secret("s", clientID: "client", method: .clientSecretBasic))
        let url = try request.url().absoluteString
        #expect(message.form == Parameters(decoding: url.drop { $0 != "?" }.dropFirst()))
        #expect(message.method == "POST" && message.url.absoluteString == "https://op.example/par")
        #expect(message.headers["Authorization"] == "Basic Y2xpZW50OnM=")
        let post = try PushedAuthorizationRequest(request).transportRequest(
            authentication: .secret("s", clientID: "client", method: .clientSecretPost))
        #expect(post.form?["client_secret"] == "s" && post.form?.values("client_id") == ["client"])
    }

    @Test func `a signed request is all that is pushed`() throws {
        let message = try PushedAuthorizationRequest(Fixtures.request(configuration()), requestObject: "a.b.c")
            .transportRequest(authentication: .none(clientID: "client"))
        #expect(message.form == ["client_id": "client", "request": "a.b.c"])
    }

    @Test("the browser's URL has client and reference, and keeps the endpoint's own query")
    func url() throws {
        var configuration = try configuration()
        configuration.authorizationEndpoint = try Fixtures.url("https://op.example/authorize?tenant=1&request_uri=x")
        var request = try Fixtures.request(configuration)
        request.isPushed = true
        let response = try PushedAuthorizationResponse(
            Fixtures.json(#"{"request_uri":"urn:example:bwc4JK","expires_in":60}"#, status: 201), sentAt: Fixtures.now)
        #expect(
            try request.url(pushedAs: response).absoluteString
                == "https://op.example/authorize?tenant=1&client_id=client&request_uri=urn%3Aexample%3Abwc4JK")
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }

    @Test("a request is pushed where the metadata require it, unless it says otherwise")
    func required() throws {
        let configuration = try Fixtures.configuration(metadata: ["require_pushed_authorization_requests": true])
        var request = try Fixtures.request(configuration)
        #expect(refusal { try request.url() }?.code == .invalidArgument)
        request.isPushed = false
        #expect(try request.url().absoluteString.contains("code_challenge="))
        #expect(
            refusal {
                try PushedAuthorizationRequest(request).transportRequest(authentication: .none(clientID: "client"))
            }?.code == .endpointMissing)
    }

    @Test func `a reference of the client's own cannot be pushed`() throws {
        var request = try Fixtures.request(configuration())
        request.requestURI = "https://app.example/request.jwt"
        let error = refusal {
            try PushedAuthorizationRequest(request).transportRequest(authentication: .none(clientID: "client"))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `an archive from before pushed requests is read, and one with all their members`() throws {
        var request = try Fixtures.request(configuration())
        let plain = try JSONEncoder().encode(request)
        for name in ["isPushed", "signingCredential", "requestURI"] {
            #expect(!String(decoding: plain, as: UTF8.self).contains(name))
        }
        #expect(try JSONDecoder().decode(AuthorizationRequest.self, from: plain) == request)
        request.isPushed = true
        request.signingCredential = .privateKey(file: "/key.pem", keyID: "k")
        request.requestURI = "https://app.example/request.jwt"
        let full = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(AuthorizationRequest.self, from: full) == request)
    }

    @Test("an answer is 201 or 200, with a reference and its lifetime", arguments: [201, 200])
    func answer(_ status: Int) throws {
        let response = try PushedAuthorizationResponse(
            Fixtures.json(
                #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}"#,
                status: status), sentAt: Fixtures.now)
        #expect(response.requestURI == "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c")
        #expect(response.expirationDate == Fixtures.now.addingTimeInterval(60))
        #expect(!"\(response)".contains("6esc"))
    }

    @Test("a reference without a usable lifetime serves", arguments: ["", "0", "-5", #""soon""#, "null"])
    func lifetime(_ value: String) throws {
        let member = value.isEmpty ? "" : #","expires_in":\#(value)"#
        let answer = Fixtures.json(#"{"request_uri":"urn:x:y"\#(member)}"#, status: 201)
        let response = try PushedAuthorizationResponse(answer, sentAt: Fixtures.now)
        #expect(response.requestURI == "urn:x:y" && response.expirationDate == nil)
    }

    @Test(
        "an answer without a usable reference is refused",
        arguments: [
            "", "[]", "{}", #"{"expires_in":60}"#,
            #"{"request_uri":"","expires_in":60}"#, #"{"request_uri":"relative","expires_in":60}"#,
            #"{"request_uri":"urn:x:y z","expires_in":60}"#, #"{"request_uri":"urn:x:\n","expires_in":60}"#,
            #"{"request_uri":7,"expires_in":60}"#,
            #"{"request_uri":"urn:x:y","request_uri":"urn:x:z","expires_in":60}"#,
        ])
    func malformed(_ body: String) {
        let error = refusal { try PushedAuthorizationResponse(Fixtures.json(body, status: 201), sentAt: Fixtures.now) }
        #expect(error?.code == .malformedResponse && error?.stage == .authorization && error?.httpStatus == 201)
    }

    @Test(
        "each error of section 2.3 is typed",
        arguments: [
            (400, #"{"error":"invalid_request","error_description":"no"}"#, AuthStateError.Code.invalidRequest),
            (400, #"{"error":"invalid_scope"}"#, .invalidScope), (400, #"{"error":"invalid_target"}"#, .invalidTarget),
            (400, #"{"error":"invalid_request_object"}"#, .invalidRequestObject),
            (400, #"{"error":"use_dpop_nonce"}"#, .useDPoPNonce), (400, "", .invalidRequest),
            (401, #"{"error":"invalid_client"}"#, .invalidClient), (401, "", .invalidClient),
            (403, "<html>", .malformedResponse), (403, "no", .invalidClient),
            (403, #"{"error":"unauthorized_client"}"#, .unauthorizedClient),
            (404, "", .malformedResponse), (405, "", .endpointMissing), (413, "", .invalidRequest),
            (429, "", .temporarilyUnavailable), (429, #"{"error":"invalid_request"}"#, .temporarilyUnavailable),
            (500, "", .serverError), (503, "", .temporarilyUnavailable), (302, "", .redirected),
            (206, #"{"request_uri":"urn:x:y","expires_in":60}"#, .malformedResponse),
        ])
    func errors(_ status: Int, _ body: String, _ code: AuthStateError.Code) {
        let answer = Fixtures.json(body, status: status, headers: ["Retry-After": "7"])
        let error = refusal { try PushedAuthorizationResponse(answer, sentAt: Fixtures.now) }
        #expect(error?.code == code && error?.stage == .authorization && error?.httpStatus == status)
        #expect(error?.hint != nil && error?.retryAfter == .seconds(7))
    }
}

import AuthStateJOSE
import Testing

@testable import AuthStateOAuth

struct TokenRequestTests {
    private func renewal(_ scopes: [Scope] = []) throws -> TokenRequest {
        TokenRequest(Client(try Fixtures.configuration(), id: "client"), .refreshToken("r+/="), scopes: scopes)
    }

    private func secret(_ secret: String, _ method: ClientAuthenticationMethod) throws -> ClientAuthentication {
        try .secret(secret, clientID: "a client", method: method)
    }

    @Test("a code is exchanged by form, with its redirect URI and verifier (RFC 6749, section 4.1.3; RFC 7636, 4.5)")
    func exchange() throws {
        let request = try Fixtures.request()
        let response = try Fixtures.response("code=a%2Bb%20c&state=\(request.state)", to: request)
        let sent = try TokenRequest(exchanging: response).transportRequest(authentication: .none(clientID: "client"))
        #expect(sent.method == "POST" && sent.url == request.client.provider.tokenEndpoint)
        #expect(sent.headers[values: "content-type"] == ["application/x-www-form-urlencoded"])
        #expect(sent.headers[values: "Accept"] == ["application/json"] && sent.headers["Authorization"] == nil)
        let form = try #require(sent.form)
        let expected = [
            "grant_type": "authorization_code", "code": "a+b c", "redirect_uri": "https://app.example/callback",
            "code_verifier": request.codeVerifier.rawValue, "client_id": "client",
        ]
        #expect(Set(form.names) == Set(expected.keys))
        for (name, value) in expected { #expect(form.values(name) == [value]) }
    }

    @Test("a refresh token is sent by form, with the scope only when there is one (RFC 6749, section 6)")
    func refresh() throws {
        let form = try #require(try renewal().transportRequest(authentication: .none(clientID: "client")).form)
        #expect(form.names == ["grant_type", "refresh_token", "client_id"] && form["refresh_token"] == "r+/=")
        let scoped = try renewal(["a", "b"]).transportRequest(authentication: .none(clientID: "client"))
        #expect(scoped.form?["scope"] == "a b" && scoped.form?["grant_type"] == "refresh_token")
        #expect(try renewal().stage == .refresh)
    }

    @Test func `a client asks in its own name (RFC 6749, section 4.4.2)`() throws {
        let request = TokenRequest(
            Client(try Fixtures.configuration(), id: "a client"), .clientCredentials, scopes: ["api"])
        let form = try #require(try request.transportRequest(authentication: secret("s", .clientSecretBasic)).form)
        #expect(form.names == ["grant_type", "scope"] && form["grant_type"] == "client_credentials")
        #expect(request.stage == .token)
    }

    @Test("HTTP Basic carries identifier and secret, each form-encoded; AppAuth's vector (RFC 6749, section 2.3.1)")
    func basic() throws {
        let sent = try renewal().transportRequest(
            authentication: secret("t _9V-F*I+Z1Lk.u7:2/8L+w=", .clientSecretBasic))
        let encoded = Base64.encode(Array("a+client:t+_9V-F*I%2BZ1Lk.u7%3A2%2F8L%2Bw%3D".utf8))
        #expect(sent.headers[values: "Authorization"] == ["Basic \(encoded)"])
        #expect(sent.form?["client_id"] == nil && sent.form?["client_secret"] == nil)
    }

    @Test func `the identifier stands in the form beside HTTP Basic where that is tolerated`() throws {
        let named = try ClientAuthentication.secret(
            "s", clientID: "a client", method: .clientSecretBasic, isNamed: true)
        let sent = try renewal().transportRequest(authentication: named)
        #expect(sent.headers[values: "Authorization"].count == 1)
        #expect(sent.form?["client_id"] == "a client" && sent.form?["client_secret"] == nil)
    }

    @Test("client_secret_post puts both into the body")
    func post() throws {
        let sent = try renewal().transportRequest(authentication: secret("s&=+ ü", .clientSecretPost))
        #expect(sent.form?["client_id"] == "a client" && sent.form?["client_secret"] == "s&=+ ü")
        #expect(sent.headers["Authorization"] == nil)
    }

    @Test(
        "other methods cannot be used with a secret", arguments: ["none", "client_secret_jwt", "private_key_jwt", ""])
    func otherMethods(_ method: String) {
        #expect(refusal { try secret("s", ClientAuthenticationMethod(rawValue: method)) }?.code == .unsupported)
    }

    @Test func `Basic is preferred, and is the default when the metadata say nothing (RFC 8414, section 2)`() throws {
        func preferred(_ methods: JSONValue?) throws -> ClientAuthenticationMethod {
            let metadata = try Fixtures.metadata(["token_endpoint_auth_methods_supported": methods])
            return ClientAuthentication.preferredMethod(of: metadata.tokenEndpointAuthMethodsSupported)
        }
        #expect(try preferred(nil) == .clientSecretBasic)
        #expect(try preferred(["client_secret_post", "client_secret_basic"]) == .clientSecretBasic)
        #expect(try preferred(["client_secret_post"]) == .clientSecretPost)
        #expect(ClientAuthentication.preferredMethod(of: nil) == .clientSecretBasic)
    }

    @Test func `additional parameters are sent, repeated ones too, and replace nothing`() throws {
        var request = try renewal()
        request.additionalParameters.append("resource", "https://a.example")
        request.additionalParameters.append("resource", "https://b.example")
        let form = try request.transportRequest(authentication: .none(clientID: "client")).form
        #expect(form?.values("resource") == ["https://a.example", "https://b.example"])
        for name in ["grant_type", "refresh_token", "client_id"] {
            request.additionalParameters = [name: "x"]
            let error = refusal { try request.transportRequest(authentication: .none(clientID: "client")) }
            #expect(error?.code == .invalidArgument && error?.stage == .refresh)
        }
        #expect(
            refusal { try renewal(["a b"]).transportRequest(authentication: .none(clientID: "c")) }?.code
                == .invalidScope)
    }
}

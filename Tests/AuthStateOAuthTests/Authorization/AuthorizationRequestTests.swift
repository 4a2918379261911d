import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateProviders
import Testing

struct AuthorizationRequestTests {
    private func parameters(_ request: AuthorizationRequest) throws -> Parameters {
        let query = try #require(try request.url().absoluteString.split(separator: "?", maxSplits: 1).last)
        let parameters = try #require(Parameters(decoding: query))
        #expect(parameters.repeatedName == nil)
        return parameters
    }

    @Test("the plain request carries what RFC 6749, RFC 7636 and OpenID Connect ask for, and no more")
    func plain() throws {
        let request = try Fixtures.request()
        let sent = try parameters(request)
        #expect(sent["response_type"] == "code" && sent["client_id"] == "client")
        #expect(sent["redirect_uri"] == "https://app.example/callback" && sent["scope"] == "openid profile")
        #expect(sent["state"] == request.state && sent["nonce"] == request.nonce)
        #expect(sent["code_challenge"] == (try request.codeVerifier.challenge()))
        #expect(sent["code_challenge_method"] == "S256" && sent.names.count == 8)
    }

    @Test("every other parameter is sent as the specifications write it")
    func everything() throws {
        var request = try Fixtures.request()
        request.responseType = AuthorizationRequest.ResponseType(rawValue: "id_token code")
        request.responseMode = .formPost
        request.prompt = [.login, .consent]
        request.loginHint = "a&b@example"
        request.maxAge = 0
        request.uiLocales = ["de-CH", "fr"]
        request.acrValues = ["urn:a", "urn:b"]
        request.display = "touch"
        request.idTokenHint = "a.b.c"
        request.claims = ["id_token": ["email": nil]]
        request.additionalParameters = ["audience": "https://api.example/ü"]
        request.additionalParameters.append("resource", "a")
        request.additionalParameters.append("resource", "b")
        let query = try request.url().absoluteString
        let sent = try #require(Parameters(decoding: query.split(separator: "?")[1]))
        let expected = [
            "response_type": "id_token code", "response_mode": "form_post", "prompt": "login consent",
            "login_hint": "a&b@example", "max_age": "0", "ui_locales": "de-CH fr", "acr_values": "urn:a urn:b",
            "display": "touch", "id_token_hint": "a.b.c", "claims": #"{"id_token":{"email":null}}"#,
            "audience": "https://api.example/ü",
        ]
        for (name, value) in expected { #expect(sent[name] == value, "\(name)") }
        #expect(sent.values("resource") == ["a", "b"])
    }

    @Test("offline access asks for consent where the metadata name that prompt, unless the caller set one")
    func offlineAccess() throws {
        let listed = try Fixtures.configuration(metadata: ["prompt_values_supported": ["none", "login", "consent"]])
        func prompt(
            _ configuration: ProviderConfiguration, scopes: [Scope] = [.openID, .offlineAccess],
            _ change: (inout AuthorizationRequest) -> Void = { _ in }
        ) throws -> String? {
            var request = try Fixtures.request(configuration, scopes: scopes)
            change(&request)
            return try parameters(request)["prompt"]
        }
        #expect(try prompt(listed) == "consent")
        #expect(try prompt(listed) { $0.prompt = [.login] } == "login")
        #expect(try prompt(listed) { $0.prompt = [.none] } == "none")
        #expect(try prompt(listed) { $0.asksConsentForOfflineAccess = false } == nil)
        #expect(try prompt(listed, scopes: [.openID]) == nil)
        #expect(try prompt(listed, scopes: [.offlineAccess]) == nil)
        for silent in [[:], ["prompt_values_supported": ["none", "login"]]] as [[String: JSONValue?]] {
            let configuration = try Fixtures.configuration(metadata: silent)
            #expect(try prompt(configuration) == nil)
            #expect(try prompt(configuration) { $0.asksConsentForOfflineAccess = true } == "consent")
        }
        // The parameters that a known provider wants are in its table.
        let known = KnownProvider.google.request(Client(listed, id: "client"), scopes: [.openID, .offlineAccess])
        #expect(known.asksConsentForOfflineAccess == false)
    }

    @Test func `the endpoint's own query is extended, not replaced`() throws {
        var request = try Fixtures.request()
        request.client.provider.authorizationEndpoint = try Fixtures.url("https://op.example/authorize?tenant=a%2Fb")
        #expect(try request.url().absoluteString.hasPrefix("https://op.example/authorize?tenant=a%2Fb&"))
        #expect(try parameters(request)["tenant"] == "a/b")
    }

    @Test("state, nonce and verifier are 43 characters of base64url, different every time")
    func randomness() throws {
        let configuration = try Fixtures.configuration()
        var seen: Set<String> = []
        for _ in 0..<50 {
            let request = AuthorizationRequest(Client(configuration, id: "c"))
            for text in [request.state, try #require(request.nonce), request.codeVerifier.rawValue] {
                #expect(Base64URL.decode(text[...])?.count == 32 && text.utf8.count == 43)
                #expect(seen.insert(text).inserted)
            }
        }
        #expect(AuthorizationRequest(Client(configuration, id: "c"), scopes: ["api"]).nonce == nil)
    }

    @Test("an additional parameter cannot replace one of the request's, plain PKCE included")
    func clashes() throws {
        for name in ["state", "nonce", "code_challenge_method", "redirect_uri", "client_id", "scope", "response_type"] {
            var request = try Fixtures.request()
            request.additionalParameters = [name: "plain"]
            #expect(refusal { try request.url() }?.code == .invalidArgument, "\(name)")
        }
    }

    @Test("a provider that lists PKCE methods without S256 is refused; one that lists none is not")
    func pkceSupport() throws {
        let plain = try Fixtures.configuration(metadata: ["code_challenge_methods_supported": ["plain"]])
        let error = refusal { try Fixtures.request(plain).url() }
        #expect(error?.code == .pkceUnsupported && error?.kind == .configuration)
        for changes: [String: JSONValue?] in [[:], ["code_challenge_methods_supported": ["plain", "S256"]]] {
            _ = try Fixtures.request(Fixtures.configuration(metadata: changes)).url()
        }
    }

    @Test(
        "implicit response types are refused",
        arguments: ["token", "id_token", "code token", "code id_token token", "none", ""])
    func implicit(_ type: String) throws {
        var request = try Fixtures.request()
        request.responseType = AuthorizationRequest.ResponseType(rawValue: type)
        let error = refusal { try request.url() }
        #expect(error?.code == .unsupported && error?.kind == .configuration)
        #expect(error?.message.contains("Implicit") == (type != "none" && type != ""))
    }

    @Test(
        "response modes that are not supported are refused",
        arguments: ["web_message", "web_message.jwt", ".jwt", "JWT", ""])
    func responseModes(_ mode: String) throws {
        var request = try Fixtures.request()
        request.responseMode = AuthorizationRequest.ResponseMode(rawValue: mode)
        let error = refusal { try request.url() }
        #expect(error?.code == .unsupported && error?.kind == .configuration && error?.received == mode)
    }

    @Test(
        "signed answers (JARM) are asked for as they are written, where they could be verified",
        arguments: ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"])
    func signedModes(_ mode: String) throws {
        var request = try Fixtures.request(scopes: ["api"])
        request.responseMode = AuthorizationRequest.ResponseMode(rawValue: mode)
        #expect(try parameters(request)["response_mode"] == mode)
        let callback = AuthorizationCallback(url: "https://app.example/callback?response=a.b.c&state=\(request.state)")
        #expect(refusal { try AuthorizationResponse(callback: callback, for: request) } != nil)
        var listed = request
        listed.client.provider.metadata = try Fixtures.metadata(["response_modes_supported": ["query", .string(mode)]])
        #expect(try parameters(listed)["response_mode"] == mode)
        listed.client.provider.metadata = try Fixtures.metadata(["response_modes_supported": ["query", "form_post"]])
        let unlisted = refusal { try listed.url() }
        #expect(unlisted?.code == .unsupported && unlisted?.received == "query form_post")
        for change: (inout ProviderConfiguration) -> Void in [{ $0.issuer = nil }, { $0.jwksURI = nil }] {
            var unverifiable = request
            change(&unverifiable.client.provider)
            #expect(refusal { try unverifiable.url() }?.code == .invalidMetadata)
        }
    }

    @Test("an ID token is not asked for in the query (OAuth 2.0 Multiple Response Types, section 5)")
    func hybridByQuery() throws {
        var request = try Fixtures.request()
        request.responseType = .codeIDToken
        for mode in [nil, .fragment, .formPost] as [AuthorizationRequest.ResponseMode?] {
            request.responseMode = mode
            #expect(try parameters(request)["response_mode"] == mode?.rawValue ?? "fragment")
        }
        for mode in [.query, .queryJWT] as [AuthorizationRequest.ResponseMode] {
            request.responseMode = mode
            #expect(refusal { try request.url() }?.code == .unsupported)
        }
    }

    @Test func `a request that lacks something or contradicts itself is refused before the browser opens`() throws {
        func code(_ change: (inout AuthorizationRequest) throws -> Void) throws -> AuthStateError.Code? {
            var request = try Fixtures.request()
            try change(&request)
            return refusal { try request.url() }?.code
        }
        #expect(try code { $0.redirectURI = nil } == .invalidRedirectURI)
        #expect(try code { $0.client.provider.authorizationEndpoint = nil } == .endpointMissing)
        #expect(try code { $0.client.provider.issuer = nil } == .invalidMetadata)
        #expect(try code { $0.client.provider.jwksURI = nil } == .invalidMetadata)
        #expect(try code { $0.scopes = ["openid", "a\"b"] } == .invalidScope)
        #expect(try code { $0.prompt = [.none, .login] } == .invalidArgument)
        var machine = try Fixtures.request(scopes: ["api"])
        machine.client.provider.issuer = nil
        machine.client.provider.jwksURI = nil
        _ = try machine.url()
    }

    @Test func `the hybrid flow needs a nonce (OpenID Connect Core, section 3.3.2.11)`() throws {
        var request = try Fixtures.request()
        request.responseType = .codeIDToken
        _ = try request.url()
        request.nonce = nil
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }

    @Test func `a request survives an archive`() throws {
        var request = try Fixtures.request()
        request.claims = ["userinfo": ["email": ["essential": true]]]
        #expect(try JSONDecoder().decode(AuthorizationRequest.self, from: JSONEncoder().encode(request)) == request)
    }
}

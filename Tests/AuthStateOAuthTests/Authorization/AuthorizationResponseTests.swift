import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct AuthorizationResponseTests {
    private func code(
        _ query: String, _ change: (inout AuthorizationRequest) throws -> Void = { _ in }
    ) throws -> AuthStateError.Code? {
        var request = try Fixtures.request()
        try change(&request)
        return refusal { try Fixtures.response(query, to: request) }?.code
    }

    @Test("a code with the right state is taken; other parameters are kept")
    func success() throws {
        let request = try Fixtures.request()
        let response = try Fixtures.response(
            "code=a%2Bb&state=\(request.state)&scope=openid+x&session_state=s", to: request)
        #expect(response.code == "a+b" && response.scope == "openid x" && response.idToken == nil)
        #expect(response.additionalParameters.names == ["session_state"] && response.request == request)
        #expect(try JSONDecoder().decode(AuthorizationResponse.self, from: JSONEncoder().encode(response)) == response)
    }

    @Test(
        "a refusal without state keeps its code only where it asks the user to act",
        arguments: [
            ("access_denied", AuthStateError.Code.accessDenied), ("login_required", .loginRequired),
            ("invalid_client", .stateMismatch), ("invalid_scope", .stateMismatch),
        ])
    func unconfirmed(_ error: String, _ code: AuthStateError.Code) {
        let place = "http://127.0.0.1:1/cb"
        #expect(AuthorizationCallback(url: "\(place)?error=\(error)").unconfirmedRefusal?.code == code)
        #expect(AuthorizationCallback(url: "\(place)?error=\(error)&state=s").unconfirmedRefusal == nil)
    }

    @Test("an empty error beside a code is none; state without code and error is an answer that lacks both")
    func emptyError() throws {
        let request = try Fixtures.request()
        #expect(try Fixtures.response("error=&code=c&state=\(request.state)", to: request).code == "c")
        for query in ["error=&state=\(request.state)", "state=\(request.state)"] {
            let error = refusal { try Fixtures.response(query, to: request) }
            #expect(error?.hint != nil && error?.code != .accessDenied, "\(query)")
        }
        let stateless = refusal { try Fixtures.response("error=access_denied", to: request) }
        #expect(stateless?.code == .stateMismatch)
        #expect(stateless?.received == "no state, with the error access_denied")
    }

    @Test("Facebook: a refusal with a number in place of the error is shown with its words")
    func facebookNumber() throws {
        let request = try Fixtures.request()
        let answer = "error_code=1349126&error_message=App+not+active&state=\(request.state)"
        let error = refusal { try Fixtures.response(answer, to: request) }
        #expect(error?.code == .providerError && error?.response?.error == "1349126")
        #expect(error?.message.contains("1349126, App not active") == true)
        #expect(AuthorizationCallback.hasAnswer(answer))
        #expect(try Fixtures.response("code=c&\(answer)", to: request).code == "c")
    }

    @Test("a callback for a login whose redirect URI differs in the query alone is refused, errors too")
    func ownQuery() throws {
        var request = try Fixtures.request()
        request.redirectURI = try RedirectURI("https://app.example/cb?provider=a")
        let answer = "state=\(request.state)"
        for query in ["provider=b&code=c", "code=c", "provider=a&provider=b&code=c", "provider=b&error=access_denied"] {
            let callback = AuthorizationCallback(url: "https://app.example/cb?\(query)&\(answer)")
            let error = refusal { try AuthorizationResponse(callback: callback, for: request) }
            #expect(error?.code == .callbackMismatch && error?.expected == request.redirectURI?.rawValue, "\(query)")
        }
        let good = AuthorizationCallback(url: "https://app.example/cb?provider=a&code=c&\(answer)")
        #expect(try AuthorizationResponse(callback: good, for: request).code == "c")
    }

    @Test("the checks come in order: place, readable, repeated, state, iss, error, code")
    func order() throws {
        let request = try Fixtures.request()
        let good = "state=\(request.state)"
        let elsewhere = AuthorizationCallback(url: "https://app.example/other?error=x&error=y")
        #expect(refusal { try AuthorizationResponse(callback: elsewhere, for: request) }?.code == .callbackMismatch)
        #expect(try code("") == .malformedResponse)
        #expect(try code("code=%zz&code=x&\(good)") == .malformedResponse)
        #expect(try code("error=access_denied&state=wrong&state=wrong&iss=https://evil.example") == .duplicateParameter)
        #expect(try code("error=access_denied&state=wrong&iss=https://evil.example") == .stateMismatch)
        #expect(try code("error=access_denied&\(good)&iss=https://evil.example") == .issuerParameterMismatch)
        #expect(try code("error=access_denied&code=x&\(good)") == .accessDenied)
        #expect(try code("\(good)") == .malformedResponse)
        #expect(try code("code=&\(good)") == .malformedResponse)
    }

    @Test(
        "a refusal of offline_access without prompt=consent names that prompt, in whatever words the provider refuses",
        arguments: [
            ("error=invalid_request&error_description=consent+in+prompt", true, false),
            ("error=invalid_scope&error_description=prompt+must+contain+consent+for+offline_access", true, false),
            ("error=invalid_request", true, true), ("error=invalid_scope", true, true),
            ("error=access_denied", false, true), ("error=invalid_request&error_description=redirect_uri", false, true),
        ])
    func consent(_ answer: String, _ isNamed: Bool, _ namesOthers: Bool) throws {
        func hint(_ scopes: [Scope], _ prompt: [AuthorizationRequest.Prompt] = []) throws -> String {
            var request = try Fixtures.request(scopes: scopes)
            request.prompt = prompt
            return try #require(
                refusal { try Fixtures.response("\(answer)&state=\(request.state)", to: request) }?.hint)
        }
        let own = "Ask with prompt=consent, which offline_access needs at some providers."
        let others = try hint([.openID])
        #expect(!others.contains(own))
        #expect(try hint([.openID, .offlineAccess], [.login, .consent]) == others)
        // Where the metadata list the prompt, it was sent.
        var listing = try Fixtures.request(
            Fixtures.configuration(metadata: ["prompt_values_supported": ["consent"]]),
            scopes: [.openID, .offlineAccess])
        #expect(refusal { try Fixtures.response("\(answer)&state=\(listing.state)", to: listing) }?.hint == others)
        listing.asksConsentForOfflineAccess = false
        let unasked = refusal { try Fixtures.response("\(answer)&state=\(listing.state)", to: listing) }
        #expect((unasked?.hint == others) == !isNamed)
        let expected = isNamed ? (namesOthers ? "\(others) \(own)" : own) : others
        #expect(try hint([.openID, .offlineAccess]) == expected)
    }

    @Test("a refusal of scopes says which of them the metadata do not list")
    func unlistedScopes() throws {
        let provider = try Fixtures.configuration(metadata: ["scopes_supported": ["openid", "email"]])
        let request = try Fixtures.request(provider, scopes: [.openID, .offlineAccess, "nonsense"])
        let error = refusal { try Fixtures.response("error=invalid_scope&state=\(request.state)", to: request) }
        #expect(error?.message.hasSuffix("Its metadata do not list offline_access nonsense.") == true)
        #expect(error?.hint?.contains("consent") == false)
        let denied = refusal { try Fixtures.response("error=access_denied&state=\(request.state)", to: request) }
        #expect(denied?.message.contains("metadata") == false)
    }

    @Test("state must be there and be the same, in errors too", arguments: ["code=x", "error=access_denied"])
    func state(_ answer: String) throws {
        let right = try Fixtures.request().state
        for wrong in ["", "&state=", "&state=\(right)x", "&state=\(right.dropLast())", "&state=\(right.lowercased())"] {
            #expect(try code(answer + wrong) == .stateMismatch)
        }
    }

    @Test(
        "a parameter that decides something and comes twice is refused (RFC 6749, section 3.1)",
        arguments: ["code", "state", "iss", "error", "id_token", "response"])
    func duplicates(_ name: String) throws {
        let request = try Fixtures.request()
        let query =
            "code=c&state=\(request.state)&iss=https://op.example&error=e&id_token=t&response=r&x=y&x=z&\(name)=c"
        let error = refusal { try Fixtures.response(query, to: request) }
        #expect(error?.code == .duplicateParameter && error?.received == name)
    }

    @Test("iss is compared when it is sent, and required on success when it is promised (RFC 9207)")
    func issuer() throws {
        var request = try Fixtures.request()
        let good = "code=c&state=\(request.state)"
        _ = try Fixtures.response("\(good)&iss=https%3A%2F%2Fop.example", to: request)
        _ = try Fixtures.response("\(good)&iss=https%253A%252F%252Fop.example", to: request)
        for wrong in [
            "https://op.example/", "https://evil.example", "HTTPS://op.example", "", "https%253A//op.example",
            "https%253A%252F%252Fevil.example",
        ] {
            let error = refusal { try Fixtures.response("\(good)&iss=\(wrong)", to: request) }
            #expect(error?.code == .issuerParameterMismatch && error?.kind == .refused)
        }
        request.client.provider.metadata = try Fixtures.metadata([
            "authorization_response_iss_parameter_supported": true
        ])
        let error = refusal { try Fixtures.response(good, to: request) }
        #expect(error?.code == .issuerParameterMismatch && error?.received == "no iss")
        _ = try Fixtures.response("\(good)&iss=https://op.example", to: request)
    }

    @Test func `an ID token that was asked for stands in for the promised iss (RFC 9207, section 4)`() throws {
        var request = try Fixtures.request()
        request.client.provider.metadata = try Fixtures.metadata([
            "authorization_response_iss_parameter_supported": true
        ])
        let answer = "code=c&state=\(request.state)&id_token=a.b.c"
        let error = refusal { try Fixtures.response(answer, to: request) }
        #expect(error?.code == .issuerParameterMismatch && error?.received == "no iss")
        request.responseType = .codeIDToken
        let callback = AuthorizationCallback(url: "https://app.example/callback#\(answer)")
        #expect(try AuthorizationResponse(callback: callback, for: request).idToken == "a.b.c")
    }

    @Test func `an error without the promised iss is reported as unconfirmed; one with it is not`() throws {
        var request = try Fixtures.request()
        let query = "error=access_denied&error_description=No+way&error_uri=https://op.example/e&state=\(request.state)"
        let plain = refusal { try Fixtures.response(query, to: request) }
        #expect(plain?.response?.errorDescription == "No way" && plain?.response?.errorURI == "https://op.example/e")
        #expect(plain?.code == .accessDenied && plain?.stage == .authorization)
        #expect(plain?.description.contains("nconfirmed") == false)
        request.client.provider.metadata = try Fixtures.metadata([
            "authorization_response_iss_parameter_supported": true
        ])
        let unconfirmed = refusal { try Fixtures.response(query, to: request) }
        #expect(unconfirmed?.code == .accessDenied && unconfirmed?.description.contains("nconfirmed") == true)
        let confirmed = refusal { try Fixtures.response("\(query)&iss=https://op.example", to: request) }
        #expect(confirmed?.code == .accessDenied && confirmed?.description.contains("nconfirmed") == false)
    }

    @Test("the hybrid flow answers in the fragment and brings an ID token")
    func fragment() throws {
        var request = try Fixtures.request()
        request.responseType = .codeIDToken
        func read(_ suffix: String) throws -> AuthorizationResponse {
            try AuthorizationResponse(
                callback: AuthorizationCallback(url: "https://app.example/callback\(suffix)"), for: request)
        }
        let answer = "code=c&state=\(request.state)&id_token=a.b.c"
        #expect(try read("?tenant=x#\(answer)").idToken == "a.b.c")
        #expect(refusal { try read("?\(answer)") }?.code == .malformedResponse)
        #expect(refusal { try read("#code=c&state=\(request.state)") }?.code == .malformedResponse)
        #expect(refusal { try read("#error=access_denied&state=\(request.state)") }?.code == .accessDenied)
    }

    @Test func `form_post takes the body and only the body`() throws {
        var request = try Fixtures.request()
        request.responseMode = .formPost
        let answer = "code=c&state=\(request.state)"
        let url = "https://app.example/callback"
        let posted = AuthorizationCallback(url: url, formBody: answer)
        #expect(try AuthorizationResponse(callback: posted, for: request).code == "c")
        let error = AuthorizationCallback(url: url, formBody: "error=login_required&state=\(request.state)")
        #expect(refusal { try AuthorizationResponse(callback: error, for: request) }?.code == .loginRequired)
        let inQuery = AuthorizationCallback(url: "\(url)?\(answer)")
        #expect(refusal { try AuthorizationResponse(callback: inQuery, for: request) }?.code == .malformedResponse)
        request.responseMode = nil
        #expect(refusal { try AuthorizationResponse(callback: posted, for: request) }?.code == .malformedResponse)
    }

    @Test func `an answer by another mode than was asked for is refused, and the error says which`() throws {
        let url = "https://app.example/callback"
        let answer = "code=c&state=\(try Fixtures.request().state)&id_token=a.b.c"
        let callbacks: [(AuthorizationRequest.ResponseMode, AuthorizationCallback)] = [
            (.query, AuthorizationCallback(url: "\(url)?\(answer)")),
            (.fragment, AuthorizationCallback(url: "\(url)#\(answer)")),
            (.formPost, AuthorizationCallback(url: url, formBody: answer)),
        ]
        for (asked, _) in callbacks {
            var request = try Fixtures.request()
            request.responseMode = asked
            for (sent, callback) in callbacks where sent != asked {
                let error = refusal { try AuthorizationResponse(callback: callback, for: request) }
                #expect(error?.code == .malformedResponse && error?.kind == .refused)
                #expect(error?.expected == asked.rawValue && error?.received == sent.rawValue)
            }
        }
    }

    @Test func `an error counts however it comes, when it shows the state`() throws {
        var request = try Fixtures.request()
        request.responseType = .codeIDToken
        let query = "error=unsupported_response_type&state="
        #expect(refusal { try Fixtures.response(query + request.state, to: request) }?.code == .unsupportedResponseType)
        #expect(refusal { try Fixtures.response("\(query)x", to: request) }?.code == .stateMismatch)
    }

    @Test func `the state of an answer tells which login it may belong to, whichever way it came`() throws {
        let url = "https://app.example/callback"
        let signed = try JSONWebToken.sign(claims: ["state": "a b"], with: .generate(.es256))
        let named: [AuthorizationCallback] = [
            .init(url: "\(url)?code=c&state=a+b"), .init(url: "\(url)?tenant=x#code=c&state=a%20b"),
            .init(url: url, formBody: "error=x&state=a+b"), .init(url: "\(url)?response=\(signed)"),
            .init(url: "\(url)#response=\(signed)"), .init(url: url, formBody: "response=\(signed)"),
        ]
        for callback in named { #expect(callback.state == "a b", "\(callback)") }
        let others = [
            url, "\(url)?code=c", "\(url)?state=a&state=b", "\(url)?state=a#state=a", "\(url)?response=a.b.c",
            "\(url)?state=a&response=\(signed)", "\(url)?state=%zz",
        ]
        for url in others { #expect(AuthorizationCallback(url: url).state == nil, "\(url)") }
    }

    @Test func `a signed answer (JARM) and tokens of the implicit flow are refused with an explanation`() throws {
        let signed = refusal { try Fixtures.response("response=a.b.c", to: Fixtures.request()) }
        #expect(signed?.code == .malformedResponse && signed?.message.contains("JARM") == true)
        let state = try Fixtures.request().state
        let implicit = refusal {
            try Fixtures.response("access_token=SECRET-t&token_type=bearer&state=\(state)", to: Fixtures.request())
        }
        #expect(implicit?.code == .malformedResponse && implicit?.received?.contains("access_token") == true)
        let extra = try Fixtures.response("code=c&access_token=SECRET-t&state=\(state)", to: Fixtures.request())
        #expect(extra.additionalParameters["access_token"] == nil, "a token that was not asked for is not kept")
    }

    @Test func `a fragment that a provider leaves behind does not disturb the code flow`() throws {
        let request = try Fixtures.request()
        #expect(try Fixtures.response("code=c&state=\(request.state)#_=_", to: request).code == "c")
    }

    @Test func `an ID token from the front channel is not taken when it was not asked for`() throws {
        let request = try Fixtures.request()
        #expect(try Fixtures.response("code=c&state=\(request.state)&id_token=a.b.c", to: request).idToken == nil)
    }
}

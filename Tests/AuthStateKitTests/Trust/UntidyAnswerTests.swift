import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateOAuth
@testable import AuthStateResource

/// Further instances of the kinds in `LeniencyTests`: another member, answer or type.
@Suite(.timeLimit(.minutes(5))) struct UntidyAnswerTests {
    private static let key: [String: JSONValue] = [
        "kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode([UInt8](repeating: 7, count: 32))), "kid": "k",
    ]

    private func candidates(_ members: [String: JSONValue]) throws -> Int {
        let set = try JSONWebKeySet(json: ["keys": [.object(Self.key.merging(members) { $1 })]])
        let header = try JOSEHeader(json: ["alg": "EdDSA", "kid": "k"])
        return set.candidates(for: header).count
    }

    @Test(
        "a key's optional member that says nothing is absent",
        arguments: ["use", "alg", "key_ops"], [JSONValue.null, "", [], [:], false])
    func keys(_ name: String, _ value: JSONValue) throws { #expect(try candidates([name: value]) == 1) }

    @Test func `a key for another purpose stays refused, and one of another name`() throws {
        let others: [[String: JSONValue]] = [
            ["use": "enc"], ["alg": "ES256"], ["key_ops": ["encrypt"]], ["key_ops": ["encrypt", .null]],
            ["kid": "other"],
            ["kid": ["k"]],
            // What cannot be read may say the same.
            ["use": ["enc"]], ["alg": ["ES256"]], ["key_ops": ["encrypt": true]], ["key_ops": [["encrypt"]]],
        ]
        for members in others { #expect(try candidates(members) == 0, "\(members)") }
        #expect(try candidates(["key_ops": ["verify", .null]]) == 1)
    }

    @Test(
        "a refused token names the member of its key that cannot be read, and the type",
        arguments: [
            (["use": 5], "use is a number"), (["alg": true], "alg is true or false"), (["x": ["y"]], "x is a list"),
            (["key_ops": ["sign": 1]], "key_ops is an object"), (["kty": 1], "kty is a number"),
            (["kid": ["k"]], "kid is a list"), (["kid": 7, "crv": .null], "crv is null"),
            (["x": ""], "x is an empty text"),
        ] as [([String: JSONValue], String)])
    func reasons(_ members: [String: JSONValue], _ reason: String) throws {
        let set = try JSONWebKeySet(json: ["keys": [.object(Self.key.merging(members) { $1 })]])
        let name = members["kid"] == 7 ? "7" : "k"
        let parts = [#"{"alg":"EdDSA","kid":"\#(name)"}"#, "{}", "signature"].map { Base64URL.encode(Array($0.utf8)) }
        let token = try JSONWebToken(parsing: parts.joined(separator: "."))
        let error = #expect(throws: JOSEError.self) { try token.verify(with: set, allowed: .asymmetric) }
        #expect(
            error?.code == .noMatchingKey && error?.message.contains("a key's \(reason)") == true, "\(error as Any)")
    }

    @Test func `an empty kid of a token is none`() throws {
        #expect(try JOSEHeader(json: ["alg": "EdDSA", "kid": ""]).keyID == nil)
        #expect(throws: JOSEError.self) { try JOSEHeader(json: ["alg": 5]) }
        #expect(throws: JOSEError.self) { try JOSEHeader(json: ["alg": "EdDSA", "crit": []]) }
    }

    private func token(_ claims: String) throws -> IDToken {
        let parts = [#"{"alg":"EdDSA"}"#, claims, "signature"]
        return try IDToken(parsing: parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "."))
    }

    @Test("times in texts, numbers for names, and lists with nothing in them are read as they are meant")
    func claims() throws {
        let token = try token(
            #"{"exp":"1800000300","iat":"1800000000.5","auth_time":"1799999970","sub":77,"sid":8,"acr":1,"amr":"pwd","#
                + #""aud":["c",null,"","c"],"nonce":false,"at_hash":[]}"#)
        #expect(token.expiresAt?.timeIntervalSince1970 == 1_800_000_300)
        #expect(token.issuedAt?.timeIntervalSince1970 == 1_800_000_000.5 && token.authenticatedAt != nil)
        #expect(token.subject == "77" && token.sessionID == "8" && token.authenticationContextClass == "1")
        #expect(token.authenticationMethods == ["pwd"] && token.audience == ["c"])
        #expect(token.nonce == nil && token.claim("at_hash") == nil)
        // Two users' numbers may be the same double; and a text is no time.
        let other = try self.token(
            #"{"sub":12345678901234567890,"exp":"soon","nbf":"1e999","aud":["c",5],"azp":["c"],"nonce":["n"]}"#)
        #expect(other.subject == nil && other.expiresAt == nil && other.notBefore == nil && other.audience.isEmpty)
        #expect(other.claim("azp") != nil && other.claim("nonce") != nil)
        #expect(try self.token(#"{"sub":1.5}"#).subject == nil)
    }

    @Test(
        "a number that may have been rounded is no user, whom another one would be mistaken for",
        arguments: ["1.2345678901235e+17", "9007199254740993.0", "1e3", "-9223372036854775809"])
    func roundedSubject(_ number: String) throws { #expect(try token(#"{"sub":\#(number)}"#).subject == nil) }

    @Test("a refusal that is broken JSON, a form with tokens or a success is not shown")
    func unshownBodies() {
        for body in [#"{"client_secret":"NEW","error":"x",}"#, "access_token=NEW&expires_in=5", "the secret is NEW"] {
            #expect(refusal(body).foreignReason == nil, "\(body)")
        }
        #expect(refusal("plain words", status: 206).foreignReason == nil)
    }

    @Test("an ID token that nothing depends on may be refused, and no other")
    func dependence() throws {
        let endpoint = try #require(URL(string: "https://op.example/token"))
        func asksNoIdentity(_ scopes: [Scope], _ change: (inout IDTokenPolicy) -> Void = { _ in }) throws -> Bool {
            var provider = ProviderConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint)
            change(&provider.idTokenPolicy)
            return AuthorizationRequest(
                Client(provider, id: "c"), scopes: scopes, redirectURI: try RedirectURI("app:/cb")
            ).asksNoIdentity
        }
        #expect(try asksNoIdentity(["read"]) && !asksNoIdentity([.openID]))
        #expect(try !asksNoIdentity(["read"]) { $0.contextClasses = ["mfa"] })
        #expect(try !asksNoIdentity(["read"]) { $0.requiresAccessTokenHash = true })
        #expect(try !asksNoIdentity(["read"]) { $0.trustedAudiences = [] })
    }

    @Test func `userinfo may number the user, and has to name the same one`() throws {
        func userInfo(_ body: String) throws -> UserInfo {
            let answer = try UserInfoAnswer(TransportResponse(status: 200, body: Data(body.utf8)))
            guard case .plain(let claims) = answer else { throw CancellationError() }
            return try UserInfo(claims, subject: "77", isSigned: false)
        }
        #expect(try userInfo(#"{"sub":77,"name":null}"#).claims == ["sub": "77"])
        for body in [#"{"sub":78}"#, #"{"sub":77.5}"#, #"{"sub":["77"]}"#, "{}"] {
            #expect(throws: AuthStateError.self, "\(body)") { try userInfo(body) }
        }
    }

    @Test("a refusal of userinfo with status 200 is one", arguments: ["invalid_scope", "invalid_token"])
    func userInfoRefusal(_ code: String) async throws {
        let state = await AuthState.signedIn(
            refreshToken: nil, transport: ScriptedTransport([.json(#"{"error":"\#(code)","error_description":"no"}"#)]))
        let error = await #expect(throws: AuthStateError.self) { _ = try await state.userInfo() }
        #expect(error?.message.contains("no") == true || error?.code == .tokenRejected)
        #expect(error?.code != .subjectMismatch)
    }

    private func refusal(_ body: String, _ headers: TransportHeaders = [:], status: Int = 400) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    @Test(
        "the words of a refusal are shown, in whatever form they came",
        arguments: [
            #"{"error":"invalid_grant","error_description":["gone","words"]}"#,
            #"{"error":"x","message":"gone words"}"#,
            #"{"error":"x","error_description":"","detail":{"message":"gone words"}}"#, "gone \n words",
            #""gone words""#,
            #"{"success":false,"error_msg":"gone words"}"#, #"{"errorCode":"E1","errorSummary":"gone words"}"#,
            #"{"errors":[{"errorMessage":"gone words"}]}"#, #"{"name":"ZodError","issues":[{"message":"gone words"}]}"#,
        ])
    func words(_ body: String) throws {
        let response = refusal(body)
        let shown = OAuthErrorResponse(response.json)?.errorDescription ?? response.foreignReason ?? ""
        #expect(shown.contains("gone") && shown.contains("words"))
    }

    @Test("a member that a framework refuses with another status is refused with its words", arguments: [409, 422])
    func frameworkStatus(_ status: Int) {
        let answer = refusal(#"{"detail":[{"msg":"unexpected value"}]}"#, status: status)
        let error = AuthStateError.endpoint("endpoint", answer, stage: .registration)
        #expect(error.code == .refusedWithoutReason && error.received?.contains("unexpected value") == true)
        // Of a renewal, it is no reason to log in again.
        let renewal = AuthStateError.endpoint("endpoint", answer, stage: .refresh)
        #expect(renewal.code == (status == 409 ? .temporarilyUnavailable : .malformedResponse))
    }

    @Test func `a challenge gives the reason where the body has none, and neither a page nor a file does`() {
        let challenge: TransportHeaders = [
            "WWW-Authenticate": #"Basic realm="r", error="invalid_client", error_description="wrong""#
        ]
        #expect(refusal("", challenge, status: 401).foreignReason == "invalid_client, wrong")
        let page = refusal("<html>words</html>")
        #expect(page.foreignReason == nil && refusal("").foreignReason == nil && refusal("{}").foreignReason == nil)
        let file = TransportResponse(status: 400, body: Data([0x1F, 0x8B, 0xFF, 0xFE, 0, 0, 0, 0xC0]))
        #expect(file.foreignReason == nil)
    }

    private func answer(
        _ body: String, _ headers: TransportHeaders = [:], status: Int = 200,
        grant: TokenRequest.Grant = .clientCredentials
    ) throws -> TokenAnswer {
        let provider = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        return TokenAnswer(
            refusal(body, headers, status: status), to: TokenRequest(Client(provider, id: "c"), grant),
            sentAt: Date(timeIntervalSince1970: 0))
    }

    private func failure(_ answer: TokenAnswer) -> AuthStateError? {
        switch answer {
        case .tokens: nil
        case .error(let error), .refused(let error, _): error
        }
    }

    @Test func `the fault of an answer that is not JSON is told, and the tolerance for a form`() throws {
        let twice = failure(try answer(#"{"access_token":"a","token_type":"Bearer","scope":"a","scope":"a"}"#))
        #expect(twice?.received?.contains("occurs twice at byte") == true)
        let form = failure(
            try answer(
                "access_token=a&token_type=bearer", ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
            ))
        #expect(form?.hint?.contains("Tolerate formEncodedTokens") == true)
    }

    @Test func `a page in place of tokens is no answer of the provider`() throws {
        let login = failure(try answer("<html>Log in to the network</html>"))
        #expect(login?.code == .malformedResponse && login?.message.contains("page for people") == true)
        let renewal = try answer(" \n<html>", grant: .refreshToken("r"))
        #expect(failure(renewal)?.kind == .transient)
        guard case .error = renewal else { throw CancellationError() }
        // The user may confirm when the page is gone.
        for grant in [TokenRequest.Grant.deviceCode("d"), .backchannelAuthentication("b")] {
            for status in [200, 204, 400, 403, 408, 429, 502] {
                #expect(failure(try answer(" \n<html>", status: status, grant: grant))?.kind == .transient)
            }
            for status in [302, 401, 404, 405, 410] {
                #expect(failure(try answer(" \n<html>", status: status, grant: grant))?.kind != .transient)
            }
        }
    }

    @Test func `a token type alone in a list, and an error of 0, are read as they are meant`() throws {
        let tokens = [
            #"{"access_token":"a","token_type":["Bearer"],"error":0}"#,
            #"{"access_token":"a","token_type":"bearer","error":false,"scope":["a",null]}"#,
        ]
        for body in tokens { #expect(failure(try answer(body)) == nil, "\(body)") }
        for body in [
            #"{"access_token":"a","token_type":["mac"]}"#, #"{"access_token":"a","token_type":"Bearer","error":1}"#,
        ] {
            #expect(failure(try answer(body)) != nil, "\(body)")
        }
    }

    @Test func `scopes in one text are several`() throws {
        let metadata = try ProviderMetadata(document: ["scopes_supported": "openid a"])
        #expect(metadata.scopesSupported == ["openid", "a"])
        let resource = try ProtectedResourceMetadata(
            document: ["resource": "https://api.example", "scopes_supported": "a  b"])
        #expect(resource.scopesSupported == ["a", "b"])
    }

    @Test(
        "another document at the first place leads to the next one",
        arguments: [#"{"error":"not found"}"#, "[]", "", "not found", #"{"issuer":"a","issuer":"a"}"#])
    func otherDocument(_ body: String) async throws {
        let service = AuthorizationService(
            transport: ScriptedTransport([
                .response(TransportResponse(status: 200, body: Data(body.utf8))),
                .json(String(decoding: ScriptedPages.document().serialized(), as: UTF8.self)),
            ]))
        let found = try await service.discoverConfiguration(issuer: "https://op.example")
        #expect(found.tokenEndpoint.absoluteString == "https://op.example/token")
    }

    @Test(
        "a resource's metadata are looked for at the root after a page, or another document",
        arguments: ["<html>", "{}"])
    func resourcePlaces(_ body: String) async throws {
        let service = AuthorizationService(
            transport: ScriptedTransport([
                .response(TransportResponse(status: 200, body: Data(body.utf8))),
                .json(#"{"resource":"https://api.example","authorization_servers":["https://op.example"]}"#),
            ]))
        let found = try await service.describe(ResourceIdentifier("https://api.example/v1"))
        #expect(found.identifier == "https://api.example")
    }

    @Test func `a challenge that names a place without metadata leads to the resource's own places`() async throws {
        let transport = ScriptedTransport([
            .response(TransportResponse(status: 404)), .response(TransportResponse(status: 401)),
            .json(#"{"resource":"https://api.example","authorization_servers":["https://op.example"]}"#),
        ])
        let line = #"Bearer resource_metadata="https://api.example/metadata""#
        let challenge = try #require(AuthenticationChallenge.parse([line])?.first)
        let found = try await AuthorizationService(transport: transport)
            .describe(ResourceIdentifier("https://api.example/v1"), challenge: challenge)
        #expect(found.identifier == "https://api.example")
    }

    @Test func `a link to the provider's metadata names its issuer`() throws {
        let href = "https://op.example/a/.well-known/openid-configuration"
        let found = try WebFingerAnswer(parsing: Data(ScriptedPages.descriptor(href).serialized()))
        #expect(found.issuer.rawValue == "https://op.example/a")
        let error = #expect(throws: AuthStateError.self) {
            try WebFingerAnswer(parsing: Data(#"{"subject":null,"links":null}"#.utf8))
        }
        #expect(error?.code == .discoveryFailed)
    }

    private func callback(_ answer: String) throws -> AuthStateError? {
        let provider = try ProviderConfiguration(
            metadata: ProviderMetadata(document: ScriptedPages.document().objectValue ?? [:]),
            issuer: Issuer("https://op.example"))
        var request = AuthorizationRequest(
            Client(provider, id: "c"), redirectURI: try RedirectURI("https://app.example/back"))
        request.state = "state"
        let callback = AuthorizationCallback(url: "https://app.example/back?\(answer)")
        do { _ = try AuthorizationResponse(callback: callback, for: request) } catch { return error as? AuthStateError }
        return nil
    }

    @Test(
        "a text for people in another encoding does not hide the refusal", arguments: ["%FCber", "100%", "%zz", "a%C3"])
    func encoding(_ text: String) throws {
        let error = try callback("error=access_denied&error_description=\(text)&state=state")
        #expect(error?.code == .accessDenied)
        for name in ["state", "code", "iss", "error"] {
            #expect(try callback("code=c&state=state&\(name)=\(text)")?.code == .malformedResponse)
        }
    }

    @Test func `a refusal with an empty state is one without`() {
        let callback = AuthorizationCallback(url: "http://127.0.0.1/back?error=access_denied&state=")
        #expect(callback.unconfirmedRefusal?.code == .accessDenied)
        let other = AuthorizationCallback(url: "http://127.0.0.1/back?error=access_denied&state=x")
        #expect(other.unconfirmedRefusal == nil)
    }

    @Test(
        "parameters of a challenge need no comma",
        arguments: [
            #"Bearer error="insufficient_scope" scope="b""#, #"Bearer realm=a  error=insufficient_scope, scope="b""#,
            #"Basic realm="x", Bearer error="insufficient_scope" scope="b", DPoP algs="ES256""#,
        ])
    func challenge(_ line: String) throws {
        let challenges = try #require(AuthenticationChallenge.parse([line]))
        let bearer = try #require(challenges.first { $0.hasScheme("Bearer") })
        #expect(bearer.error == "insufficient_scope" && bearer.scope == "b")
    }

    @Test(
        "what is no challenge stays none",
        arguments: [
            #"Bearer scope="a" scope="b""#, #"Bearer scope="a" b"#, #"Bearer scope="a" "b""#, #"Bearer a b="c""#,
        ])
    func noChallenge(_ line: String) { #expect(AuthenticationChallenge.parse([line]) == nil) }

    @Test func `a provider may number clients and user codes`() throws {
        let provider = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let registered = try RegistrationRequest(provider, ClientMetadata()).answer(
            TransportResponse(status: 201, body: Data(#"{"client_id":4711,"client_id_issued_at":"7"}"#.utf8)))
        #expect(registered.clientID == "4711" && registered.clientIDIssuedAt?.timeIntervalSince1970 == 7)
        let body =
            #"{"device_code":"d","user_code":123456,"verification_uri":"https://op.example/d","expires_in":"60"}"#
        let device = try DeviceAuthorizationResponse(
            TransportResponse(status: 200, body: Data(body.utf8)),
            to: DeviceAuthorizationRequest(Client(provider, id: "c")), sentAt: Date(timeIntervalSince1970: 0))
        #expect(device.userCode == "123456")
    }

    @Test("a page in place of a registration does not ask for a token", arguments: [401, 403])
    func registrationPage(_ status: Int) {
        let page = RegistrationResponse.failure(refusal("<html>", status: status), of: "registration")
        #expect(page.message.contains("page for people"))
        let closed = RegistrationResponse.failure(refusal("registration is closed", status: status), of: "registration")
        #expect(closed.code == .initialAccessTokenRejected && closed.received == "registration is closed")
    }

    @Test func `another audience at a renewal is tolerated by name, if this client is in it`() throws {
        var expectation = try IDTokenFixtures.expectation()
        func check(_ name: String) -> AuthStateError? {
            do { try IDTokenFixtures.token(name).validateClaims(expectation: expectation, stage: .refresh) } catch {
                return error as? AuthStateError
            }
            return nil
        }
        expectation.previous = try IDTokenFixtures.token("good")
        for name in ["party", "moreAudiences"] {
            #expect(check(name)?.hint?.contains("Tolerate changedAudience") == true)
        }
        expectation.toleratesChangedAudience = true
        for name in ["party", "moreAudiences"] { #expect(check(name) == nil) }
        for name in ["otherAudience", "otherParty", "noParty"] { #expect(check(name) != nil) }
    }

    @Test(
        "a secret with something around it is told, in the header and in the form",
        arguments: ["s3cret ", " s3cret", "s3cret\n", "\ts3cret", "\"s3cret\"", "'s3cret'", "\u{FEFF}s3cret"])
    func wrapped(_ secret: String) throws {
        for method in [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost] {
            #expect(try advice(secret, method)?.contains("begins or ends") == true, "\(method)")
            #expect(try advice("s3 cr'et", method)?.contains("begins or ends") == false)
        }
    }

    private func advice(_ secret: String, _ method: ClientAuthenticationMethod) throws -> String? {
        let provider = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let request = try TokenRequest(Client(provider, id: "c"), .clientCredentials)
            .transportRequest(authentication: .secret(secret, clientID: "c", method: method))
        let error = AuthStateError(
            .unauthorizedClient, stage: .token, "refused", response: OAuthErrorResponse(error: "unauthorized_client"),
            httpStatus: 401)
        return request.advising(error).hint
    }
}

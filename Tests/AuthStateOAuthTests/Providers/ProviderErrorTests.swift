import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateProviders
import Testing

struct ProviderErrorTests {
    private func answer(
        _ body: String, status: Int = 200, type: String = "application/json", _ tolerances: Set<Tolerance>
    ) throws -> TokenAnswer {
        var configuration = try Fixtures.configuration()
        configuration.tolerances = tolerances
        let request = TokenRequest(Client(configuration, id: "c"), .refreshToken("r"))
        return TokenAnswer(
            TransportResponse(status: status, headers: ["Content-Type": type], body: Data(body.utf8)), to: request,
            sentAt: Fixtures.now)
    }

    private func failure(_ answer: TokenAnswer) -> AuthStateError? {
        switch answer {
        case .error(let error), .refused(let error, _): error
        case .tokens: nil
        }
    }

    private func tokens(_ answer: TokenAnswer) -> TokenResponse? {
        if case .tokens(let tokens) = answer { tokens } else { nil }
    }

    static let gitHub: [(body: String, code: AuthStateError.Code)] = [
        ("bad_verification_code", .invalidGrant), ("incorrect_client_credentials", .invalidClient),
        ("redirect_uri_mismatch", .invalidRequest), ("bad_refresh_token", .invalidGrant),
        ("unsupported_grant_type", .unsupportedGrantType), ("unverified_user_email", .providerError),
    ]

    @Test("GitHub: a 200 with a code of its own is that error, and the code is still to be read", arguments: gitHub)
    func gitHubCodes(_ code: String, _ expected: AuthStateError.Code) throws {
        let body = #"{"error":"\#(code)","error_description":"What happened.","error_uri":"https://docs.github.com/x"}"#
        let error = try #require(try failure(answer(body, KnownProvider.gitHub.tolerances)))
        #expect(error.code == expected)
        #expect("\(error)".contains(code) && error.response?.errorURI == "https://docs.github.com/x")
        let form = "error=\(code)&error_description=What+happened."
        let encoded = try answer(form, type: "application/x-www-form-urlencoded", KnownProvider.gitHub.tolerances)
        #expect(failure(encoded)?.code == expected)
    }

    @Test func `GitHub: without the tolerance its codes are any provider's, and forms are no answer`() throws {
        #expect(try failure(answer(#"{"error":"bad_verification_code"}"#, []))?.code == .providerError)
        let form = "access_token=a&token_type=bearer&scope=gist"
        let type = "application/x-www-form-urlencoded"
        #expect(try failure(answer(form, type: type, []))?.code == .malformedResponse)
        #expect(try tokens(answer(form, type: type, [.formEncodedTokens]))?.accessToken == "a")
    }

    @Test("GitHub: form-encoded tokens have no end, and their scopes are remembered with spaces")
    func gitHubForm() throws {
        let body = "access_token=gho_16C7e42F292c6912E7710c838347Ae178B4a&scope=repo%2Cgist&token_type=bearer"
        let response = try #require(
            try tokens(
                answer(body, type: "application/x-www-form-urlencoded; charset=utf-8", KnownProvider.gitHub.tolerances))
        )
        #expect(response.accessToken == "gho_16C7e42F292c6912E7710c838347Ae178B4a")
        #expect(response.scope == "repo gist")
        #expect(response.accessTokenExpirationDate == nil && response.refreshToken == nil)
    }

    @Test(
        "a form is read only when it says that it is one, and names nothing twice",
        arguments: [
            ("access_token=a&token_type=bearer", "text/html"), ("access_token=a&token_type=bearer", "application/json"),
            ("access_token=a&access_token=b&token_type=bearer", "application/x-www-form-urlencoded"),
            ("access_token=%zz&token_type=bearer", "application/x-www-form-urlencoded"),
            ("access_token=a%20b&token_type=bearer", "application/x-www-form-urlencoded"),
            ("token_type=bearer", "application/x-www-form-urlencoded"),
        ])
    func badForms(_ body: String, _ type: String) throws {
        #expect(try failure(answer(body, type: type, [.formEncodedTokens]))?.code == .malformedResponse)
    }

    static let facebook: [(code: Int, subcode: Int?, expected: AuthStateError.Code)] = [
        (101, nil, .invalidClient), (100, 36009, .invalidGrant), (100, nil, .invalidRequest), (190, 460, .invalidGrant),
        (4, nil, .temporarilyUnavailable), (2, nil, .serverError), (10, nil, .accessDenied), (1, nil, .providerError),
    ]

    @Test("Facebook: error objects are typed by their number", arguments: facebook)
    func facebookObjects(_ code: Int, _ subcode: Int?, _ expected: AuthStateError.Code) throws {
        let more = subcode.map { #","error_subcode":\#($0)"# } ?? ""
        let body = """
            {"error":{"message":"Error validating something.","type":"OAuthException","code":\(code)\(more),
            "fbtrace_id":"EJplcsCHuLu"}}
            """
        let error = try #require(try failure(answer(body, status: 400, KnownProvider.facebook.tolerances)))
        #expect(error.code == expected)
        #expect("\(error)".contains("OAuthException \(code)") && "\(error)".contains("Error validating something"))
        #expect(try failure(answer(body, status: 400, []))?.code == .refusedWithoutReason)
        // With status 200 it is no success either, tolerated or not.
        #expect(try failure(answer(body, KnownProvider.facebook.tolerances))?.code == expected)
        #expect(try failure(answer(body, []))?.code == .malformedResponse)
    }

    @Test(
        "Facebook: an object that says nothing is an error all the same",
        arguments: ["{}", #"{"code":"190"}"#, #"{"code":1e300}"#, #"{"message":5,"type":[]}"#])
    func emptyObjects(_ object: String) throws {
        let error = try #require(
            try failure(answer(#"{"error":\#(object),"access_token":"a","token_type":"bearer"}"#, [.errorObjects])))
        #expect(error.code == .providerError)
    }

    @Test(
        "Strava: lists of errors are typed by their resource",
        arguments: [
            ("RefreshToken", AuthStateError.Code.invalidGrant), ("AuthorizationCode", .invalidGrant),
            ("Application", .invalidClient), ("Athlete", .invalidRequest),
        ])
    func stravaLists(_ resource: String, _ expected: AuthStateError.Code) throws {
        let body =
            #"{"message":"Bad Request","errors":[{"resource":"\#(resource)","field":"code","code":"invalid"}]}"#
        let error = try #require(try failure(answer(body, status: 400, KnownProvider.strava.tolerances)))
        #expect(error.code == expected && "\(error)".contains("Bad Request, \(resource) code invalid"))
        #expect(try failure(answer(body, status: 400, []))?.code == .refusedWithoutReason)
    }

    @Test("Strava: expires_in counts, expires_at and the athlete are kept")
    func stravaTokens() throws {
        let body = """
            {"token_type":"Bearer","expires_at":1568775134,"expires_in":20566,"refresh_token":"e5n567567",
            "access_token":"a4b945687g","athlete":{"id":227615,"username":"marianne_t"}}
            """
        let response = try #require(try tokens(answer(body, KnownProvider.strava.tolerances)))
        #expect(response.accessTokenExpirationDate == Fixtures.now.addingTimeInterval(20566))
        #expect(response.additionalMembers["expires_at"]?.doubleValue == 1_568_775_134)
        #expect(response.additionalMembers["athlete"]?["username"] == "marianne_t")
    }

    @Test func `commas in granted scopes stay commas without the tolerance`() throws {
        let body = #"{"access_token":"a","token_type":"bearer","scope":"repo,gist"}"#
        #expect(try tokens(answer(body, []))?.scope == "repo,gist")
        #expect(try tokens(answer(body, [.commaSeparatedGrants]))?.scope == "repo gist")
    }

    @Test func `Strava's callback says what was granted, with commas`() throws {
        let configuration = try #require(try KnownProvider.strava.configurationByHand())
        let request = try Fixtures.request(configuration, scopes: ["read"])
        let response = try Fixtures.response("state=\(request.state)&code=c&scope=read,activity:read_all", to: request)
        #expect(response.scope == "read activity:read_all")
    }

    static let own: [(provider: KnownProvider, error: String, code: AuthStateError.Code)] = [
        (.apple, "user_cancelled_authorize", .accessDenied), (.microsoft(), "invalid_resource", .invalidTarget),
        (.google, "deleted_client", .invalidClient),
    ]

    @Test("codes of a provider's own that need no tolerance are those that mean the same", arguments: own)
    func ownCodes(_ provider: KnownProvider, _ name: String, _ expected: AuthStateError.Code) throws {
        let error = try #require(try failure(answer(#"{"error":"\#(name)"}"#, status: 400, provider.tolerances)))
        #expect(error.code == expected && error.response?.error == name && error.hint != nil)
        let request = try Fixtures.request()
        let refused = refusal { try Fixtures.response("state=\(request.state)&error=\(name)", to: request) }
        #expect(refused?.code == expected && refused?.response?.error == name)
    }

    @Test("GitHub apps: tokens end and are renewed, with an empty scope")
    func gitHubApps() throws {
        let body = """
            {"access_token":"ghu_16C7e42F292c6912E7710c838347Ae178B4a","expires_in":28800,
            "refresh_token":"ghr_1B4a2e77838347a7E420ce178F2E7c6912E1692","refresh_token_expires_in":15811200,
            "scope":"","token_type":"bearer"}
            """
        let response = try #require(try tokens(answer(body, KnownProvider.gitHub.tolerances)))
        #expect(response.accessTokenExpirationDate == Fixtures.now.addingTimeInterval(28800))
        #expect(response.refreshToken?.hasPrefix("ghr_") == true && response.scope == "")
        #expect(response.additionalMembers["refresh_token_expires_in"] == 15_811_200)
    }

    @Test("Google: a token that is expired or revoked already counts as revoked; other refusals do not")
    func revocation() throws {
        var configuration = try Fixtures.configuration()
        configuration.revocationEndpoint = URL(string: "https://oauth2.googleapis.com/revoke")
        let request = RevocationRequest(Client(configuration, id: "c"), token: "t")
        func validate(_ status: Int, _ error: String) throws {
            let body = #"{"error":"\#(error)","error_description":"Token expired or revoked"}"#
            try request.validate(TransportResponse(status: status, body: Data(body.utf8)))
        }
        try validate(400, "invalid_token")
        #expect(refusal { try validate(401, "invalid_token") }?.code == .tokenRejected)
        #expect(refusal { try validate(400, "invalid_client") }?.code == .invalidClient)
        #expect(refusal { try validate(503, "invalid_token") }?.kind == .transient)
        // A success that refuses, as some servers send it, and one that did not come from the server.
        try validate(200, "invalid_token")
        #expect(refusal { try validate(200, "invalid_client") }?.code == .invalidClient)
        for (body, isDone) in [("", true), ("{}", true), ("OK", true), ("<html></html>", false)] {
            let answer = TransportResponse(status: 200, body: Data(body.utf8))
            #expect(((try? request.validate(answer)) != nil) == isDone, "\(body)")
        }
    }

    @Test func `GitHub's refusals at the authorization endpoint have its own codes too`() throws {
        let configuration = try #require(try KnownProvider.gitHub.configurationByHand())
        let request = try Fixtures.request(configuration, scopes: ["gist"])
        let error = refusal {
            try Fixtures.response("state=\(request.state)&error=redirect_uri_mismatch", to: request)
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("redirect_uri_mismatch") == true)
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateProviders
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KnownProviderLoginTests {
    @Test("Google: offline access is asked for with a consent, and a refresh token comes")
    func google() async throws {
        let google = try Emulation(
            .google, metadata: ["token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]]
        ) { _, issuing in
            Emulation.json([
                "access_token": "a", "token_type": "Bearer", "expires_in": 3599, "refresh_token": "r",
                "id_token": .string(try issuing.idToken(issuer: "https://accounts.google.com")),
            ])
        }
        let login = try await google.logIn(credential: .secret("s"))
        #expect(login.query["access_type"] == "offline" && login.query["prompt"] == "consent")
        #expect(login.tokens.refreshToken == "r" && login.tokens.idTokenTrust == .signature)
    }

    @Test("Apple: the answer is posted, names the user once, and the secret is signed by the team's key")
    func apple() async throws {
        let apple = try Emulation(
            .apple, metadata: ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
        ) { _, issuing in
            Emulation.json([
                "access_token": "a", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r",
                "id_token": .string(try issuing.idToken(issuer: "https://appleid.apple.com")),
            ])
        }
        let login = try await apple.logIn(
            credential: .appleSecret(teamID: "TEAM123456", keyID: "KEY1234567", key: .value(ClientKeys.pkcs8)),
            extra: ["user": #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"other@example.com"}"#])
        #expect(login.query["response_mode"] == "form_post" && login.query["scope"] == "openid name email")
        #expect(login.response.appleUser?.firstName == "Ada")
        // The ID token alone says who the user is.
        #expect(try IDToken(parsing: #require(login.tokens.idToken)).subject == "ada")

        let form = try apple.lastTokenRequest().form
        #expect(form["client_id"] == "client" && form["client_assertion"] == nil)
        let secret = try JSONWebToken(parsing: #require(form["client_secret"]))
        #expect(secret.header.algorithm == .es256 && secret.header.keyID == "KEY1234567")
        #expect(secret.claims["iss"] == "TEAM123456" && secret.claims["sub"] == "client")
        #expect(secret.claims["aud"] == "https://appleid.apple.com")
        let lifetime = try #require(secret.claims["exp"]?.doubleValue) - #require(secret.claims["iat"]?.doubleValue)
        #expect(lifetime == 300)
        try secret.verify(with: VerificationKey(SigningKey(pem: ClientKeys.pkcs8).publicKey), allowed: [.es256])
    }

    static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"

    private func microsoft(
        _ provider: KnownProvider, issuer: JSONValue, tokenIssuer: String, tid: String = tenant,
        keyIssuer: JSONValue? = nil
    ) throws -> Emulation {
        try Emulation(provider, metadata: ["issuer": issuer], keyIssuer: keyIssuer) { _, issuing in
            Emulation.json([
                "access_token": "a", "token_type": "Bearer", "expires_in": 3599, "refresh_token": "r",
                "id_token": .string(try issuing.idToken(issuer: tokenIssuer, ["tid": .string(tid)])),
            ])
        }
    }

    @Test(
        "Microsoft: each tenant's ID tokens fill the template of the metadata",
        arguments: [KnownProvider.Tenant.common, .organizations])
    func microsoftTenants(_ tenant: KnownProvider.Tenant) async throws {
        let microsoft = try microsoft(
            .microsoft(tenant: tenant), issuer: .string(Self.template),
            tokenIssuer: "https://login.microsoftonline.com/\(Self.tenant)/v2.0")
        #expect(try await microsoft.logIn().tokens.idTokenTrust == .signature)
    }

    @Test("Microsoft: a token that names another tenant's issuer than its own is refused")
    func microsoftOtherTenant() async throws {
        let other = "00000000-1111-2222-3333-444444444444"
        let microsoft = try microsoft(
            .microsoft(), issuer: .string(Self.template),
            tokenIssuer: "https://login.microsoftonline.com/\(other)/v2.0")
        let error = await authError { try await microsoft.logIn() }
        #expect(error?.code == .invalidIDToken && error?.message.contains("iss") == true)
    }

    static let personal = KnownProvider.Tenant.consumers.rawValue

    @Test(
        "Microsoft: a key that names an issuer signs the tokens of that one alone",
        arguments: [
            (personal, JSONValue.string("https://login.microsoftonline.com/\(personal)/v2.0"), true),
            (tenant, .string(template), true), (personal, .string(template), true),
            (tenant, .string("https://login.microsoftonline.com/\(personal)/v2.0"), false),
            (tenant, "https://login.partner.microsoftonline.cn/{tenantid}/v2.0", false), (tenant, 5, false),
        ] as [(String, JSONValue, Bool)])
    func microsoftKeys(_ tid: String, _ keyIssuer: JSONValue, _ isBelieved: Bool) async throws {
        let issuer = "https://login.microsoftonline.com/\(tid)/v2.0"
        let microsoft = try microsoft(
            .microsoft(), issuer: .string(Self.template), tokenIssuer: issuer, tid: tid, keyIssuer: keyIssuer)
        let error = await authError { try await microsoft.logIn() }
        #expect((error == nil) == isBelieved)
        guard let error else { return }
        #expect(error.code == .invalidSignature && error.message.contains("the key is another issuer's"))
        #expect(error.received == issuer)
        // It is no key that could turn up later: the keys are not fetched again.
        #expect(microsoft.transport.requests.count(where: { $0.url.absoluteString.hasSuffix("/keys") }) == 1)
    }

    @Test func `an issuer in a key means nothing where the issuer is no template`() async throws {
        let google = try Emulation(.google, metadata: [:], keyIssuer: "https://nobody.example") { _, issuing in
            Emulation.json([
                "access_token": "a", "token_type": "Bearer",
                "id_token": .string(try issuing.idToken(issuer: "https://accounts.google.com")),
            ])
        }
        #expect(try await google.logIn().tokens.idTokenTrust == .signature)
    }

    @Test func `Microsoft: one tenant is an issuer like any other, and the template is no answer`() async throws {
        let issuer = "https://login.microsoftonline.com/\(Self.tenant)/v2.0"
        let provider = KnownProvider.microsoft(tenant: .init(rawValue: Self.tenant))
        let good = try microsoft(provider, issuer: .string(issuer), tokenIssuer: issuer)
        #expect(try await good.logIn().tokens.idTokenTrust == .signature)
        let bad = try microsoft(provider, issuer: .string(Self.template), tokenIssuer: issuer)
        #expect(await authError { try await bad.logIn() }?.code == .issuerMismatch)
    }

    @Test("GitHub: JSON is asked for, a form is read, and the secret goes into the body")
    func gitHub() async throws {
        let gitHub = try Emulation(.gitHub) { request, _ in
            #expect(request.headers["Accept"] == "application/json")
            return TransportResponse(
                status: 200, headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                body: Data("access_token=gho_x&scope=read%3Auser%2Cgist&token_type=bearer".utf8))
        }
        let login = try await gitHub.logIn(scopes: ["read:user", "gist"], credential: .secret("s"))
        #expect(login.tokens.accessToken == "gho_x" && login.tokens.scope == "read:user gist")
        #expect(login.query["code_challenge_method"] == "S256")
        #expect(try gitHub.lastTokenRequest().form["client_secret"] == "s")
    }

    @Test("GitHub: a 200 with an error of its own ends the login as what it is")
    func gitHubError() async throws {
        let gitHub = try Emulation(.gitHub) { _, _ in
            Emulation.json([
                "error": "bad_verification_code", "error_description": "The code passed is incorrect or expired.",
            ])
        }
        #expect(await authError { try await gitHub.logIn() }?.code == .invalidGrant)
    }

    @Test("Facebook: plain OAuth has no ID token; with openid there is one, and it is verified")
    func facebook() async throws {
        let plain = try Emulation(.facebook) { _, _ in
            Emulation.json(["access_token": "EAA", "token_type": "bearer", "expires_in": 5_183_944])
        }
        let login = try await plain.logIn(credential: .secret("s"))
        #expect(login.tokens.idToken == nil && login.tokens.refreshToken == nil)
        #expect(try plain.lastTokenRequest().form["client_secret"] == "s")

        let openID = try Emulation(.facebook) { _, issuing in
            Emulation.json([
                "access_token": "EAA", "token_type": "bearer",
                "id_token": .string(try issuing.idToken(issuer: "https://www.facebook.com")),
            ])
        }
        #expect(try await openID.logIn(scopes: [.openID]).tokens.idTokenTrust == .signature)
        #expect(await authError { try await plain.logIn(scopes: [.openID]) }?.code == .invalidIDToken)
        // Facebook leaves this at the end of its redirects.
        #expect(try await plain.logIn(fragment: "#_=_").tokens.accessToken == "EAA")
    }

    @Test("Facebook: userinfo reports an expired or revoked token with 400, and the state is told")
    func facebookUserInfo() async throws {
        let facebook = try Emulation(.facebook) { _, _ in
            Emulation.json(["access_token": "EAA", "token_type": "bearer", "expires_in": 5_183_944])
        }
        let state = try await facebook.authState(credential: .secret("s"))
        func refuse(_ code: Int64) async -> AuthStateError? {
            let object: JSONValue = [
                "message": "Session has expired.", "type": "OAuthException", "code": .number(JSONNumber(code)),
            ]
            facebook.answerUserInfo(
                TransportResponse(
                    status: 400, headers: ["Content-Type": "application/json"],
                    body: Data(JSONValue.object(["error": object]).serialized())))
            return await authError { try await state.userInfo() }
        }
        let limited = await refuse(4)
        #expect(limited?.code == .temporarilyUnavailable && limited?.message.contains("Session has expired") == true)
        #expect(state.isAuthorized)
        #expect(await refuse(190)?.code == .tokenRejected)
        #expect(!state.isAuthorized && state.record.authorizationError?.code == .tokenRejected)
    }

    @Test("Apple: there is no userinfo to ask for, and a user who cancels is reported")
    func appleWithoutUserInfo() async throws {
        let apple = try Emulation(.apple, metadata: [:]) { _, issuing in
            Emulation.json([
                "access_token": "a", "token_type": "Bearer",
                "id_token": .string(try issuing.idToken(issuer: "https://appleid.apple.com")),
            ])
        }
        let state = try await apple.authState(scopes: [.openID])
        #expect(await authError { try await state.userInfo() }?.code == .endpointMissing)
        let cancelled = await authError { try await apple.logIn(extra: ["error": "user_cancelled_authorize"]) }
        #expect(cancelled?.code == .accessDenied)
    }

    @Test("Spotify: the secret goes into the header")
    func spotify() async throws {
        let spotify = try Emulation(.spotify) { _, _ in
            Emulation.json([
                "access_token": "NgCXRK", "token_type": "Bearer", "scope": "user-read-email", "expires_in": 3600,
                "refresh_token": "NgAagA",
            ])
        }
        _ = try await spotify.logIn(credential: .secret("s"))
        let request = try spotify.lastTokenRequest()
        #expect(request.headers["Authorization"] == "Basic \(Base64.encode(Array("client:s".utf8)))")
        #expect(request.form["client_id"] == nil && request.form["client_secret"] == nil)
    }

    @Test("Spotify: a renewal without a refresh token keeps the one before")
    func spotifyRenewal() async throws {
        let spotify = try Emulation(.spotify) { request, _ in
            let isLogin = String(decoding: request.body ?? Data(), as: UTF8.self).contains("authorization_code")
            var members: [String: JSONValue] = [
                "access_token": isLogin ? "first" : "second", "token_type": "Bearer", "expires_in": 3600,
            ]
            if isLogin { members["refresh_token"] = "NgAagA" }
            return Emulation.json(members)
        }
        let state = try await spotify.authState(credential: .secret("s"))
        try await state.refresh()
        #expect(state.record.accessToken == "second" && state.record.refreshToken == "NgAagA")
    }

    @Test("Strava: what a user left out is not granted, although only the callback says so")
    func stravaScopes() async throws {
        let strava = try Emulation(.strava) { _, _ in
            Emulation.json(["token_type": "Bearer", "expires_in": 21600, "refresh_token": "r", "access_token": "a"])
        }
        let state = try await strava.authState(
            scopes: ["read", "activity:read_all"], credential: .secret("s"), extra: ["scope": "read"])
        #expect(state.record.scope == "read")
        try await state.refresh()
        #expect(state.record.scope == "read")
    }

    @Test("Strava: scopes travel with commas, the athlete comes along")
    func strava() async throws {
        let strava = try Emulation(.strava) { _, _ in
            Emulation.json([
                "token_type": "Bearer", "expires_at": 1_568_775_134, "expires_in": 21600, "refresh_token": "e5n567567",
                "access_token": "a4b945687g", "athlete": ["id": 227615],
            ])
        }
        let login = try await strava.logIn(
            scopes: ["read", "activity:read_all"], credential: .secret("s"),
            extra: ["scope": "read,activity:read_all"])
        #expect(login.query["scope"] == "read,activity:read_all")
        #expect(login.response.scope == "read activity:read_all")
        #expect(login.tokens.additionalMembers["athlete"]?["id"] == 227615)
        #expect(try strava.lastTokenRequest().form["client_secret"] == "s")
    }

    @Test("a provider with a realm or a domain is found by the issuer that the name makes")
    func byDomain() async throws {
        for provider in [
            try KnownProvider.okta(domain: "dev-1.okta.com", authorizationServer: "default"),
            try .auth0(domain: "example.eu.auth0.com", audience: "https://api"),
            try .keycloak(base: "https://sso.example", realm: "staff"),
            try .forgeRock(base: "https://tenant.example:443/am", realm: "alpha"),
        ] {
            let emulation = try Emulation(provider, metadata: [:]) { _, issuing in
                Emulation.json([
                    "access_token": "a", "token_type": "Bearer",
                    "id_token": .string(try issuing.idToken(issuer: provider.issuer ?? "")),
                ])
            }
            #expect(try await emulation.logIn().tokens.idTokenTrust == .signature, "\(provider.name)")
        }
    }
}

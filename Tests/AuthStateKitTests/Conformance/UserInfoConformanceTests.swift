import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct UserInfoConformanceTests {
    /// The error that userinfo ends with; the state is as it was, and its refresh token still works.
    private func refusal(
        _ fixture: ProviderFixture, _ deviation: @escaping @Sendable (inout OpenIDProvider.Deviations) -> Void
    ) async throws -> AuthStateError? {
        let state = try await fixture.logIn()
        let before = state.record
        fixture.provider.update { deviation(&$0.deviations) }
        let error = await authError { try await state.userInfo() }
        #expect(state.record == before && state.isAuthorized)
        #expect(error?.stage == .userinfo && error?.kind == .refused)
        fixture.provider.update { $0.deviations = .init() }
        try await state.refresh()
        #expect(try await state.userInfo().isBound)
        return error
    }

    @Test("the access token travels in the header, unless something else is asked for")
    func rpUserinfoBearerHeader() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.logIn().userInfo().name == "Ada Lovelace")
        let request = try #require(fixture.provider.requests(at: .userInfo).last)
        #expect(request.method == "GET" && request.headers["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(request.parameters.isEmpty)
        await fixture.provider.stop()
    }

    @Test("the access token travels in the body when it is asked for, renewal after a 401 included")
    func rpUserinfoBearerBody() async throws {
        let fixture = try await ProviderFixture()
        let state = try await fixture.logIn()
        let options = UserInfoOptions(tokenPlacement: .body)
        #expect(try await state.userInfo(options).name == "Ada Lovelace")
        let request = try #require(fixture.provider.requests(at: .userInfo).last)
        #expect(request.method == "POST" && request.headers["Authorization"] == nil)
        #expect(request.parameters.names == ["access_token"])
        fixture.provider.expireAccessTokens()
        #expect(try await state.userInfo(options).name == "Ada Lovelace")
        #expect(fixture.provider.statistics.refreshRequests == 1)
        await fixture.provider.stop()
    }

    @Test("userinfo of another sub is refused", arguments: [false, true])
    func rpUserinfoBadSubClaim(isSigned: Bool) async throws {
        let fixture = try await ProviderFixture { $0.signsUserInfo = isSigned }
        for sub in ["mallory" as JSONValue, nil, 5] {
            #expect(try await refusal(fixture) { $0.userInfo = { $0["sub"] = sub } }?.code == .subjectMismatch)
        }
        await fixture.provider.stop()
    }

    @Test(
        "signed userinfo is verified and returned",
        arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .es384, .edDSA])
    func rpUserinfoSig(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try await ProviderFixture {
            $0.signsUserInfo = true
            $0.signingAlgorithm = algorithm
        }
        let state = try await fixture.logIn()
        let info = try await state.userInfo(UserInfoOptions(requiresSignature: true))
        #expect(info.isSigned && info.isBound && info.name == "Ada Lovelace")
        // New keys of the provider's are fetched once.
        try fixture.provider.rotateKeys(keepsOld: false)
        #expect(try await state.userInfo().isSigned)
        #expect(fixture.provider.requestCount(.keySet) == 2)
        await fixture.provider.stop()
    }

    @Test(
        "signed userinfo with a bad signature is refused",
        arguments: [OpenIDProvider.Deviations.Signature.broken, .foreignKey, .missing])
    func rpUserinfoSigBad(_ signature: OpenIDProvider.Deviations.Signature) async throws {
        let fixture = try await ProviderFixture { $0.signsUserInfo = true }
        #expect(try await refusal(fixture) { $0.userInfoSignature = signature }?.code == .invalidSignature)
        await fixture.provider.stop()
    }

    @Test("signed userinfo of another issuer or for another client is refused", arguments: ["iss", "aud"])
    func rpUserinfoSigAddress(_ claim: String) async throws {
        let fixture = try await ProviderFixture { $0.signsUserInfo = true }
        for value: JSONValue in ["https://op.example", 5] {
            let error = try await refusal(fixture) { $0.userInfo = { $0[claim] = value } }
            #expect(error?.code == .invalidUserInfo && error?.message.contains(claim) == true)
        }
        await fixture.provider.stop()
    }

    @Test("signed userinfo without issuer and audience is accepted")
    func rpUserinfoSigUnaddressed() async throws {
        let fixture = try await ProviderFixture {
            $0.signsUserInfo = true
            $0.deviations.userInfo = { claims in
                claims["iss"] = .none
                claims["aud"] = .none
            }
        }
        let info = try await fixture.logIn().userInfo(UserInfoOptions(requiresSignature: true))
        #expect(info.isSigned && info.isBound && info.name == "Ada Lovelace")
        await fixture.provider.stop()
    }

    @Test("a claim that was asked for by name comes in the ID token")
    func rpClaimsRequestIdToken() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request([.openID])
        request.claims = ClaimsRequest(idToken: ["email": .essential, "nickname": .voluntary]).json
        let state = try await fixture.logIn(request)
        let token = try IDToken(parsing: try #require(state.record.idToken))
        #expect(token.claims["email"] == "ada@example.com" && token.claims["name"] == nil)
        #expect(token.claims["nickname"] == nil)
        #expect(try await state.userInfo().email == nil)
        await fixture.provider.stop()
    }

    @Test("a claim that was asked for by name comes from userinfo")
    func rpClaimsRequestUserinfo() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request([.openID])
        request.claims = ["userinfo": ["name": ["essential": true]]]
        let state = try await fixture.logIn(request)
        let info = try await state.userInfo()
        #expect(info.name == "Ada Lovelace" && info.email == nil)
        #expect(try IDToken(parsing: try #require(state.record.idToken)).claims["name"] == nil)
        await fixture.provider.stop()
    }

    @Test("aggregated claims are data: the JWT is there, its claims are not believed")
    func rpClaimsAggregated() async throws {
        let jwt = try JSONWebToken.sign(claims: ["age": 36], with: SigningKey.generate(.es256))
        let fixture = try await ProviderFixture { configuration in
            configuration.users[0].claims["_claim_names"] = ["age": "registry"]
            configuration.users[0].claims["_claim_sources"] = ["registry": ["JWT": .string(jwt)]]
        }
        let info = try await fixture.logIn().userInfo()
        #expect(info["age"] == nil)
        let source = try #require(info.claimSources["registry"])
        #expect(source.claimNames == ["age"] && source.origin == .aggregated(jwt: jwt))
        await fixture.provider.stop()
    }

    @Test("distributed claims are data: endpoint and token are there, nothing is fetched")
    func rpClaimsDistributed() async throws {
        let fixture = try await ProviderFixture { configuration in
            configuration.users[0].claims["_claim_names"] = ["score": "bank", "rank": "evil"]
            configuration.users[0].claims["_claim_sources"] = [
                "bank": ["endpoint": "https://bank.example/claims", "access_token": "SECRET-access"],
                "evil": ["endpoint": "http://127.0.0.1:1/claims"],
            ]
        }
        let info = try await fixture.logIn().userInfo()
        #expect(info["score"] == nil && info.claimSources.keys.sorted() == ["bank"])
        guard case .distributed(let endpoint, let token)? = info.claimSources["bank"]?.origin else {
            Issue.record("the source is not distributed")
            return
        }
        #expect(endpoint.absoluteString == "https://bank.example/claims" && token == "SECRET-access")
        #expect(!"\(info) \(info.claimSources)".contains("SECRET"))
        await fixture.provider.stop()
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// A login with a DPoP key at the provider in the process.
struct BoundFixture {
    let base: ProviderFixture
    var provider: OpenIDProvider { base.provider }
    var resource: TransportRequest { TransportRequest(url: provider.url(of: .resource)) }

    init(clock: ManualClock? = nil, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
        base = try await ProviderFixture(clock: clock) { configuration in
            configuration.requiresDPoP = true
            change(&configuration)
        }
    }

    func request(_ key: DPoPKey? = nil, client: String = "app") throws -> AuthorizationRequest {
        var request = base.request(client: client)
        request.dpopKey = try key ?? .generate(for: base.configuration)
        return request
    }

    func logIn(store: any AuthStateStore = InMemoryAuthStateStore(), key: DPoPKey? = nil) async throws -> AuthState {
        try await AuthState.logIn(
            .browser(request(key), DirectUserAgent()), at: AuthState.Place(store, service: base.service))
    }

    /// The proofs that came to an endpoint, in order.
    func proofs(at endpoint: OpenIDProvider.Endpoint) throws -> [JSONWebToken] {
        try provider.requests(at: endpoint).compactMap { request in
            try request.headers["DPoP"].map { try JSONWebToken(parsing: $0) }
        }
    }
}

struct DPoPLifeTests {
    private let fixture: BoundFixture

    init() async throws { fixture = try await BoundFixture() }

    @Test("a bound login serves userinfo, a resource, a renewal and all of it again")
    func life() async throws {
        let state = try await fixture.logIn()
        let record = state.record
        #expect(record.lastTokenResponse?.tokenType == "DPoP")
        let key = try #require(record.dpopKey)
        #expect(fixture.provider.requests(at: .authorization).last?.parameters["dpop_jkt"] == key.thumbprint)
        #expect(try await state.userInfo().name == "Ada Lovelace")
        #expect(try await state.performAction(fixture.resource).status == 200)
        let first = record.accessToken
        #expect(try await state.refresh().accessToken != first)
        #expect(state.record.dpopKey == key)
        var request = fixture.resource
        request.method = "PUT"
        #expect(try await state.performAction(request).status == 200)
        #expect(try await state.userInfo().name == "Ada Lovelace")
        #expect(try fixture.proofs(at: .token).count == 2)
        #expect(try fixture.proofs(at: .resource).allSatisfy { $0.claims["ath"] != nil })
    }

    @Test("the headers for a program's own client are a DPoP token and its proof, or without a key a bearer token")
    func headers() async throws {
        let state = try await fixture.logIn()
        let url = fixture.provider.url(of: .resource)
        let tokens = try await state.freshTokens()
        #expect(tokens.isDPoPBound)
        let headers = try tokens.authorizationHeaders(method: .delete, url: url)
        #expect(
            headers[values: "Authorization"] == ["DPoP \(tokens.accessToken)"] && headers[values: "DPoP"].count == 1)
        var request = TransportRequest(method: .delete, url: url, headers: headers)
        #expect(try await fixture.base.service.transport.send(request).status == 200)
        // The proof serves no second request and no other method, and the token is refused without the key.
        #expect(try await fixture.base.service.transport.send(request).status == 401)
        request.headers = try tokens.authorizationHeaders(method: .get, url: url)
        #expect(try await fixture.base.service.transport.send(request).status == 401)
        request.headers = ["Authorization": "Bearer \(tokens.accessToken)"]
        #expect(try await fixture.base.service.transport.send(request).status == 401)
        let bearer = try await ProviderFixture()
        let unbound = try await bearer.logIn().freshTokens()
        #expect(!unbound.isDPoPBound)
        #expect(
            try unbound.authorizationHeaders(method: .get, url: bearer.provider.url(of: .resource))
                == ["Authorization": "Bearer \(unbound.accessToken)"])
    }

    @Test("a token that is refused is renewed, and the replay proves the new one")
    func replay() async throws {
        let state = try await fixture.logIn()
        let old = state.record.accessToken
        fixture.provider.rejectAccessTokens(challenge: #"DPoP error="invalid_token""#)
        #expect(try await state.performAction(fixture.resource).status == 200)
        #expect(state.record.accessToken != old)
        let hashes = try fixture.proofs(at: .resource).map { $0.claims["ath"] }
        #expect(hashes.count == 2 && hashes[0] != hashes[1])
    }

    @Test("the code of a response that the state keeps is exchanged with the key, which is kept once")
    func stepByStep() async throws {
        var request = try fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
        let pending = try await fixture.base.service.begin(request)
        let answer = try await fixture.base.service.transport.send(TransportRequest(url: pending.url))
        let location = try #require(answer.headers["Location"])
        let state = AuthState(
            AuthState.Record(request.client), service: fixture.base.service, store: InMemoryAuthStateStore())
        try await state.update(
            with: fixture.base.service.authorizationResponse(
                for: pending, callback: AuthorizationCallback(url: location)))
        let response = try #require(state.record.lastAuthorizationResponse)
        try await state.update(with: fixture.base.service.exchange(response))
        #expect(try await state.freshTokens().isDPoPBound)
        try await state.refresh()
        let archive = try AuthStateArchive(state.record).data()
        #expect(String(decoding: archive, as: UTF8.self).components(separatedBy: "\"d\":").count == 2)
        #expect(try AuthStateArchive(data: archive).record == state.record)
    }

    @Test func `a stored state goes on with its key; where it is only referred to, the file is read`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "dpop-\(Base64URL.encode(SecureRandom.bytes(12)))"
        ).path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/key.json"
        let material = try SigningKey.generate(.es256).privateKey.privateJSON.serialized()
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data(material), attributes: [.posixPermissions: 0o600]))
        for key in [nil, try DPoPKey.file(file)] {
            let store = FileAuthStateStore(folder: folder)
            let first = try await fixture.logIn(store: store, key: key)
            let stored = try #require(try await store.load(AuthStateKey.default))
            let text = String(decoding: stored.archive, as: UTF8.self)
            #expect(text.contains(#""d":""#) == (key == nil))
            // Once, and not again in the request that the login was made with.
            #expect(text.components(separatedBy: try #require(first.record.dpopKey).thumbprint).count == 2)
            let second = try await AuthState.restore(at: AuthState.Place(store, service: fixture.base.service))
            #expect(second.record.dpopKey == first.record.dpopKey)
            try await second.refresh()
            #expect(try await second.performAction(fixture.resource).status == 200)
        }
    }

    @Test func `a pending login goes on with its key in another process`() async throws {
        let request = try fixture.request()
        let session = try await DirectUserAgent().prepare(redirectURI: nil, for: .login)
        var placed = request
        placed.redirectURI = session.redirectURI
        let archive = try await JSONEncoder().encode(fixture.base.service.begin(placed))
        let pending = try JSONDecoder().decode(PendingAuthorization.self, from: archive)
        let state = try await AuthState.logIn(
            .callback(session.present(pending.url), of: pending), at: .memory(service: fixture.base.service))
        #expect(state.record.dpopKey == request.dpopKey)
        #expect(try await state.performAction(fixture.resource).status == 200)
    }

    @Test func `a logout removes the key, and another login brings another one, or none`() async throws {
        let fixture = try await BoundFixture { $0.requiresDPoP = false }
        let state = try await fixture.logIn()
        let first = state.record.dpopKey
        try await state.clear()
        #expect(state.record.dpopKey == nil)
        let second = try await fixture.logIn().record
        #expect(second.dpopKey != nil && second.dpopKey != first)
        var response = try #require(second.lastAuthorizationResponse)
        #expect(response.request.dpopKey == second.dpopKey)
        response.request.dpopKey = nil
        #expect(second.applying(.loggedIn(response, TokenResponse(accessToken: "a", issuedAt: Date()))).dpopKey == nil)
    }

    @Test("a bearer token in the provider's answer is refused, and the login fails")
    func downgrade() async throws {
        let fixture = try await BoundFixture { $0.deviations.tokenResponse = { $0["token_type"] = "Bearer" } }
        let store = InMemoryAuthStateStore()
        let error = await authError { try await fixture.logIn(store: store) }
        #expect(error?.code == .unsupportedTokenType && error?.expected == "DPoP")
        #expect(try await store.login() == nil)
    }

    @Test("a downgrade on renewal withholds the tokens and keeps the new refresh token")
    func downgradedRenewal() async throws {
        let state = try await fixture.logIn()
        let before = state.record
        fixture.provider.update { $0.deviations.tokenResponse = { $0["token_type"] = "bearer" } }
        #expect(await authError { try await state.refresh() }?.code == .unsupportedTokenType)
        #expect(state.record.accessToken == before.accessToken && state.record.refreshToken != before.refreshToken)
        fixture.provider.update { $0.deviations.tokenResponse = nil }
        try await state.refresh()
        #expect(try await state.performAction(fixture.resource).status == 200)
    }

    @Test("another key gets nothing for the code, the refresh token or the access token")
    func stolen() async throws {
        var thief = try await fixture.logIn().record
        thief.dpopKey = try .generate()
        let state = AuthState(thief, service: fixture.base.service, store: InMemoryAuthStateStore())
        let answer = await authError { try await state.performAction(fixture.resource) }
        // The access token is refused, and so is the refresh token that would replace it.
        #expect(answer?.code == .invalidGrant)
        let session = try await DirectUserAgent().prepare(redirectURI: nil, for: .login)
        var request = try fixture.request()
        request.redirectURI = session.redirectURI
        let callback = try await session.present(fixture.base.service.begin(request).url)
        var code = TokenRequest(exchanging: try AuthorizationResponse(callback: callback, for: request))
        code.dpopKey = try .generate()
        #expect(await authError { try await fixture.base.service.perform(code) }?.code == .invalidGrant)
        code.dpopKey = request.dpopKey
        #expect(try await fixture.base.service.perform(code).tokenType == "DPoP")
    }

    @Test("a client's own tokens are bound too")
    func clientCredentials() async throws {
        let state = try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.base.configuration, id: "service", credential: .secret("service-secret")),
                scopes: ["api"], dpopKey: .generate()), at: .memory(service: fixture.base.service))
        #expect(try await state.performAction(fixture.resource).status == 200)
        let first = state.record.accessToken
        #expect(try await state.refresh().accessToken != first)
        #expect(try await state.performAction(fixture.resource).status == 200)
        let description = try await state.introspect()
        #expect(description.tokenType == "DPoP")
        let thumbprint = try #require(state.record.dpopKey).thumbprint
        #expect(description.additionalMembers["cnf"] == ["jkt": .string(thumbprint)])
    }

    @Test("a login on another device brings tokens that are bound", .timeLimit(.minutes(5)))
    func device() async throws {
        let world = try await DeviceLoginTests.World {
            $0.requiresDPoP = true
            $0.dpopNonceUses = 100
        }
        var request = world.request()
        request.dpopKey = try .generate()
        let wanted = request
        let state = try await world.run(pauses: [5]) {
            try await world.logIn(wanted) { response in
                #expect(world.provider.decide(userCode: response.userCode, allow: true))
            }
        }
        #expect(state.record.dpopKey == wanted.dpopKey && world.provider.requestCount(.token) == 2)
        #expect(try await state.userInfo().name == "Ada Lovelace")
        #expect(try await state.refresh().isDPoPBound)
    }

    @Test func `userinfo by body, which carries no proof, is refused before anything is sent`() async throws {
        let state = try await fixture.logIn()
        let error = await authError { try await state.userInfo(UserInfoOptions(tokenPlacement: .body)) }
        #expect(error?.code == .unsupported)
        #expect(fixture.provider.requestCount(.userInfo) == 0)
    }

    @Test("tokens that are bound to a key are not taken by a state that does not have it, and nothing of it changes")
    func keyless() async throws {
        var request = try fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
        let pending = try await fixture.base.service.begin(request)
        let answer = try await fixture.base.service.transport.send(TransportRequest(url: pending.url))
        let response = try await fixture.base.service.authorizationResponse(
            for: pending, callback: AuthorizationCallback(url: try #require(answer.headers["Location"])))
        let tokens = try await fixture.base.service.exchange(response)
        let state = AuthState(
            AuthState.Record(request.client), service: fixture.base.service, store: InMemoryAuthStateStore())
        let before = state.record
        let error = await authError { try await state.update(with: tokens) }
        #expect(error?.code == .credentialUnavailable && error?.hint?.contains("authorization response") == true)
        #expect(state.record == before)
        try await state.update(with: response)
        try await state.update(with: tokens)
        #expect(try await state.performAction(fixture.resource).status == 200)
    }

    @Test("a login that repeats one on another device brings tokens that are bound to the same key")
    func again() async throws {
        var record = try Fixture().record
        record.dpopKey = try .generate()
        let request = Reauthorization.presenting(DirectUserAgent()).request(of: record, after: .noUserIsLoggedIn)
        #expect(request.dpopKey == record.dpopKey)
    }

    @Test(
        "the error says how far the clock is off, where the answer has the server's time", arguments: [-400.0, 400, 10])
    func clockDifference(_ seconds: Double) async throws {
        let date = "Sat, 01 Jan 2028 00:00:00 GMT"
        let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_830_297_600 + seconds))
        var configuration = AuthorizationService.Configuration()
        configuration.clock = WallClock { [clock] in clock.date }
        func reply(_ status: Int, _ error: String, challenge: String? = nil) -> ScriptedTransport.Reply {
            var response = TransportResponse(
                status: status, headers: ["Date": date], body: Data(#"{"error":"\#(error)"}"#.utf8))
            response.headers["WWW-Authenticate"] = challenge
            return .response(response)
        }
        let transport = ScriptedTransport([
            reply(401, "invalid_dpop_proof", challenge: #"DPoP error="invalid_dpop_proof""#),
            reply(400, "invalid_dpop_proof"), reply(401, "invalid_client"), reply(401, "invalid_client"),
        ])
        var record = try Fixture().record
        record.dpopKey = try .generate()
        record.lastTokenResponse?.tokenType = "DPoP"
        record.lastTokenResponse?.accessTokenExpirationDate = nil
        let service = AuthorizationService(transport: transport, configuration: configuration)
        let state = AuthState(record, service: service, store: InMemoryAuthStateStore())
        let refresh = TokenRequest(Client(record.client.provider, id: "c"), .refreshToken("r"))
        let hints = [
            await authError {
                _ = try await state.performAction(TransportRequest(url: record.client.provider.tokenEndpoint))
            },
            await authError { try await state.refresh() },
            await authError { try await service.perform(refresh.with(.privateKey(.generate(.es256)))) },
            // A secret has no clock.
            await authError { try await service.perform(refresh.with(.secret("s"))) },
        ].map { $0?.hint ?? "" }
        let difference = "400 s \(seconds < 0 ? "behind" : "ahead of") the server's"
        #expect(hints.map { $0.contains(difference) } == [true, true, true, false].map { $0 && abs(seconds) > 30 })
    }

    @Test("a clock that is wrong is named as the likely cause, at login and at a resource")
    func clock() async throws {
        let state = try await fixture.logIn()
        fixture.provider.update { $0.clockSkew = .seconds(3000) }
        let error = await authError { try await state.performAction(fixture.resource) }
        #expect(error?.code == .invalidDPoPProof && error?.hint?.contains("clock") == true)
        #expect(state.isAuthorized)
        let login = await authError { try await fixture.logIn() }
        #expect(login?.code == .invalidDPoPProof && login?.hint?.contains("clock") == true)
    }
}

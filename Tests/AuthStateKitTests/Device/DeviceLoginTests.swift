import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(5))) struct DeviceLoginTests {
    private let world: World

    init() async throws { world = try await World() }

    /// A provider and a device whose clocks are the same one, moved by hand.
    struct World {
        let clock = ManualClock()
        let fixture: ProviderFixture
        var provider: OpenIDProvider { fixture.provider }

        init(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
            fixture = try await ProviderFixture(clock: clock, waits: true, change)
        }

        func request(_ scopes: [Scope] = [.openID, .profile], client: String = "app") -> DeviceAuthorizationRequest {
            DeviceAuthorizationRequest(Client(fixture.configuration, id: client), scopes: scopes)
        }

        /// Logs in; `decide` is the user, who is told the codes.
        func logIn(
            _ request: DeviceAuthorizationRequest? = nil, credential: ClientCredential = .none,
            store: any AuthStateStore = InMemoryAuthStateStore(),
            decide: @escaping @Sendable (DeviceAuthorizationResponse) async throws -> Void
        ) async throws -> AuthState {
            try await AuthState.logIn(
                .device((request ?? self.request()).with(credential), present: decide),
                at: fixture.place(store), annotations: ["device": "tv"])
        }

        /// Runs a login in a task of its own, and moves the clock by a pause whenever it waits.
        func run<R: Sendable>(
            pauses: [Double], _ body: @escaping @Sendable () async throws -> R
        ) async throws -> R {
            let task = Task { try await body() }
            for pause in pauses {
                await clock.sleepers()
                clock.advance(by: .seconds(pause))
            }
            return try await task.value
        }
    }

    @Test("a user allows it: the tokens, the ID token verified, and a renewal like any other")
    func allowed() async throws {
        let store = InMemoryAuthStateStore()
        let state = try await world.run(pauses: [5]) {
            try await world.logIn(store: store) { response in
                #expect(response.interval == .seconds(5) && response.verificationURIComplete != nil)
                #expect(world.provider.decide(userCode: response.userCode.lowercased(), allow: true))
            }
        }
        let record = state.record
        #expect(state.isAuthorized && record.scope == "openid profile" && record.annotations == ["device": "tv"])
        #expect(record.idToken != nil && record.idTokenTrust == .signature)
        #expect(world.provider.requestCount(.token) == 1)
        let restored = try await AuthState.restore(at: world.fixture.place(store))
        #expect(try await restored.refresh().accessToken != record.accessToken)
        #expect(try await restored.userInfo().name == "Ada Lovelace")
    }

    @Test("the page behind verification_uri_complete lets a user decide")
    func page() async throws {
        let world = try await World { $0.login = .page }
        let transport = world.fixture.service.transport
        let state = try await world.run(pauses: [5]) {
            try await world.logIn { response in
                let url = try #require(response.verificationURIComplete)
                let shown = try await transport.send(TransportRequest(url: url))
                #expect(String(decoding: shown.body, as: UTF8.self).contains(response.userCode))
                let form: Parameters = [
                    "user_code": response.userCode, "username": "ada", "password": "lovelace", "decision": "allow",
                ]
                let answer = try await transport.send(
                    TransportRequest(
                        method: .post, url: response.verificationURI,
                        headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.encoded.utf8)))
                #expect(String(decoding: answer.body, as: UTF8.self).contains("connected"))
            }
        }
        #expect(state.isAuthorized)
    }

    @Test("a user refuses: access_denied, and nothing is stored")
    func denied() async throws {
        let world = try await World { $0.login = .denied }
        let store = InMemoryAuthStateStore()
        let transport = world.fixture.service.transport
        let error = await authError {
            _ = try await world.run(pauses: [5]) {
                try await world.logIn(store: store) { response in
                    _ = try await transport.send(TransportRequest(url: try #require(response.verificationURIComplete)))
                }
            }
        }
        #expect(error?.code == .accessDenied && error?.kind == .reauthenticationRequired && error?.stage == .token)
        #expect(try await store.load(.default) == nil)
    }

    @Test("without a decision the device asks every five seconds, and stops by itself when the codes expire")
    func expired() async throws {
        let world = try await World { $0.deviceCodeLifetime = .seconds(21) }
        let error = await authError {
            _ = try await world.run(pauses: [5, 5, 5, 5]) { try await world.logIn { _ in } }
        }
        #expect(error?.code == .deviceCodeExpired && error?.response == nil)
        #expect(world.provider.requestCount(.token) == 4)
    }

    @Test func `a machine that slept past the codes' expiry does not ask any more`() async throws {
        let error = await authError { _ = try await world.run(pauses: [601]) { try await world.logIn { _ in } } }
        #expect(error?.code == .deviceCodeExpired)
        #expect(world.provider.requestCount(.token) == 0)
    }

    @Test func `the provider's own expired_token ends it too`() async throws {
        world.provider.inject(.oauthError("expired_token"), at: .token)
        let error = await authError { _ = try await world.run(pauses: [5]) { try await world.logIn { _ in } } }
        #expect(error?.code == .deviceCodeExpired && error?.response?.error == "expired_token")
    }

    @Test("slow_down adds five seconds for good, and a provider that is away is asked less often")
    func slowDownAndFailures() async throws {
        world.provider.inject(.oauthError("slow_down"), at: .token)
        world.provider.inject(.resetBeforeProcessing, at: .token, times: 2)
        let (codes, told) = AsyncStream.makeStream(of: String.self)
        let task = Task { try await world.logIn { told.yield($0.userCode) } }
        // slow_down; two questions that are not answered; pending; then the tokens.
        for pause in [5.0, 10, 20, 40] {
            await world.clock.sleepers()
            #expect(world.provider.requestCount(.token) == [5.0: 0, 10: 1, 20: 2, 40: 3][pause])
            world.clock.advance(by: .seconds(pause - 1))
            // The task does not wake up earlier.
            await world.clock.sleepers()
            world.clock.advance(by: .seconds(1))
        }
        var iterator = codes.makeAsyncIterator()
        let userCode = try #require(await iterator.next())
        await world.clock.sleepers()
        #expect(world.provider.requestCount(.token) == 4)
        world.provider.decide(userCode: userCode, allow: true)
        world.clock.advance(by: .seconds(10))
        #expect(try await task.value.isAuthorized)
    }

    @Test("a page of another endpoint, or of a redirect, ends the waiting at once", arguments: [302, 401, 404])
    func foreignPage(_ status: Int) async throws {
        world.provider.inject(.text("<html>", contentType: "text/html", status: status), at: .token)
        let error = try await bounded { [world] in
            await authError { _ = try await world.run(pauses: [5]) { try await world.logIn { _ in } } }
        }
        #expect(error?.code == (status == 302 ? .redirected : .malformedResponse))
        #expect(world.provider.requestCount(.token) == 1)
    }

    @Test func `a page that something on the way answers with ends no login`() async throws {
        world.provider.inject(.text("<html>", contentType: "text/html"), at: .token)
        let state = try await world.run(pauses: [5, 10]) {
            try await world.logIn { world.provider.decide(userCode: $0.userCode, allow: true) }
        }
        #expect(state.isAuthorized && world.provider.requestCount(.token) == 2)
    }

    @Test("after a long wait the provider's keys are fetched again before the codes are spent, not after")
    func oldKeys() async throws {
        let world = try await World { $0.deviceCodeLifetime = .seconds(90000) }
        let state = try await world.run(pauses: [86401, 10]) {
            try await world.logIn { response in
                world.provider.decide(userCode: response.userCode, allow: true)
                world.provider.inject(.text("", status: 503), at: .keySet)
            }
        }
        #expect(state.isAuthorized && state.record.idTokenTrust == .signature)
        #expect(world.provider.requestCount(.token) == 1 && world.provider.requestCount(.keySet) == 3)
    }

    @Test func `asking too fast is slow_down at the provider, and adds five seconds there`() async throws {
        let response = try await world.fixture.service.authorizeDevice(world.request())
        let question = TokenRequest(Client(world.fixture.configuration, id: "app"), .deviceCode(response.deviceCode))
        func ask() async -> AuthStateError.Code? {
            await authError { try await world.fixture.service.perform(question) }?.code
        }
        #expect(await ask() == .authorizationPending)
        world.clock.advance(by: .seconds(4))
        #expect(await ask() == .slowDown)
        world.clock.advance(by: .seconds(9))
        #expect(await ask() == .slowDown)
        world.clock.advance(by: .seconds(15))
        #expect(await ask() == .authorizationPending)
    }

    @Test("cancelling the task ends the waiting at once")
    func cancelled() async throws {
        let task = Task { try await world.logIn { _ in } }
        await world.clock.sleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(world.provider.requestCount(.token) == 0)
    }

    @Test("an error that presenting the codes throws passes unchanged, and the provider is not asked")
    func presentationFails() async throws {
        struct NoScreen: Error {}
        await #expect(throws: NoScreen.self) { try await world.logIn { _ in throw NoScreen() } }
        #expect(world.provider.requestCount(.token) == 0)
    }

    @Test("a confidential client authenticates at both endpoints; a client without the grant is refused")
    func clients() async throws {
        let world = try await World { $0.clients.append(.init(id: "web", grantTypes: [.authorizationCode])) }
        let credential = ClientCredential.secret("service-secret")
        let state = try await world.run(pauses: [5]) {
            try await world.logIn(world.request(client: "service"), credential: credential) {
                world.provider.decide(userCode: $0.userCode, allow: true)
            }
        }
        #expect(state.isAuthorized)
        let requests = [OpenIDProvider.Endpoint.deviceAuthorization, .token].flatMap { world.provider.requests(at: $0) }
        #expect(requests.allSatisfy { $0.headers["Authorization"]?.hasPrefix("Basic ") == true })
        let error = await authError { try await world.logIn(world.request(client: "web")) { _ in } }
        #expect(error?.code == .unauthorizedClient && error?.stage == .authorization)
    }

    @Test func `an ID token that fails a check withholds the tokens; a missing one is accepted`() async throws {
        @Sendable func logIn() async throws -> AuthState {
            try await world.run(pauses: [5]) {
                try await world.logIn { world.provider.decide(userCode: $0.userCode, allow: true) }
            }
        }
        world.provider.update { $0.deviations.signature = .foreignKey }
        #expect(await authError { try await logIn() }?.code == .invalidSignature)
        world.provider.update {
            $0.deviations.signature = .good
            $0.deviations.idToken = { claims, _ in claims["nonce"] = "somebody's" }
        }
        #expect(await authError { try await logIn() }?.code == .invalidIDToken)
        world.provider.update {
            $0.deviations.idToken = nil
            $0.deviations.tokenResponse = { members in
                members["id_token"] = nil
                members["scope"] = nil
            }
        }
        let state = try await logIn()
        #expect(state.isAuthorized && state.record.idToken == nil && state.record.scope == "openid profile")
    }

    @Test func `with openid, a provider without issuer is refused before a code is shown`() async throws {
        var request = world.request()
        request.client.provider.issuer = nil
        #expect(await authError { try await world.logIn(request) { _ in } }?.code == .invalidMetadata)
        #expect(world.provider.requestCount(.deviceAuthorization) == 0)
    }

    @Test("missing keys for the ID token, or a missing key for the proofs, are found before a code is shown")
    func missing() async throws {
        var keyless = world.request()
        keyless.client.provider.jwksURI = nil
        #expect(await authError { try await world.logIn(keyless) { _ in } }?.code == .invalidMetadata)
        var bound = world.request()
        bound.dpopKey = try .generate(.es256)
        bound.client.provider.metadata = try ProviderMetadata(
            document: ["dpop_signing_alg_values_supported": ["RS256"]])
        #expect(await authError { try await world.logIn(bound) { _ in } }?.code == .unsupported)
        #expect(world.provider.requestCount(.deviceAuthorization) == 0)
    }

    @Test("the one resource of a login is named again in its renewals, also by the next process; several are not")
    func resources() async throws {
        for resources in [["https://a.example"], ["https://a.example", "https://b.example"]] {
            var request = world.request()
            request.resources = resources
            let (asked, store) = (request, InMemoryAuthStateStore())
            let state = try await world.run(pauses: [5]) {
                try await world.logIn(asked, store: store) {
                    world.provider.decide(userCode: $0.userCode, allow: true)
                }
            }
            try await state.refresh()
            try await AuthState.restore(at: world.fixture.place(store)).refresh()
            let named = world.provider.requests(at: .token).suffix(3).map { $0.parameters.values("resource") }
            #expect(named == Array(repeating: resources.count == 1 ? resources : [], count: 3))
            try await state.clear()
            #expect(state.record.resources.isEmpty)
        }
    }

    @Test func `the trace says that a login waits, and not that it failed`() async throws {
        let told = Lock<[LoginTrace.Entry]>([])
        var limits = world.fixture.service.configuration
        limits.trace = LoginTrace { entry in told.withLock { $0.append(entry) } }
        let (service, request) = (AuthorizationService(configuration: limits), world.request())
        world.provider.inject(.oauthError("authorization_pending"), at: .token)
        let state = try await world.run(pauses: [5, 5]) {
            try await AuthState.logIn(
                .device(request) {
                    world.provider.decide(userCode: $0.userCode, allow: true)
                }, at: .memory(service: service))
        }
        #expect(state.isAuthorized)
        let entries = told.withLock { $0 }
        #expect(entries.map(\.message).filter { $0 == "No tokens yet; asks again" }.count == 1)
        #expect(!entries.contains { $0.step == .failure })
        world.provider.inject(.oauthError("access_denied"), at: .token)
        _ = await authError {
            _ = try await world.run(pauses: [5]) {
                try await AuthState.logIn(.device(request) { _ in }, at: .memory(service: service))
            }
        }
        let failures = told.withLock(\.self).filter { $0.step == .failure }
        #expect(failures.count == 1)
    }

    @Test(
        "a verification page without TLS, or on this machine for a remote provider, is refused",
        arguments: ["http://op.example/device", "https://127.0.0.1/device"])
    func insecurePages(_ page: String) async throws {
        for member in ["verification_uri", "verification_uri_complete"] {
            let extra = member == "verification_uri" ? "" : #""verification_uri":"https://op.example/device","#
            let transport = ScriptedTransport([
                .json(#"{"device_code":"d","user_code":"U",\#(extra)"\#(member)":"\#(page)","expires_in":60}"#)
            ])
            let configuration = ProviderConfiguration(
                issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
                tokenEndpoint: try #require(URL(string: "https://op.example/token")),
                deviceAuthorizationEndpoint: URL(string: "https://op.example/device_authorization"))
            let error = await authError {
                _ = try await AuthorizationService(transport: transport).authorizeDevice(
                    DeviceAuthorizationRequest(Client(configuration, id: "client")))
            }
            #expect(error?.code == .insecureURL && error?.stage == .authorization)
        }
    }

    @Test func `a pool keeps the login under a key, in one step and in two`() async throws {
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: world.fixture.service)
        let state = try await world.run(pauses: [5]) {
            try await pool.logIn(
                .device(world.request()) {
                    world.provider.decide(userCode: $0.userCode, allow: true)
                }, for: "tv-1")
        }
        #expect(try await pool.state(for: "tv-1") === state)
        let response = try await world.fixture.service.authorizeDevice(world.request())
        world.provider.decide(userCode: response.userCode, allow: true)
        let second = try await world.run(pauses: [5]) { try await pool.logIn(.deviceCode(response), for: "tv-2") }
        #expect(try await pool.state(for: "tv-2") === second)
    }
}

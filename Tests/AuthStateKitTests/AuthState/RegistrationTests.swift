import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct RegistrationTests {
    private let fixture: ProviderFixture
    private let store = InMemoryAuthStateStore()

    init() async throws { fixture = try await ProviderFixture() }

    private func register(
        _ fixture: ProviderFixture, store: any AuthStateStore = InMemoryAuthStateStore(),
        method: ClientAuthenticationMethod = .clientSecretBasic
    ) async throws -> AuthState {
        var request = try fixture.registration()
        request.clientName = "Tool"
        request.tokenEndpointAuthMethod = method
        return try await AuthState.register(request, at: fixture.place(store))
    }

    private func logIn(_ state: AuthState) async throws {
        let record = state.record
        let request = AuthorizationRequest(record.client, scopes: [.openID, .profile])
        try await state.authorize(request, presenting: DirectUserAgent())
    }

    private func stored(_ store: InMemoryAuthStateStore) async throws -> AuthState.Record {
        try #require(try await store.record())
    }

    @Test("a client registers, logs in, and uses the same registration for the next login")
    func life() async throws {
        let state = try await register(fixture, store: store)
        #expect(!state.isAuthorized && state.record.lastRegistrationResponse?.clientID == state.record.client.id)
        try await logIn(state)
        #expect(state.isAuthorized)
        let restored = try await AuthState.restore(at: fixture.place(store))
        try await restored.refresh()
        try await logIn(restored)
        #expect(fixture.provider.requests(at: .registration).count == 1)
        #expect(try await stored(store).lastRegistrationResponse == state.record.lastRegistrationResponse)
    }

    @Test func `a login that fails costs neither the registration nor the grant of before`() async throws {
        let state = try await register(fixture)
        try await logIn(state)
        let before = state.record
        fixture.provider.update { $0.login = .denied }
        await #expect(throws: AuthStateError.self) { try await logIn(state) }
        #expect(state.record.refreshToken == before.refreshToken)
        let foreign = fixture.request(client: "app")
        let error = await authError { try await state.authorize(foreign, presenting: DirectUserAgent()) }
        #expect(error?.code == .invalidArgument)
    }

    @Test("a logout keeps the registration for the next login, and nothing of the grant")
    func logout() async throws {
        let state = try await register(fixture, store: store)
        try await logIn(state)
        #expect(await state.logOut(.everywhere(DirectUserAgent())).failures.isEmpty)
        let kept = try await stored(store)
        #expect(kept.lastRegistrationResponse != nil && kept.lastTokenResponse == nil && kept.refreshToken == nil)
        #expect(kept.idToken == nil && kept.lastAuthorizationResponse == nil)
        let restored = try await AuthState.restore(at: fixture.place(store))
        #expect(await authError { try await restored.freshTokens() }?.code == .notLoggedIn)
        try await logIn(restored)
        #expect(restored.isAuthorized && fixture.provider.requests(at: .registration).count == 1)
    }

    @Test func `a web server completes a login of a registered client in two steps`() async throws {
        let state = try await register(fixture)
        let record = state.record
        var request = AuthorizationRequest(record.client, scopes: [.openID])
        request.redirectURI = try RedirectURI("http://127.0.0.1/callback")
        let pending = try await fixture.service.begin(request)
        let answer = try await fixture.service.transport.send(TransportRequest(url: pending.url))
        try await state.complete(
            pending, callback: AuthorizationCallback(url: try #require(answer.headers["Location"])))
        #expect(state.isAuthorized && state.record.lastRegistrationResponse != nil)
    }

    @Test("reading and changing the registration leaves the grant alone and keeps the newest token, durably")
    func managed() async throws {
        let fixture = try await ProviderFixture { $0.rotatesRegistrationTokens = true }
        let state = try await register(fixture, store: store)
        try await logIn(state)
        let before = state.record
        var tokens = [before.lastRegistrationResponse?.registrationAccessToken]
        tokens.append(try await state.readRegistration().registrationAccessToken)
        let changed = try await state.updateRegistration { $0.clientName = "Renamed" }
        tokens.append(changed.registrationAccessToken)
        #expect(Set(tokens).count == 3)
        #expect(changed.metadata["client_name"] == "Renamed")
        #expect(try await stored(store).lastRegistrationResponse == changed)
        let after = state.record
        #expect(after.refreshToken == before.refreshToken && after.grantID == before.grantID)
        #expect(after.client.credential == before.client.credential)
        try await state.refresh()
    }

    @Test("a new secret replaces the one before, for renewals too", arguments: [false, true])
    func newSecret(isUpdate: Bool) async throws {
        let fixture = try await ProviderFixture {
            ($0.rotatesRegistrationTokens, $0.rotatesClientSecrets) = (true, true)
        }
        let state = try await register(fixture, store: store)
        try await logIn(state)
        let before = state.record.client.credential
        let answer = isUpdate ? try await state.updateRegistration { _ in } : try await state.readRegistration()
        let now = state.record.client.credential
        #expect(now != before && now == answer.credential)
        #expect(try await stored(store).client.credential == now)
        try await state.refresh()
        try await AuthState.restore(at: fixture.place(store)).readRegistration()
    }

    @Test("an unsaved registration token is saved before the provider is asked again, or it is not asked")
    func unsaved() async throws {
        let fixture = try await ProviderFixture { $0.rotatesRegistrationTokens = true }
        let store = FaultyStore()
        let state = try await register(fixture, store: store)
        store.fail(.save)
        let kept = try await state.readRegistration()
        #expect(state.status.storeError != nil)
        #expect(try await stored(store.inner).lastRegistrationResponse != kept)
        #expect(await authError { try await state.readRegistration() }?.kind == .store)
        #expect(fixture.provider.requests(at: .clientConfiguration).count == 1)
        #expect(try await stored(store.inner).lastRegistrationResponse != kept)
        store.fail()
        fixture.provider.inject(.status(503), at: .clientConfiguration)
        #expect(await authError { try await state.readRegistration() }?.kind == .transient)
        #expect(try await stored(store.inner).lastRegistrationResponse == kept)
        #expect(state.status.storeError == nil)
    }

    @Test("members that a partial answer leaves out are kept, and so an update deletes nothing")
    func partialAnswers() async throws {
        let fixture = try await ProviderFixture {
            $0.deviations.registration = { members in
                for name in ["redirect_uris", "client_name", "contacts", "grant_types"] { members[name] = nil }
            }
        }
        var request = try fixture.registration()
        (request.clientName, request.contacts) = ("Tool", ["ada@example.com"])
        request.grantTypes = [.authorizationCode, .refreshToken]
        let state = try await AuthState.register(request, at: fixture.place())
        try await state.readRegistration()
        try await state.updateRegistration { ($0.clientName, $0.contacts) = ("Renamed", []) }
        let answer = try await state.updateRegistration { $0.softwareVersion = "2" }
        let sent = try #require(fixture.provider.requests(at: .clientConfiguration).last?.body)
        let body = try JSONValue(parsing: sent)
        #expect(body["redirect_uris"] == ["http://127.0.0.1/callback"] && body["client_name"] == "Renamed")
        #expect(body["contacts"] == nil && body["software_version"] == "2")
        #expect(answer.metadata["client_name"] == "Renamed" && answer.metadata["contacts"] == nil)
        try await logIn(state)
    }

    @Test func `a client that registers another key says where it is, and is known by it from then on`() async throws {
        let (first, second) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
        var request = try fixture.registration()
        request.tokenEndpointAuthMethod = .privateKeyJWT
        request.keys = [first.privateKey]
        let state = try await AuthState.register(request, credential: .privateKey(first), at: fixture.place())
        try await state.updateRegistration(credential: .privateKey(second)) { $0.keys = [second.privateKey] }
        #expect(state.record.client.credential == .privateKey(second))
        try await logIn(state)
        try await state.refresh()
    }

    @Test(
        "another key of a client whose states others can write goes where the former one may go",
        arguments: [true, false])
    func newKeyInAnOpenStore(_ isMoved: Bool) async throws {
        let (first, second) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
        var request = try fixture.registration()
        request.tokenEndpointAuthMethod = .privateKeyJWT
        request.keys = [first.privateKey]
        let store = OpenStore()
        let state = try await AuthState.register(
            request, credential: .privateKey(first).restricted(to: .issuer(fixture.provider.issuer)),
            at: fixture.place(store))
        try await logIn(state)
        let evil = try #require(URL(string: "https://evil.example/token"))
        if isMoved { try await store.change { $0.client.provider.tokenEndpoint = evil } }
        try await state.updateRegistration(credential: .privateKey(second)) { $0.keys = [second.privateKey] }
        #expect(await authError { try await state.refresh() }?.code == (isMoved ? .credentialWithheld : nil))
    }

    @Test("ID tokens are held to the algorithm of the registration, and to the next one when that changes")
    func registeredAlgorithm() async throws {
        var request = try fixture.registration()
        request.idTokenSignedResponseAlg = .es256
        let state = try await AuthState.register(request, at: fixture.place())
        #expect(state.record.client.provider.idTokenPolicy.algorithms == [.es256])
        try await state.updateRegistration { $0.idTokenSignedResponseAlg = .rs256 }
        #expect(state.record.client.provider.idTokenPolicy.algorithms == [.rs256])
    }

    @Test("a provider that requires an initial access token is reported, with what to do about it")
    func initialAccessToken() async throws {
        let fixture = try await ProviderFixture { $0.initialAccessToken = "SECRET-initial" }
        var request = try fixture.registration()
        for token in [nil, "SECRET-another"] {
            request.initialAccessToken = token
            let error = await authError { try await fixture.service.register(request) }
            #expect(error?.code == .initialAccessTokenRejected && error?.kind == .configuration)
            #expect(error?.hint?.contains("token") == true && error.map { "\($0)".contains("SECRET") } == false)
        }
        request.initialAccessToken = "SECRET-initial"
        _ = try await fixture.service.register(request)
    }

    @Test("two processes that manage one registration use each other's tokens")
    func twoProcesses() async throws {
        let fixture = try await ProviderFixture { $0.rotatesRegistrationTokens = true }
        let first = try await register(fixture, store: store)
        let second = try await AuthState.restore(at: fixture.place(store))
        try await together(4) { try await [first, second][$0 % 2].readRegistration() }
        #expect(fixture.provider.requests(at: .clientConfiguration).count == 4)
    }

    @Test func `a change of a registration goes with any grant to its client, and with none to another`() async throws {
        let state = try await register(fixture)
        try await logIn(state)
        let registration = try #require(state.record.lastRegistrationResponse)
        let changed = state.record.applying(.registrationChanged(registration))
        let login = state.record.applying(.tokens(TokenResponse(accessToken: "SECRET-theirs", issuedAt: Date())))
        let merged = changed.merged(with: login)
        #expect(merged.stamps.registration == changed.stamps.registration)
        #expect(merged.stamps.grant == login.stamps.grant && merged.accessToken == "SECRET-theirs")
        var another = login
        another.client.id = "another"
        #expect(changed.merged(with: another).stamps.registration == login.stamps.registration)
        #expect(another.applying(.registrationChanged(registration)) == another)
    }

    @Test func `a registration that is stored after all does not end the login that came after it`() async throws {
        let state = try await register(fixture)
        let before = state.record
        try await logIn(state)
        let later = try await state.updateRegistration { $0.clientName = "Later" }
        let merged = state.record.merged(with: before)
        #expect(merged == state.record && merged.isAuthorized && merged.lastRegistrationResponse == later)
    }

    @Test("a login does not undo what another process got for the registration while the user was in the browser")
    func managedDuringLogin() async throws {
        let state = try await register(fixture, store: store)
        let theirs = try await AuthState.restore(at: fixture.place(store))
        let later = try await theirs.updateRegistration { $0.clientName = "Later" }
        #expect(state.record.lastRegistrationResponse != later)
        let tokens = TokenResponse(accessToken: "SECRET-access", issuedAt: Date())
        try await state.update(with: tokens)
        for record in [state.record, try await stored(store)] {
            #expect(record.lastRegistrationResponse == later && record.accessToken == "SECRET-access")
        }
    }

    @Test("a change of the registration that could not be saved does not bring an ended login's logout with it")
    func changedThenLoggedOut() async throws {
        let store = FaultyStore()
        let state = try await register(fixture, store: store)
        try await logIn(state)
        let registration = try #require(state.record.lastRegistrationResponse)
        store.fail(.save)
        #expect(
            await authError { try await state.commit(.registrationChanged(registration, credential: nil)) }?.kind
                == .store)
        #expect(await authError { try await state.clear() }?.kind == .store)
        let theirs = try await AuthState.restore(at: fixture.place(store.inner))
        let later = TokenResponse(accessToken: "SECRET-later", issuedAt: Date().addingTimeInterval(10))
        try await theirs.update(with: later)
        store.fail()
        try await state.save()
        #expect(try await self.stored(store.inner).accessToken == "SECRET-later")
        #expect(state.record.accessToken == "SECRET-later" && state.status.storeError == nil)
    }

    @Test("a client that is saved late takes the place of another provider's, with its own provider")
    func registeredLate() async throws {
        let other = try Fixture()
        let fixture = try await ProviderFixture(clock: other.clock)
        let registered = try await register(fixture).record
        let registration = try #require(registered.lastRegistrationResponse)
        let store = FaultyStore()
        try await other.state(store: store.inner).setNeedsTokenRefresh()
        let state = AuthState(registered, service: fixture.service, store: store)
        store.fail(.load)
        #expect(await authError { try await state.commit(.registered(registration)) }?.kind == .store)
        store.fail()
        try await state.save()
        for record in [state.record, try await self.stored(store.inner)] {
            #expect(record.client.provider == registered.client.provider && record.client.id == registration.clientID)
            #expect(record.refreshToken == nil && record.client.credential == registered.client.credential)
        }
    }

    @Test func `a key that was given without its purpose stays the client's`() throws {
        let registration = try RegistrationResponse(
            TransportResponse(
                status: 201, body: Data(#"{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}"#.utf8)))
        let kept = registration.credential(replacing: .file("/key.pem"))
        #expect(kept.source == .file("/key.pem") && kept.method == .privateKeyJWT)
        #expect(registration.credential(replacing: .none).source == .none)
    }

    @Test func `a client that becomes public loses its secret here too`() async throws {
        let state = try await register(fixture)
        try await state.updateRegistration { $0.tokenEndpointAuthMethod = ClientAuthenticationMethod.none }
        #expect(state.record.client.credential == .none)
        try await logIn(state)
        #expect(state.isAuthorized)
    }

    @Test func `a client that signs keeps saying where its private key is`() async throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        var request = try fixture.registration()
        request.tokenEndpointAuthMethod = .privateKeyJWT
        request.keys = [key.privateKey]
        let state = try await AuthState.register(request, credential: .privateKey(key), at: fixture.place())
        try await logIn(state)
        try await state.readRegistration()
        try await state.refresh()
        #expect(state.record.client.credential == .privateKey(key))
    }

    @Test func `a deleted client is forgotten, with its grant`() async throws {
        let state = try await register(fixture, store: store)
        try await logIn(state)
        let copy = AuthState(state.record, service: fixture.service, store: InMemoryAuthStateStore())
        try await state.deleteRegistration()
        #expect(!state.isAuthorized && state.record.lastRegistrationResponse == nil)
        #expect(try await store.login() == nil)
        #expect(await authError { try await copy.readRegistration() }?.code == .registrationTokenRejected)
        #expect(await authError { try await copy.deleteRegistration() }?.code == .registrationTokenRejected)
        #expect(copy.record.lastRegistrationResponse != nil)
        #expect(await authError { try await state.readRegistration() }?.code == .endpointMissing)
    }

    @Test func `a store that cannot be written is found before the provider is asked`() async throws {
        let store = ReadOnlyAuthStateStore(InMemoryAuthStateStore())
        #expect(await authError { try await register(fixture, store: store) }?.code == .storeReadOnly)
        #expect(fixture.provider.requests(at: .registration).isEmpty)
    }

    @Test("a caller that is cancelled while the provider answers does not lose the new token")
    func cancelled() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try await ProviderFixture { $0.rotatesRegistrationTokens = true }
        let state = try await register(fixture, store: store)
        fixture.provider.inject(.held(gate), at: .clientConfiguration)
        let caller = Task { try await state.readRegistration() }
        try await eventually { fixture.provider.requests(at: .clientConfiguration).count == 1 }
        caller.cancel()
        gate.open()
        let answer = try await bounded { try await caller.value }
        #expect(try await stored(store).lastRegistrationResponse == answer)
        try await state.readRegistration()
        // A caller that was cancelled beforehand sends no request.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await state.readRegistration()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(fixture.provider.requests(at: .clientConfiguration).count == 2)
    }

    @Test func `the deletion of one client does nothing to the one that was registered after it`() async throws {
        let state = try await register(fixture)
        try await logIn(state)
        let next = state.record
        let deletion = AuthState.Event.registrationDeleted(clientID: "before")
        #expect(next.applying(deletion) == next)
    }

    @Test(
        "an answer that does not say how the client authenticates leaves its own key, or its certificate, where it is")
    func unsaid() throws {
        let answer = TransportResponse(
            status: 201, headers: ["Content-Type": "application/json"], body: Data(#"{"client_id":"c"}"#.utf8))
        let response = try RegistrationResponse(answer)
        for own in [ClientCredential.privateKey(file: "/key.pem"), .certificate()] {
            let record = AuthState.Record(Client(try Fixture().record.client.provider, id: "c", credential: own))
            #expect(record.applying(.registered(response)).client.credential == own)
            #expect(record.applying(.registrationChanged(response)).client.credential == own)
        }
    }

    @Test("a secret in memory is not used for the client of another provider that is stored meanwhile")
    func foreignClient() async throws {
        var ours = try Fixture().record
        ours.client.credential = .secret("SECRET-ours")
        var theirs = ours
        #expect(try copy(theirs).with(credentialOf: ours).client.credential == ours.client.credential)
        theirs.client.provider.issuer = try Issuer("https://other.example")
        #expect(try copy(theirs).with(credentialOf: ours).client.credential == .secret(""))
        theirs = ours
        theirs.client.id = "another"
        #expect(try copy(theirs).with(credentialOf: ours).client.credential == .secret(""))
    }

    @Test func `a key in memory, with which assertions are signed, outlives another process's save`() throws {
        var ours = try Fixture().record
        ours.jwtBearer = JWTBearerGrant(
            issuer: "robot", subject: nil, key: .privateKey(try SigningKey.generate(.es256)))
        #expect(try copy(ours).with(credentialOf: ours).jwtBearer == ours.jwtBearer)
        var theirs = ours
        theirs.jwtBearer?.issuer = "another"
        #expect(try copy(theirs).with(credentialOf: ours).jwtBearer?.key != ours.jwtBearer?.key)
    }

    /// A record as another process reads it.
    private func copy(_ record: AuthState.Record) throws -> AuthState.Record {
        try AuthStateArchive(data: AuthStateArchive(record).data()).record
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// Logins for a resource that a user confirms on another device.
@Suite(.timeLimit(.minutes(5))) struct ResourceDeviceTests {
    private let clock = ManualClock()
    private let world: ResourceWorld

    init() async throws {
        world = try await ResourceWorld(clock: clock) {
            $0.protectedResource.scopes = ["api"]
            $0.protectedResource.scopesSupported = ["api", "profile"]
            $0.protectedResource.requiresAudience = true
            $0.devicePollingInterval = .zero
        }
    }

    /// The codes that were shown.
    private final class Codes: Sendable {
        private let shown = Lock<[String]>([])
        var all: [String] { shown.withLock(\.self) }
        var count: Int { Set(all).count }
        func show(_ response: DeviceAuthorizationResponse) { shown.withLock { $0.append(response.userCode) } }
    }

    /// An access whose user decides.
    private func access(
        allow: Bool = true, shown: Codes = Codes(), _ change: (inout ResourceAccess.Options) -> Void = { _ in }
    ) throws -> ResourceAccess {
        let provider = world.provider
        return try world.access(
            login: .device { response in
                shown.show(response)
                #expect(provider.decide(userCode: response.userCode, allow: allow))
            }, change)
    }

    @Test("the client registers for it alone, and the tokens are for the resource; renewals and the next process go on")
    func life() async throws {
        let shown = Codes()
        let first = try access(shown: shown)
        #expect(try await first.performAction(world.get()).status == 200)
        clock.advance(by: .seconds(7200))
        #expect(try await access(shown: shown).performAction(world.get()).status == 200)
        #expect(shown.count == 1 && world.logins == 0)
        let registration = try #require(world.provider.requests(at: .registration).last).body
        let metadata = try JSONValue(parsing: [UInt8](registration))
        #expect(metadata["grant_types"] == [.string(GrantType.deviceCode.rawValue), "refresh_token"])
        #expect(metadata["redirect_uris"] == nil && metadata["response_types"] == [])
        let asked = try #require(world.provider.requests(at: .deviceAuthorization).last).parameters
        #expect(asked["scope"] == "api offline_access" && asked.values("resource") == [world.url.absoluteString])
        #expect(try await first.authState()?.record.resources == [world.url.absoluteString])
    }

    @Test("a resource that wants more rights leads to a second code, which keeps the rights of before")
    func stepUp() async throws {
        let shown = Codes()
        let access = try access(shown: shown)
        _ = try await access.performAction(world.get())
        world.provider.update { $0.protectedResource.scopes = ["api", "profile"] }
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(shown.count == 2)
        #expect(
            world.provider.requests(at: .deviceAuthorization).last?.parameters["scope"] == "api profile offline_access")
    }

    @Test func `the user's refusal is the error, and keeps the login before`() async throws {
        _ = try await access().performAction(world.get())
        let refusing = try access(allow: false)
        #expect(await authError { try await refusing.logIn() }?.code == .accessDenied)
        #expect(try await refusing.performAction(world.get()).status == 200)
    }

    @Test("a login at a page registers a client of its own, and so does one on a device after it")
    func registrations() async throws {
        _ = try await world.access().performAction(world.get())
        try await access().logIn()
        try await world.access().logIn()
        #expect(world.provider.requestCount(.registration) == 3)
    }

    /// The metadata of the clients that asked for a registration.
    private var registered: [JSONValue] {
        get throws {
            try world.provider.requests(at: .registration).map { try JSONValue(parsing: [UInt8]($0.body)) }
        }
    }

    @Test("a server that wants a redirect URI of every client gets one, and the next process has the client")
    func wantedRedirectURI() async throws {
        world.provider.troubles = [try #require(.init(rawValue: "wanted-redirect-uri"))]
        for _ in 1...2 { try await access().logIn() }
        let metadata = try registered
        #expect(metadata.map { $0["redirect_uris"] } == [nil, ["http://127.0.0.1/callback"]])
        #expect(metadata[1]["grant_types"] == metadata[0]["grant_types"] && metadata[1]["response_types"] == [])
        #expect(metadata[1]["scope"] == metadata[0]["scope"] && metadata[1]["scope"] != nil)
    }

    @Test("a server that knows no client without the grant of a page gets that too")
    func wantedGrant() async throws {
        let words = "grant_types must be authorization_code and refresh_token"
        world.provider.inject(.oauthError("invalid_client_metadata", description: words), at: .registration)
        try await access().logIn()
        let metadata = try registered
        #expect(metadata.count == 2 && metadata[1]["redirect_uris"] == ["http://127.0.0.1/callback"])
        let grants: JSONValue = ["authorization_code", .string(GrantType.deviceCode.rawValue), "refresh_token"]
        #expect(metadata[1]["grant_types"] == grants)
        #expect(metadata[1]["response_types"] == ["code"])
    }

    /// What was refused, and what of the scopes and of a redirect URI each attempt had.
    static let refusals: [([String], [String])] = [
        (["invalid_client_metadata", "invalid_client_metadata"], ["scope", "", "redirect_uris"]),
        (
            ["invalid_redirect_uri", "invalid_client_metadata Redirect URIs need authorization_code"],
            ["scope", "scope redirect_uris", "scope redirect_uris"]
        ),
        (
            ["invalid_client_metadata redirect_uris are required", "invalid_scope"],
            ["scope", "scope redirect_uris", "redirect_uris"]
        ), (["invalid_scope", "invalid_redirect_uri"], ["scope", "", "redirect_uris"]),
        (["invalid_scope", "invalid_client_metadata"], ["scope", "", "redirect_uris"]),
    ]

    @Test(
        "each attempt changes one thing, by the words of the refusal; the first refusal is the error of the last",
        arguments: refusals, [true, false])
    func attempts(_ attempts: (refusals: [String], members: [String]), isTaken: Bool) async throws {
        for refusal in attempts.refusals + (isTaken ? [] : ["invalid_client_metadata"]) {
            let words = refusal.split(separator: " ", maxSplits: 1).map(String.init)
            let fault = OpenIDProvider.Fault.oauthError(words[0], description: words.count > 1 ? words[1] : nil)
            world.provider.inject(fault, at: .registration)
        }
        let error = await authError { try await access().logIn() }
        let first = attempts.refusals[0].split(separator: " ").first.map(String.init)
        #expect(error?.response?.error == (isTaken ? nil : first))
        let members = try registered.map { metadata in
            ["scope", "redirect_uris"].filter { metadata[$0] != nil }.joined(separator: " ")
        }
        #expect(members == attempts.members)
    }

    @Test func `an error of a later attempt that is not about the metadata is told as it is`() async throws {
        world.provider.inject(.oauthError("invalid_scope"), at: .registration)
        world.provider.inject(.oauthError("temporarily_unavailable", status: 503), at: .registration)
        #expect(await authError { try await access().logIn() }?.httpStatus == 503)
    }

    @Test func `a client of devices that has a redirect URI is not one of pages`() async throws {
        world.provider.troubles = [try #require(.init(rawValue: "wanted-redirect-uri"))]
        try await access().logIn()
        let redirectURI = try RedirectURI("http://127.0.0.1/callback")
        try await world.access { $0.redirectURI = redirectURI }.logIn()
        let metadata = try registered
        #expect(metadata.count == 3 && metadata[2]["grant_types"] == ["authorization_code", "refresh_token"])
    }

    @Test(
        "every other refusal, the second one, and that of a client of pages are the error",
        arguments: [
            ("invalid_redirect_uri", 400, true, 2), ("invalid_client_metadata", 400, true, 3),
            ("invalid_redirect_uri", 403, true, 1), ("unapproved_software_statement", 400, true, 1),
            ("invalid_redirect_uri", 400, false, 1),
        ])
    func otherRefusals(error: String, status: Int, isOnDevice: Bool, count: Int) async throws {
        world.provider.inject(.oauthError(error, status: status), at: .registration, times: 3)
        let access = isOnDevice ? try access() : try world.access()
        let refusal = await authError { try await access.logIn() }
        #expect(refusal?.httpStatus == status && refusal?.stage == .registration)
        #expect(world.provider.requestCount(.registration) == count)
    }

    /// The key of what a login keeps for the processes that wait for it.
    private var turnKey: AuthStateKey { AuthStateKey("resource \(world.url.absoluteString) login") }

    @Test(
        "of several processes one makes the login, and the others show its code, which is gone after it",
        arguments: [true, false])
    func oneCode(isAllowed: Bool) async throws {
        let provider = world.provider
        let (begun, go) = (AsyncStream<String>.makeStream(), AsyncStream<Void>.makeStream())
        let first = try world.access(
            login: .device { response in
                begun.continuation.yield(response.userCode)
                for await _ in go.stream { break }
                _ = provider.decide(userCode: response.userCode, allow: isAllowed)
            })
        let task = Task { [world] in try await first.performAction(world.get()).status }
        var codes = begun.stream.makeAsyncIterator()
        let code = try #require(await codes.next())
        let shown = Lock<[DeviceAuthorizationResponse]>([])
        let waits = Lock(0)
        let store = TimedStore(base: world.store, key: turnKey)
        let second = try world.access(
            login: .device { response in
                shown.withLock { $0.append(response) }
                go.continuation.yield()
            }, store: store
        ) { $0.onWaitingForLogin = { waits.withLock { $0 += 1 } } }
        let other = Task { [world] in try await second.performAction(world.get()).status }
        if isAllowed {
            #expect(try await other.value == 200)
            #expect(try await task.value == 200)
            #expect(try await world.store.load(turnKey) == nil)
        } else {
            #expect(await authError { try await other.value }?.code == .accessDenied)
            #expect(await authError { try await task.value }?.code == .accessDenied)
            let left = try #require(try await world.store.load(turnKey))
            let record = try AuthStateArchive(data: left.archive).record
            #expect(record.isForgettable && record.authorizationError?.code == .accessDenied)
            #expect(record.annotations.isEmpty)
        }
        #expect(shown.withLock { $0.map(\.userCode) } == [code] && waits.withLock { $0 } == 1)
        #expect(shown.withLock { $0.allSatisfy { $0.deviceCode.isEmpty && $0.request.client.credential == .none } })
        #expect(world.provider.requestCount(.deviceAuthorization) == 1)
        #expect(store.waits.withLock { $0 } == [.zero, .seconds(600)])
    }

    /// The announcement of a login for a resource.
    private func announcement(
        _ code: String, until date: Date, _ change: (inout Client) throws -> Void = { _ in }
    ) async throws -> AuthState.Record {
        var client = Client(try await world.service.discoverConfiguration(issuer: world.provider.issuer), id: "app")
        try change(&client)
        return try ResourceAccess.Turn.announcement(
            of: DeviceAuthorizationResponse(
                request: DeviceAuthorizationRequest(client), deviceCode: "DEVICE-CODE", userCode: code,
                verificationURI: world.url, expiresAt: date), for: ResourceIdentifier(world.url.absoluteString))
    }

    @Test func `what is kept for other processes has neither the device code nor a secret`() async throws {
        let issued = #"{"source":"issued","method":"client_secret_basic","secret":"ISSUED-SECRET"}"#
        let record = try await announcement("CODE", until: clock.date) {
            $0.credential = try JSONDecoder().decode(ClientCredential.self, from: Data(issued.utf8))
        }
        let text = try #require(record.annotations[ResourceAccess.Turn.annotation])
        let kept = try JSONDecoder().decode(DeviceAuthorizationResponse.self, from: Data(text.utf8))
        #expect(kept.deviceCode.isEmpty && kept.userCode == "CODE" && kept.request.client.id == "app")
        #expect(kept.request.client.credential == .none && record.isForgettable)
        let archive = String(decoding: try AuthStateArchive(record).data(), as: UTF8.self)
        #expect(!archive.contains("DEVICE-CODE") && !archive.contains("ISSUED-SECRET"))
    }

    @Test func `an error of showing the code of another process ends the wait`() async throws {
        struct Closed: Error {}
        let (waits, go) = AsyncStream<Void>.makeStream()
        let waiting = try world.access(login: .device { _ in throw Closed() }) {
            $0.onWaitingForLogin = { go.yield() }
        }
        let archive = try AuthStateArchive(
            try await announcement("CODE", until: clock.date.addingTimeInterval(600))
        ).data()
        try await world.store.withLease(turnKey, deadline: .zero) { lease in
            let login = Task { try await waiting.logIn() }
            for await _ in waits { break }
            _ = try await lease.save(archive, expecting: nil)
            await #expect(throws: Closed.self) { try await login.value }
        }
    }

    @Test func `a login that has lost its lease leaves what the next one keeps`() async throws {
        let (store, provider) = (BrokenStore(.locksNothing), world.provider)
        let next = try AuthStateArchive(try await announcement("NEXT", until: clock.date)).data()
        let access = try world.access(
            login: .device { [turnKey] response in
                try await store.withLease(turnKey, deadline: .zero) { lease in
                    _ = try await lease.save(next, expecting: try await lease.load()?.version)
                }
                #expect(provider.decide(userCode: response.userCode, allow: true))
            }, store: store)
        try await access.logIn()
        #expect(try await store.load(turnKey)?.archive == next)
    }

    @Test("a code that is over, or that a killed process left, is not shown, and the next login has its own")
    func leftCode() async throws {
        func leave(_ code: String, after seconds: Double) async throws {
            let archive = try AuthStateArchive(
                try await announcement(code, until: clock.date.addingTimeInterval(seconds))
            ).data()
            try await world.store.withLease(turnKey, deadline: .zero) { lease in
                _ = try await lease.save(archive, expecting: try await lease.load()?.version)
            }
        }
        try await leave("LEFT", after: 600)
        let shown = Codes()
        try await access(shown: shown).logIn()
        #expect(shown.all.count == 1 && shown.all.first != "LEFT")
        #expect(try await world.store.load(turnKey) == nil)
        try await leave("OVER", after: -1)
        let waiting = try access(shown: shown) { $0.maximumLoginWait = .zero }
        try await world.store.withLease(turnKey, deadline: .zero) { _ in
            #expect(await authError { try await waiting.logIn() }?.code == .storeLocked)
        }
        #expect(shown.all.count == 1)
    }

    @Test func `a server without it is an error before a client registers`() async throws {
        world.provider.update { $0.deviations.metadata = { $0["device_authorization_endpoint"] = nil } }
        let error = await authError { [world] in try await access().performAction(world.get()) }
        #expect(error?.code == .endpointMissing && error?.stage == .authorization)
        #expect(error?.expected == "device_authorization_endpoint")
        #expect(world.provider.requestCount(.registration) == 0)
    }
}

/// A store that remembers how long each lease of one key was waited for.
private final class TimedStore: AuthStateStore {
    let waits = Lock<[Duration]>([])
    private let base: InMemoryAuthStateStore
    private let key: AuthStateKey

    init(base: InMemoryAuthStateStore, key: AuthStateKey) { (self.base, self.key) = (base, key) }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        if key == self.key { waits.withLock { $0.append(deadline) } }
        return try await base.withLease(key, deadline: deadline, whileWaiting: look, body)
    }

    var mayBeWrittenByOthers: Bool { base.mayBeWrittenByOthers }
}

import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

/// Abandoned states are listed by age, revoked at the provider and deleted.
@Suite(.timeLimit(.minutes(5))) struct PoolSweepTests {
    let clock = ManualClock()
    let transport: ScriptedTransport
    let service: AuthorizationService
    let scratch: ScratchFolder
    let answer = Answer()

    /// The provider's current answer.
    final class Answer: Sendable {
        let value = Lock((status: 200, body: "{}"))

        var response: TransportResponse {
            let (status, body) = value.withLock { $0 }
            return TransportResponse(
                status: status, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        }
    }

    init() throws {
        scratch = try ScratchFolder()
        transport = ScriptedTransport([], then: .dynamic { [answer] _ in answer.response })
        var configuration = AuthorizationService.Configuration()
        // Files have the times of the system's clock.
        clock.advance(by: .seconds(Date.now.timeIntervalSince(clock.date)))
        configuration.clock = clock.wallClock
        service = AuthorizationService(transport: transport, configuration: configuration)
    }

    /// Stores a state that has a refresh token, at a provider that revokes.
    private func add(_ name: String, to store: any AuthStateStore, revokes: Bool = true) async throws {
        var configuration = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        if revokes { configuration.revocationEndpoint = URL(string: "https://op.example/revoke") }
        let record = AuthState.Record(Client(configuration, id: "client")).applying(
            .tokens(TokenResponse(accessToken: "access-\(name)", issuedAt: clock.date, refreshToken: "refresh-\(name)"))
        )
        try await store.put(text(AuthStateArchive(record).data()), AuthStateKey(rawValue: name))
    }

    /// The tokens that were revoked, sorted.
    private var revoked: [String] {
        transport.requests.compactMap {
            $0.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }?["token"]
        }.sorted()
    }

    private func pool(_ store: any AuthStateStore) -> AuthStatePool { AuthStatePool(store: store, service: service) }

    @Test(
        "states that were not saved for some time are revoked and deleted, newer ones stay", arguments: [true, false])
    func swept(isSealed: Bool) async throws {
        let files = FileAuthStateStore(folder: scratch.path)
        let store: any AuthStateStore =
            isSealed ? try SealedAuthStateStore(files, keys: [.random()]) : files
        for name in ["old", "older", "new"] { try await add(name, to: store) }
        for name in ["old", "older"] {
            let path = try files.path(for: AuthStateKey(rawValue: name))
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now.addingTimeInterval(-7200)], ofItemAtPath: path)
        }
        let outcome = try await pool(store).sweep(olderThan: .seconds(3600))
        #expect(outcome == AuthStatePool.SweepOutcome(deleted: 2, revoked: 2))
        #expect(revoked == ["access-old", "access-older", "refresh-old", "refresh-older"])
        #expect(try await store.load("new") != nil)
        // Nothing is left of the others, no lock either.
        #expect(try scratch.names().count == 2)
    }

    @Test func `a state that is saved after it was listed is kept`() async throws {
        let store = InMemoryAuthStateStore(clock: clock.wallClock)
        try await add("busy", to: store)
        clock.advance(by: .seconds(7200))
        let late = LateStore(base: store) { try await add("busy", to: store) }
        #expect(try await pool(late).sweep(olderThan: .seconds(3600)) == AuthStatePool.SweepOutcome(kept: 1))
        #expect(try await store.load("busy") != nil && revoked.isEmpty)
    }

    @Test("states are kept for the next sweep while their provider is away, and deleted when it cannot revoke")
    func failures() async throws {
        let store = InMemoryAuthStateStore(clock: clock.wallClock)
        try await add("a", to: store)
        try await add("plain", to: store, revokes: false)
        try await store.put("damaged", "damaged")
        clock.advance(by: .seconds(7200))
        answer.value.withLock { $0 = (503, #"{"error":"temporarily_unavailable"}"#) }
        var outcome = try await pool(store).sweep(olderThan: .seconds(3600))
        #expect(outcome.deleted == 1 && outcome.revoked == 0 && outcome.failures == 2 && outcome.error != nil)
        #expect(try await store.load("a") != nil)
        answer.value.withLock { $0 = (401, #"{"error":"invalid_client"}"#) }
        outcome = try await pool(store).sweep(olderThan: .seconds(3600))
        #expect(outcome.deleted == 1 && outcome.failures == 2)
        #expect(try await store.load("a") == nil)
        // A state that cannot be read is left as it is.
        #expect(try await store.load("damaged") != nil)
    }

    @Test func `a state of this pool that was swept is logged out at its next use`() async throws {
        let store = InMemoryAuthStateStore(clock: clock.wallClock)
        try await add("here", to: store)
        let pool = pool(store)
        let state = try await pool.state(for: "here")
        clock.advance(by: .seconds(7200))
        try await pool.sweep(olderThan: .seconds(3600))
        let error = await authError { try await pool.freshTokens(for: "here") }
        #expect(error?.code == .notLoggedIn && !state.isAuthorized)
    }

    @Test func `a store that cannot list says so`() async throws {
        let error = await authError { try await pool(FakeDevice().store()).sweep(olderThan: .seconds(1)) }
        #expect(error?.code == .invalidArgument)
    }
}

/// A store in which something happens after the list was made.
private struct LateStore: AuthStateStore {
    let base: InMemoryAuthStateStore
    let afterList: @Sendable () async throws -> Void

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        let entries = try await base.entries(savedBefore: date)
        try await afterList()
        return entries
    }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await base.withLease(key, deadline: deadline, whileWaiting: look, body) }
}

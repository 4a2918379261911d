import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReadOnlyAuthStateStoreTests {
    private let base = InMemoryAuthStateStore()
    private let fixture: Fixture
    /// The state of the program that renews.
    private let owner: AuthState

    init() async throws {
        fixture = try Fixture([Fixture.tokens(1)])
        owner = fixture.state(store: base)
        _ = try await base.put(text(AuthStateArchive(fixture.record).data()))
    }

    private func reader() async throws -> AuthState {
        try await AuthState.restore(
            at: AuthState.Place(
                ReadOnlyAuthStateStore(base, renewedBy: "the app"), service: fixture.service,
                options: fixture.options))
    }

    @Test("fresh tokens are served")
    func fresh() async throws { #expect(try await reader().freshTokens().accessToken == "SECRET-access-0") }

    @Test func `tokens that are no longer fresh are served until they expire`() async throws {
        let reader = try await reader()
        fixture.clock.advance(by: .seconds(3590))
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-0")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("when the tokens have expired, the error names the program that renews them, and nothing is sent")
    func ended() async throws {
        let reader = try await reader()
        fixture.clock.advance(by: .seconds(4000))
        for _ in 0..<2 {
            let error = await authError { try await reader.freshTokens() }
            #expect(error?.code == .storeReadOnly && error?.kind == .store)
            #expect(error?.message.contains("the app") == true && error?.hint?.contains("the app") == true)
        }
        #expect(await authError { try await reader.refresh() }?.code == .storeReadOnly)
        #expect(fixture.transport.requests.isEmpty)
        #expect(reader.isAuthorized)
    }

    @Test func `tokens that the owner renewed meanwhile are adopted`() async throws {
        let reader = try await reader()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await reader.freshTokens() }?.code == .storeReadOnly)
        #expect(try await owner.freshTokens().accessToken == "SECRET-access-1")
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test("a change by the owner is noticed at the next use, while the tokens here are still fresh")
    func noticing() async throws {
        let reader = try await reader()
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-0")
        _ = try await owner.refresh()
        #expect(try await reader.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test("a token that a resource refuses is replaced by the owner's newer one, or the call fails; nothing is sent")
    func refusedToken() async throws {
        let reader = try await reader()
        let error = await authError {
            try await reader.withFreshToken { _ in throw TokenRejected(TransportResponse(status: 401)) }
        }
        #expect(error?.code == .storeReadOnly)
        #expect(fixture.transport.requests.isEmpty)
        _ = try await owner.refresh()
        let token = try await reader.withFreshToken { tokens in
            if tokens.accessToken == "SECRET-access-0" { throw TokenRejected(TransportResponse(status: 401)) }
            return tokens.accessToken
        }
        #expect(token == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test("a logout of the owner is noticed")
    func logout() async throws {
        let reader = try await reader()
        try await AuthState.remove(from: base)
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await reader.freshTokens() }?.kind == .reauthenticationRequired)
    }

    @Test func `nothing can be reserved, saved or removed, and no lease holder is waited for`() async throws {
        let store = ReadOnlyAuthStateStore(base)
        let before = try await base.load(.default)
        try await base.withLease(.default, deadline: .seconds(10)) { _ in
            try await store.withLease(.default, deadline: .seconds(10)) { lease in
                #expect(try await lease.load() == before)
                try await expectStoreError(.storeReadOnly) { try await lease.reserve() }
                try await expectStoreError(.storeReadOnly) {
                    _ = try await lease.save(Data(), expecting: before?.version)
                }
                try await expectStoreError(.storeReadOnly) { try await lease.delete(expecting: before?.version) }
                try await expectStoreError(.storeReadOnly) { try await lease.discard() }
            }
        }
        #expect(try await base.load(.default) == before)
    }

    @Test("a login through a read-only store is refused, and no browser is opened")
    func login() async throws {
        let error = await authError {
            try await AuthState.logIn(
                .clientCredentials(Client(fixture.record.client.provider, id: "client", credential: .secret("s"))),
                at: AuthState.Place(ReadOnlyAuthStateStore(base), service: fixture.service))
        }
        #expect(error?.code == .storeReadOnly)
        #expect(fixture.transport.requests.isEmpty)
    }
}

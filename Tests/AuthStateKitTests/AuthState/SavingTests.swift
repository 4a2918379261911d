import AuthStateFoundation
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct SavingTests {
    private let store = InMemoryAuthStateStore()

    @Test func `nothing is redeemed when nothing can be saved`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let store = FaultyStore()
        store.fail(.reserve)
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.kind == .store)
        #expect(fixture.transport.requests.isEmpty)
        #expect(state.isAuthorized)
        store.fail()
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test("a rotated refresh token is saved before any caller sees the new access token")
    func savedBeforePublished() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state(store: store)
        var changes = state.stateChanges.makeAsyncIterator()
        _ = await changes.next()
        fixture.clock.advance(by: .seconds(4000))
        let caller = Task { try await state.freshTokens() }
        let change = await changes.next()
        #expect(try await store.record()?.refreshToken == "SECRET-refresh-1")
        #expect(change?.isAuthorized == true)
        _ = try await caller.value
    }

    @Test("tokens whose save fails after all stay in memory; the failure is reported, and the next change saves them")
    func failedSaveIsMadeUpFor() async throws {
        var fixture = try Fixture([Fixture.tokens(1)])
        let (store, log) = (FaultyStore(), EventLog())
        fixture.options.observer = log
        store.fail(.save)
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(log.events.contains { if case .saveFailed = $0 { true } else { false } })
        #expect(try await store.inner.load(.default) == nil)
        store.fail()
        try await state.setNeedsTokenRefresh()
        let record = try #require(try await store.inner.record())
        #expect(record.refreshToken == "SECRET-refresh-1")
        #expect(record.needsTokenRefresh)
    }

    @Test("a renewal adopts what another process stored instead of spending the old refresh token")
    func adoption() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let first = fixture.state(store: store)
        try await first.setNeedsTokenRefresh()
        let second = try await AuthState.restore(at: fixture.place(store))
        #expect(try await first.freshTokens().accessToken == "SECRET-access-1")
        #expect(try await second.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
        #expect(second.record.refreshToken == "SECRET-refresh-1")
    }

    @Test func `a mark set here does not undo what another process renewed`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let first = fixture.state(store: store)
        try await first.setNeedsTokenRefresh()
        let second = try await AuthState.restore(at: fixture.place(store))
        _ = try await first.freshTokens()
        try await second.setNeedsTokenRefresh()
        #expect(second.record.refreshToken == "SECRET-refresh-1")
        #expect(second.status.needsTokenRefresh)
    }

    @Test func `an older copy that is put back is replaced, and its spent refresh token is not sent`() async throws {
        var fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        fixture.record.grantID = "grant"
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        let copy = try #require(try await store.load(.default)).archive
        _ = try await state.freshTokens()
        try await store.withLease(.default, deadline: .zero) { lease in
            _ = try await lease.save(copy, expecting: try await lease.load()?.version)
        }
        fixture.clock.advance(by: .seconds(4000))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1"])
        #expect(try await store.record()?.refreshToken == "SECRET-refresh-2")
    }

    @Test func `a logout in another process is noticed by the next renewal`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let first = fixture.state(store: store)
        try await first.setNeedsTokenRefresh()
        let second = try await AuthState.restore(at: fixture.place(store))
        try await second.clear()
        #expect(await authError { try await first.freshTokens() }?.kind == .reauthenticationRequired)
        #expect(!first.isAuthorized)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `invalid_grant after another process rotated without a lease adopts its tokens`() async throws {
        let store = FaultyStore()
        let fixture = try Fixture()
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        var other = state.record
        other = other.applying(
            .renewed(fixture.response("SECRET-theirs", refreshToken: "SECRET-their-refresh")))
        let theirs = try AuthStateArchive(other).data()
        fixture.transport.enqueue(
            .dynamic { _ in
                store.overwrite(theirs)
                return TransportResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
            })
        #expect(try await state.freshTokens().accessToken == "SECRET-theirs")
        #expect(state.isAuthorized)
    }

    @Test func `a state survives its archive, with absolute dates and members of a newer version`() throws {
        var record = try Fixture().record.applying(
            .failed(
                AuthStateError(
                    .invalidGrant, stage: .refresh, "gone", response: OAuthErrorResponse(error: "invalid_grant"),
                    httpStatus: 400)))
        record.client.credential = .environment("CLIENT_SECRET")
        let data = try AuthStateArchive(record).data()
        #expect(try AuthStateArchive(data: data).record == record)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""accessTokenExpirationDate":1800003600"#))
        let place = try #require(text.firstRange(of: #""clientID":"#))
        let extended = text[..<place.lowerBound] + #""fromTheFuture":{"x":[1]},"# + text[place.lowerBound...]
        let kept = try AuthStateArchive(data: Data(extended.utf8)).data()
        #expect(String(decoding: kept, as: UTF8.self).contains(#""fromTheFuture":{"x":[1]}"#))
    }

    @Test("a given secret is never archived; a restored state asks for it")
    func secretsAreNotArchived() async throws {
        var record = try Fixture().record
        record.client.credential = .secret("SECRET-client")
        let data = try AuthStateArchive(record).data()
        #expect(!String(decoding: data, as: UTF8.self).contains("SECRET-client"))
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = AuthState(
            try AuthStateArchive(data: data).record, service: fixture.service, store: InMemoryAuthStateStore(),
            options: fixture.options)
        #expect(await authError { try await state.refresh() }?.code == .credentialUnavailable)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test(
        "corrupt, foreign and newer archives are refused",
        arguments: [
            ("", AuthStateError.Code.storeCorrupt), ("{}", .storeCorrupt), ("[]", .storeCorrupt),
            (#"{"format":3,"state":{}}"#, .storeCorrupt), (#"{"format":4,"state":{}}"#, .storeTooNew),
        ])
    func refusedArchives(_ text: String, _ code: AuthStateError.Code) {
        let error = #expect(throws: AuthStateError.self) { try AuthStateArchive(data: Data(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test func `an archive of a format before the first release is refused by the number of its format`() throws {
        let archive = String(decoding: try AuthStateArchive(Fixture().record).data(), as: UTF8.self)
        let former = archive.replacing(#""format":3"#, with: #""format":2"#)
        let error = #expect(throws: AuthStateError.self) { try AuthStateArchive(data: Data(former.utf8)) }
        #expect(error?.code == .storeCorrupt && error?.received == "format 2" && error?.expected == "format 3")
    }

    @Test func `restoring from an empty store says that no user is logged in`() async throws {
        let fixture = try Fixture()
        let error = await authError {
            try await AuthState.restore(at: AuthState.Place(InMemoryAuthStateStore(), service: fixture.service))
        }
        #expect(error?.code == .notLoggedIn)
    }
}

import Testing

@testable import AuthStateApp
@testable import AuthStateKit

struct AuthSessionStateTests {
    private let ended = AuthStateError(.invalidGrant, stage: .refresh, "The grant is gone.", hint: "Log in again.")

    private func seen(_ record: AuthState.Record) -> AuthSessionState.Event {
        .seen(AuthState.Status(record, storeError: nil), AuthUser(record))
    }

    @Test("a session shows nothing at first, then its activity, and an error with its advice until it is dismissed")
    func failed() {
        var state = AuthSessionState()
        #expect(!state.isAuthenticated && !state.isLoading && state.errorMessage == nil)
        state.apply(.began(.signingIn))
        #expect(state.isLoading && state.activity == .signingIn)
        state.apply(.ended(.signingIn, ended))
        #expect(!state.isLoading && state.error == ended && state.errorMessage == "The grant is gone. Log in again.")
        state.apply(.dismissed)
        #expect(state.errorMessage == nil)
        state.apply(.ended(.signingIn, ended))
        state.apply(.began(.restoring))
        #expect(state.error == ended)
        state.apply(.began(.signingIn))
        #expect(state.error == nil)
    }

    @Test func `the error of a restoring disappears when a later one succeeds; that of a sign-in stays`() {
        var state = AuthSessionState()
        let locked = AuthStateError(.deviceLocked, stage: .store, "The device is locked.")
        for _ in 0..<2 {
            state.apply(.began(.restoring))
            state.apply(.ended(.restoring, locked))
            #expect(state.error == locked)
        }
        state.apply(.ended(.restoring, nil))
        #expect(state == AuthSessionState())

        state.apply(.ended(.restoring, locked))
        state.apply(.began(.signingIn))
        state.apply(.ended(.signingIn, locked))
        state.apply(.ended(.restoring, nil))
        #expect(state.error == locked)
    }

    @Test func `the end of an activity that another one has replaced changes nothing`() {
        var state = AuthSessionState()
        state.apply(.began(.restoring))
        state.apply(.began(.signingIn))
        state.apply(.ended(.restoring, ended))
        #expect(state.activity == .signingIn && state.error == nil)
    }

    @Test func `a login that ends is not shown any more, and its reason is shown once`() throws {
        var state = AuthSessionState()
        let record = try Fixture().record
        state.apply(seen(record))
        #expect(state.isAuthenticated && state.accessTokenExpirationDate != nil)
        let failed = record.applying(.failed(ended))
        state.apply(seen(failed))
        #expect(!state.isAuthenticated && state.user == nil && state.error == ended)
        #expect(state.accessTokenExpirationDate == nil)
        state.apply(.dismissed)
        state.apply(seen(failed.applying(.refreshRequested)))
        #expect(state.error == nil)
        state.apply(seen(record))
        #expect(state.isAuthenticated)
    }

    @Test func `the reason disappears when it no longer holds; another error stays`() throws {
        var state = AuthSessionState()
        let record = try Fixture().record
        state.apply(seen(record.applying(.failed(ended))))
        #expect(state.error == ended)
        state.apply(seen(record))
        #expect(state.error == nil && state.isAuthenticated)
        state.apply(seen(record.applying(.failed(ended))))
        let other = AuthStateError(.unreachable, stage: .userinfo, "No answer.")
        state.apply(.ended(.signingIn, other))
        state.apply(seen(record))
        #expect(state.error == other)
    }

    @Test func `a session that is left shows nothing`() throws {
        var state = AuthSessionState()
        state.apply(seen(try Fixture().record))
        state.apply(.left)
        #expect(state == AuthSessionState())
    }
}

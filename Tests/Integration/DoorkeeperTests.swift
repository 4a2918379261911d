import AuthStateKit
import Testing

extension ProviderTests {
    /// The behaviour of Doorkeeper that differs from the other providers'.
    struct DoorkeeperTests {
        @Test("an ID token whose nonce got lost on the page for consent is refused")
        func lostNonce() async throws {
            let flow = try Flow(.doorkeeper).client("forgetful")
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .invalidIDToken && error?.message.contains("nonce") == true)
            #expect(try await flow.store.login() == nil)
        }

        @Test("there is no logout and no registration: the tokens are revoked, the rest is said")
        func missing() async throws {
            let flow = try Flow(.doorkeeper)
            let state = try await flow.logIn()
            let copy = flow.copy(of: state)
            let outcome = await state.logOut(.everywhere(flow.browser.userAgent()))
            #expect(outcome == LogoutOutcome(removal: .done, revocation: .done, session: .notOffered))
            let error = await #expect(throws: AuthStateError.self) { try await copy.refresh() }
            #expect(error?.code == .invalidGrant)
            let configuration = try await flow.configuration()
            #expect(configuration.registrationEndpoint == nil && configuration.endSessionEndpoint == nil)
        }

        @Test("a scope that is unknown strands the user at the provider, which tells why")
        func scope() async throws {
            var flow = try Flow(.doorkeeper)
            flow.scopes = [.openID, "nonsense"]
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .browserUnavailable && error?.stage == .authorization)
            #expect(error?.received?.contains("The requested scope is invalid, unknown, or malformed.") == true)
        }

        @Test("a wrong secret is told from an unknown client as little as Doorkeeper tells them apart")
        func wrongSecret() async throws {
            let flow = try Flow(.doorkeeper).client("basic", .secret("wrong"))
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .invalidClient && error?.recognizedFailure?.name == .clientRefused)
        }
    }
}

/// Doorkeeper as its generator sets it up.
@Suite(
    .whereProvidersAreInstalled, .running([.lenientDoorkeeper]), .serialized,
    .timeLimit(.minutes(5)))
struct LenientDoorkeeperTests {
    @Test("a refresh token is valid until the access token that followed it is used")
    func spent() async throws {
        let flow = try Flow(.lenientDoorkeeper)
        let state = try await flow.logIn()
        let (second, third) = (flow.copy(of: state), flow.copy(of: state))
        try await state.refresh()
        try await second.refresh()
        #expect(try await second.userInfo().email == "alice@example.test")
        let error = await #expect(throws: AuthStateError.self) { try await third.refresh() }
        #expect(error?.code == .invalidGrant)
    }
}

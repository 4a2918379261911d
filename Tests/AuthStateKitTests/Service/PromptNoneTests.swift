import AuthStateKit
import AuthStateTesting
import Testing

/// Prompt=none (OpenID Connect Core, section 3.1.2.6).
@Suite(.timeLimit(.minutes(5))) struct PromptNoneTests {
    @Test(
        "each refusal has a code of its own, and leaves state and store as they were",
        arguments: [
            ("login_required", AuthStateError.Code.loginRequired), ("consent_required", .consentRequired),
            ("interaction_required", .interactionRequired),
            ("account_selection_required", .accountSelectionRequired),
        ], [false, true])
    func refusals(_ refusal: (String, AuthStateError.Code), isPushed: Bool) async throws {
        let (name, code) = refusal
        let fixture = try await ProviderFixture { $0.promptNoneError = name }
        let store = InMemoryAuthStateStore()
        let state = try await AuthState.logIn(.browser(fixture.request(), DirectUserAgent()), at: fixture.place(store))
        let (before, stored) = (state.record, try await store.load(.default))
        var request = fixture.request()
        request.prompt = [.none]
        request.isPushed = isPushed
        let silent = request
        let error = await authError {
            _ = try await AuthState.logIn(.browser(silent, DirectUserAgent()), at: fixture.place(store))
        }
        #expect(error?.code == code && error?.kind == .reauthenticationRequired && error?.stage == .authorization)
        #expect(error?.response?.error == name && error?.hint?.contains("prompt=none") == true)
        #expect(state.record == before)
        #expect(try await store.load(.default)?.archive == stored?.archive)
        #expect(try await state.refresh().accessToken != before.accessToken)
    }

    @Test func `a user who has a session logs in without a page`() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.prompt = [.none]
        request.idTokenHint = try await fixture.logIn().record.idToken
        #expect(try await fixture.logIn(request).isAuthorized)
    }

    @Test("where a page would have to be shown, the provider says login_required")
    func page() async throws {
        let fixture = try await ProviderFixture { $0.login = .page }
        var request = fixture.request()
        request.prompt = [.none]
        let silent = request
        let agent = DirectUserAgent(login: ("ada", "lovelace"))
        #expect(await authError { try await fixture.logIn(silent, agent: agent) }?.code == .loginRequired)
    }
}

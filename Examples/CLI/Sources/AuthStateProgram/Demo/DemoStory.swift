import AuthStateKit
import AuthStateTesting

/// The provider and the login that a demonstration is about; each step tells what happened in one sentence.
actor DemoStory {
    /// A part of the story.
    struct Step: Sendable {
        let name: String
        let play: @Sendable (DemoStory) async throws -> String
    }

    /// The whole story, in order.
    static let steps: [Step] = [
        Step(name: "provider") { await $0.introduceProvider() },
        Step(name: "login") { try await $0.logIn() },
        Step(name: "userinfo") { try await $0.readUserInfo() },
        Step(name: "expiry") { try await $0.letTokenExpire() },
        Step(name: "shared-renewal") { try await $0.renewForManyCallers() },
        Step(name: "new-process") { try await $0.goOnInNewProcess() },
        Step(name: "refused-token") { try await $0.recoverFromRefusal() },
        Step(name: "lost-grant") { try await $0.loseGrant() },
        Step(name: "new-login") { try await $0.logInAgain() },
        Step(name: "bound-login") { try await $0.bindToKey() },
        Step(name: "device-login") { try await $0.logInOnAnotherDevice() },
        Step(name: "logout") { try await $0.logOut() },
    ]

    let provider: OpenIDProvider
    let service = AuthorizationService()
    let file: String
    private var loggedIn: AuthState?

    /// A scripted browser, and the redirect back from it.
    static let userAgent = LoopbackUserAgent(browser: .scripted, timeout: .seconds(5))

    /// Starts a provider whose access tokens last one second.
    init(file: String) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.accessTokenLifetime = .seconds(1)
        configuration.devicePollingInterval = .seconds(1)
        provider = try await OpenIDProvider(configuration: configuration)
        self.file = file
    }

    /// Stops the provider.
    func end() async { await provider.stop() }

    /// The state, once the user is logged in.
    var state: AuthState {
        get throws {
            guard let loggedIn else { throw AuthStateError.notLoggedIn }
            return loggedIn
        }
    }

    /// Logs in as a program does for a user; a scripted browser stands in for them.
    func authorize() async throws -> AuthState {
        let request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"),
            scopes: [.openID, .profile, .offlineAccess])
        let state = try await AuthState.logIn(
            .browser(request, Self.userAgent),
            at: AuthState.Place(FileAuthStateStore(file: file), service: service))
        loggedIn = state
        return state
    }
}

/// Throws unless the step had the expected result.
func expect(_ condition: Bool, _ message: String) throws {
    guard condition else { throw AuthStateError(.providerError, stage: Demo.stage, message) }
}

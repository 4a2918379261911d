import AuthStateApp
import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@testable import AppleApp

/// An app and a provider in this process; the app can be ended and started again with its stored state.
@MainActor
struct World {
    let provider: OpenIDProvider
    let store = InMemoryAuthStateStore()
    let clock = ManualClock()

    init(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        provider = try await OpenIDProvider(configuration: configuration)
    }

    /// The provider as a line of the app's list.
    func line(_ id: String = "local", issuer: String? = nil) throws -> Provider {
        Provider(
            id: id, title: "Local",
            login: AuthSessionConfiguration(
                .issuer(issuer ?? provider.issuer), clientID: "app",
                redirectURI: try RedirectURI("com.example.app:/callback"),
                scopes: [.openID, .profile, .email, .offlineAccess]),
            api: provider.url(of: .resource))
    }

    /// The app as it starts.
    func parts(
        _ userAgent: @escaping @MainActor (RedirectRouter) -> any ExternalUserAgent = { _ in DirectUserAgent() }
    ) throws -> LoginParts {
        let router = RedirectRouter(redirectURIs: [try RedirectURI("com.example.app:/callback")], store: store)
        return LoginParts(store: store, router: router) { _ in userAgent(router) }
    }

    /// The app's account at the provider, with a user logged in.
    func signedIn(_ userAgent: any ExternalUserAgent = DirectUserAgent()) async throws -> Account {
        let account = Account(try line(), try parts { _ in userAgent })
        try await account.session.signIn()
        return account
    }
}

/// Waits until a task of the app makes a condition true; bounded, so that a failing test also ends.
@MainActor
func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(120)
    while !holds() {
        guard ContinuousClock.now < end else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

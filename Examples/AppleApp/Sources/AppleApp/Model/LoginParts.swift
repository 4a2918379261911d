import AuthStateApp
import AuthStateKit

/// The parts that all logins of the app share: their store, how pages are shown, and the router of the URLs that come
/// back.
@MainActor
struct LoginParts {
    /// The keychain in the app, memory in tests.
    let store: any AuthStateStore
    let router: RedirectRouter
    /// Shows a provider's page in the way that the provider needs.
    let userAgent: @MainActor (Provider) -> any ExternalUserAgent
    /// The work to be done before anything is restored.
    var prepare: @MainActor () async -> Void = {}

    /// A provider's session, and the log of its steps.
    func session(_ provider: Provider) -> (core: AuthSessionCore, log: AsyncStream<LoginTrace.Entry>) {
        let (trace, log) = LoginTrace.makeStream()
        var configuration = AuthorizationService.Configuration()
        configuration.trace = trace
        let core = AuthSessionCore(
            provider.login, userAgent: userAgent(provider), service: AuthorizationService(configuration: configuration),
            store: store, key: AuthStateKey(rawValue: provider.id))
        return (core, log)
    }
}

import AuthStateApp
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One line of the list: the provider, its client, and how the browser comes back.
struct Provider: Identifiable, Sendable {
    /// The way by which the provider's answer returns to the app.
    enum Way: Sendable, Hashable {
        /// The system's login window sees the redirect URI, which has the app's own scheme.
        case window
        /// The redirect URI is a page, which passes the answer on to the app's own scheme; there the window sees it.
        case page(callbackURL: RedirectURI)
        /// The redirect URI is an https address of the app: the window sees it from iOS 17.4 on; before, the browser opens
        /// the app with it.
        case universalLink
    }

    /// Also the key that the login is kept under.
    let id: String
    let title: String
    let login: AuthSessionConfiguration
    var way = Way.window
    /// A resource that wants the access token.
    var api: URL?

    /// Returns the problems of the set-up, before the first login.
    func findings(in app: AppDeclarations) -> [Finding] {
        guard case .page(let callbackURL) = way else { return login.diagnose(app: app) }
        return login.diagnose() + RedirectURI.diagnose(callbackURL.rawValue, app: app)
    }
}

import AuthStateApp
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All providers side by side, each with a session and a key of its own.
@available(iOS 17, macOS 14, *)
@MainActor
final class Accounts {
    let list: [Account]
    private let parts: LoginParts

    init(_ providers: [Provider], _ parts: LoginParts) {
        list = providers.map { Account($0, parts) }
        self.parts = parts
    }

    /// Shows who is logged in, at launch; needs no network.
    func restore() async {
        await parts.prepare()
        for account in list { await account.session.restore() }
    }

    /// Receives a URL that the app was opened with, and passes it to the login that waits for it.
    ///
    /// - Returns: Whether a login waited for it; the app handles any other URL.
    @discardableResult
    func open(_ url: URL) -> Bool { parts.router.open(url) }

    /// Completes logins that began before the app was ended, for as long as its task runs.
    func completeRestored() async {
        for await redirect in parts.router.restored {
            guard let account = list.first(where: { $0.id == redirect.label }) else { continue }
            // `session.errorMessage` has the error.
            _ = try? await account.session.complete(redirect)
        }
    }
}

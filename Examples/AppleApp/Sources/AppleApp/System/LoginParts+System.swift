import AuthStateApp

#if canImport(AuthenticationServices)
    import AuthStateKit
    import Foundation

    #if os(macOS)
        import AppKit
    #else
        import UIKit
    #endif

    extension LoginParts {
        /// The app's own: the keychain, the system's login window, and the browser where the window does not work.
        static let ofThisApp: LoginParts = {
            // An app with extensions adds their common group: accessGroup: "ABCDE12345.com.example.app.shared".
            let store = KeychainAuthStateStore(service: "com.example.app")
            let router = RedirectRouter(redirectURIs: Provider.all.compactMap(\.login.redirectURI), store: store)
            return LoginParts(
                store: store, router: router, userAgent: { userAgent(of: $0, router) },
                prepare: { await removeLeftovers(from: store) })
        }()

        private static func userAgent(of provider: Provider, _ router: RedirectRouter) -> any ExternalUserAgent {
            switch provider.way {
            case .page(let callbackURL):
                WebAuthenticationUserAgent(configuration: .init(callbackURL: callbackURL))
            case .universalLink where !WebAuthenticationUserAgent.supportsHTTPSCallbacks:
                RedirectUserAgent(router: router, label: provider.id) { await open($0) }
            case .window, .universalLink:
                WebAuthenticationUserAgent()
            }
        }

        private static func open(_ url: URL) async -> Bool {
            #if os(macOS)
                NSWorkspace.shared.open(url)
            #else
                await UIApplication.shared.open(url)
            #endif
        }

        /// The keychain outlives the app: the entries of a former installation are removed at the first start of this
        /// one.
        ///
        /// An app that adds this in an update also treats any trace of an earlier version as the mark; otherwise the
        /// update logs out every user.
        private static func removeLeftovers(from store: KeychainAuthStateStore) async {
            #if os(iOS)
                // Before the first unlock nothing can be read, not even the mark.
                guard UIApplication.shared.isProtectedDataAvailable else { return }
            #endif
            let mark = "hasStarted"
            guard !UserDefaults.standard.bool(forKey: mark) else { return }
            do { try await store.removeAll() } catch { return }
            UserDefaults.standard.set(true, forKey: mark)
        }
    }
#endif

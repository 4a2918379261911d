import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The app's login in an app extension, a widget for example: it uses the tokens and never renews them.
///
/// Two processes that renewed with one refresh token would look like a theft to the provider, which then revokes the
/// grant.
struct ReadOnlyLogin: Sendable {
    private let store: ReadOnlyAuthStateStore

    /// - Parameter store: The app's store. In the extension `KeychainAuthStateStore(service:accessGroup:)` with the same
    ///   names as in the app.
    init(_ store: any AuthStateStore) { self.store = ReadOnlyAuthStateStore(store, renewedBy: "the app") }

    /// Returns the API's answer, or what the user has to do.
    func read(_ api: URL, account: String) async -> String {
        do {
            let authState = try await AuthState.restore(
                at: AuthState.Place(store, key: AuthStateKey(rawValue: account)))
            let response = try await authState.performAction(TransportRequest(url: api))
            return String(decoding: response.body, as: UTF8.self)
        } catch let error as AuthStateError where error.code == .notLoggedIn {
            return "Sign in in the app."
        } catch let error as AuthStateError where error.code == .storeReadOnly {
            return "Open the app to go on."
        } catch {
            return "Try again later."
        }
    }
}

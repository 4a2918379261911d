import AuthStateApp

#if canImport(SwiftUI)
    import AuthStateKit
    import Foundation
    import SwiftUI

    /// The list of providers on iOS 16.
    struct ObservableProviderList: View {
        private let parts = LoginParts.ofThisApp

        var body: some View {
            NavigationStack {
                List(Provider.all) { provider in
                    NavigationLink {
                        ObservableAccountView(provider: provider, parts: parts)
                    } label: {
                        Text(verbatim: provider.title)
                    }
                }
                .navigationTitle("Accounts")
            }
            .task { await completeRestored() }
            .onOpenURL { parts.router.open($0) }
            .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                if let url = activity.webpageURL { parts.router.open(url) }
            }
        }

        /// Completes logins that began before the app was ended; their screens find them in the keychain.
        private func completeRestored() async {
            await parts.prepare()
            for await redirect in parts.router.restored {
                guard let provider = Provider.all.first(where: { $0.id == redirect.label }) else { continue }
                _ = try? await parts.session(provider).core.complete(redirect)
            }
        }
    }

    /// One provider: sign in; then the user, the expiry and the scope.
    struct ObservableAccountView: View {
        private let provider: Provider
        private let parts: LoginParts
        @StateObject private var session: ObservableSession

        init(provider: Provider, parts: LoginParts) {
            (self.provider, self.parts) = (provider, parts)
            _session = StateObject(wrappedValue: ObservableSession(parts.session(provider).core))
        }

        var body: some View {
            List {
                if let user = session.state.user {
                    Profile(user: user)
                    FactSection("Tokens", session.core.authState?.record.tokenFacts ?? [])
                    FactSection("ID token", Fact.list(user.idTokenClaims))
                    Button("Sign out", role: .destructive) { Task { await session.core.signOut() } }
                } else {
                    Button("Sign in") { Task { try? await session.core.signIn() } }
                }
            }
            .navigationTitle(provider.title)
            .busy(session.state) { session.core.cancelSignIn() }
            .errorAlert($session.errorMessage)
            .task {
                await parts.prepare()
                await session.core.restore()
            }
        }
    }
#endif

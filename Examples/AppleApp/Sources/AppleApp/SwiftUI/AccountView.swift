import AuthStateApp

#if canImport(SwiftUI)
    import AuthStateKit
    import SwiftUI

    /// One provider: sign in; then the user, the expiry, the scope, and the actions.
    @available(iOS 17, macOS 14, *)
    struct AccountView: View {
        @Bindable private var session: AuthSession
        private let account: Account

        init(account: Account) {
            self.account = account
            session = account.session
        }

        var body: some View {
            List {
                if let user = session.user {
                    Profile(user: user)
                    Section { actions }
                    if let result = account.result { Section("Answer") { Text(verbatim: result).font(.caption) } }
                    FactSection("Tokens", account.tokenFacts)
                    FactSection("ID token", Fact.list(user.idTokenClaims))
                    FactSection("Userinfo", Fact.list(user.userInfo?.claims ?? [:]))
                } else {
                    Button("Sign in") { run { try await session.signIn() } }
                }
                FactSection("Set-up", account.setUpFacts)
                LogSection(entries: account.log)
            }
            .navigationTitle(account.provider.title)
            .busy(session.state) { session.cancelSignIn() }
            .errorAlert($session.errorMessage)
        }

        @ViewBuilder private var actions: some View {
            Button("Ask the API") { run { await account.askAPI() } }
            Button("Read userinfo") { run { await account.readUserInfo() } }
            Button("Refresh now") { run { await account.refresh() } }
            Button("Sign out", role: .destructive) { run { await session.signOut() } }
        }

        private func run(_ action: @escaping @MainActor () async throws -> Void) {
            // Errors are in `session.errorMessage` or `account.result`.
            Task { try? await action() }
        }
    }
#endif

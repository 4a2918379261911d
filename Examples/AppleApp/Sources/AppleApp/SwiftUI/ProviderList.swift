import AuthStateApp

#if canImport(SwiftUI)
    import AuthStateKit
    import Foundation
    import SwiftUI

    /// The providers and the users who are logged in there.
    @available(iOS 17, macOS 14, *)
    struct ProviderList: View {
        @State private var accounts = Accounts(Provider.all, .ofThisApp)

        var body: some View {
            NavigationStack {
                List(accounts.list) { account in
                    NavigationLink {
                        AccountView(account: account)
                    } label: {
                        LabeledContent(account.provider.title, value: account.session.user?.name ?? "")
                    }
                }
                .navigationTitle("Accounts")
            }
            .task { await accounts.restore() }
            .task { await accounts.completeRestored() }
            .onOpenURL { accounts.open($0) }
            .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                if let url = activity.webpageURL { accounts.open(url) }
            }
        }
    }
#endif

#if canImport(SwiftUI)
    public import SwiftUI

    /// The app: several providers side by side. An app target runs it with `ProviderApp.main()`, see README.md.
    public struct ProviderApp: App {
        /// Called by the system.
        public init() {}

        /// One window with the list of providers.
        public var body: some Scene {
            WindowGroup {
                if #available(iOS 17, macOS 14, *) { ProviderList() } else { ObservableProviderList() }
            }
        }
    }
#endif

import AuthStateApp

#if canImport(Combine)
    import AuthStateKit
    import Combine

    /// A session for views on iOS 16, with the role of `AuthSession` from iOS 17 on.
    @MainActor
    final class ObservableSession: ObservableObject {
        @Published private(set) var state: AuthSessionState
        let core: AuthSessionCore

        init(_ core: AuthSessionCore) {
            self.core = core
            state = core.state
            core.onChange = { [weak self] in self?.state = $0 }
        }

        var errorMessage: String? {
            get { state.errorMessage }
            set { if newValue == nil { core.dismissError() } }
        }
    }
#endif

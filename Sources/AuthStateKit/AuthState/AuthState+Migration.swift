public import AuthStateOAuth

// For programs that come from AppAuth; new ones use `freshTokens()`.
extension AuthState {
    /// Calls back once, in a task of its own, with a fresh access and ID token, or with an error, never with both (AppAuth's
    /// closure form).
    public nonisolated func performAction(
        additionalRefreshParameters: Parameters = [:],
        _ action: @escaping @Sendable (_ accessToken: String?, _ idToken: String?, _ error: (any Error)?) -> Void
    ) {
        Task {
            do {
                let tokens = try await freshTokens(RenewalParameters(additionalParameters: additionalRefreshParameters))
                action(tokens.accessToken, tokens.idToken, nil)
            } catch {
                action(nil, nil, error)
            }
        }
    }
}

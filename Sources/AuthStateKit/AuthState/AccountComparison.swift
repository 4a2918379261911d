public import AuthStateOAuth

/// How the account of a login that replaces another one is compared with the account before.
public struct AccountComparison: Sendable {
    enum Way: Sendable {
        case idToken(otherwise: Bool)
        case program(@Sendable (_ new: TokenResponse, _ before: AuthState.Record) async throws -> Bool)
    }

    let way: Way

    /// By the ID tokens' `iss` and `sub`.
    ///
    /// - Parameter otherwise: Whether an account counts as the same one where the login before had no ID token, as in plain
    ///   OAuth: true trusts that the user logs in as before.
    public static func byIDToken(otherwise: Bool) -> Self { Self(way: .idToken(otherwise: otherwise)) }

    /// By a function of the program, for example with claims of the access token or an answer of the API; true is the same account.
    public static func by(
        _ isSame: @escaping @Sendable (_ new: TokenResponse, _ before: AuthState.Record) async throws -> Bool
    ) -> Self {
        Self(way: .program(isSame))
    }

    /// Any account may log in: the program accepts that a request is repeated as another one.
    public static let any = by { _, _ in true }

    /// Whether ID tokens decide where there are some.
    var usesIDTokens: Bool { if case .idToken = way { true } else { false } }

    /// Returns whether the account of a state with tokens can be compared at all.
    func canCompare(_ before: AuthState.Record) -> Bool {
        guard case .idToken(let otherwise) = way else { return true }
        return otherwise || before.idToken != nil
    }

    /// Checks that new tokens belong to the account of a state. Throws `AuthStateError` with `.accountChanged`, and the
    /// program's errors.
    package func check(_ new: TokenResponse, against before: AuthState.Record) async throws {
        switch way {
        case .idToken(let otherwise):
            guard let idToken = before.idToken else {
                if otherwise { return }
                break
            }
            return try IDToken.checkAccount(of: new.idTokenTrust == nil ? nil : new.idToken, isThatOf: idToken)
        case .program(let isSame): if try await isSame(new, before) { return }
        }
        throw AuthStateError(
            .accountChanged, stage: .token, "Another account logged in than the one before, or it cannot be told.",
            expected: "the account of the login before", received: "another one, or none that can be compared",
            hint: "Log in with the same account, or sign out first.")
    }
}

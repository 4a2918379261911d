import AuthStateJOSE

extension IDToken {
    /// Whether another ID token is the same account's: `iss` and `sub` together name it (OpenID Connect Core, section 5.7).
    package func isSameAccount(as other: IDToken) -> Bool {
        guard let issuer, let subject, let theirIssuer = other.issuer, let theirSubject = other.subject else {
            return false
        }
        return issuer.isExactly(theirIssuer) && subject.isExactly(theirSubject)
    }

    /// Checks that the account of a new login is that of the login before.
    ///
    /// - Parameters:
    ///   - next: The ID token of the new login; nil when none was verified.
    ///   - previous: That of the login before.
    /// - Throws: `AuthStateError` with `.accountChanged`.
    package static func checkAccount(of next: String?, isThatOf previous: String) throws {
        let before = try IDToken(parsing: previous)
        let after = try next.map(IDToken.init(parsing:))
        guard TrustCheck.reauthorizedAccount.holds(after?.isSameAccount(as: before) == true) else {
            throw AuthStateError(
                .accountChanged, stage: .token, "Another account logged in than the one that the request is for.",
                expected: "the iss and sub of the login before",
                received: after.map { before.issuer == $0.issuer ? "another sub" : "another iss" } ?? "no ID token",
                hint: "Log in with the same account, or sign out first.")
        }
    }
}

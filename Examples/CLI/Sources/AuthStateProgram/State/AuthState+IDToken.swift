import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// The token that another system takes.
enum TokenType: String, ExpressibleByArgument, CaseIterable {
    case id, access
}

extension Tokens {
    /// Refuses a token that is bound to a key, which another program does not have.
    func checkIsBearer(for taker: String, hint: String = "Log in without --dpop.") throws {
        guard isDPoPBound else { return }
        throw AuthStateError(
            .unsupported, stage: .usage, "The token is bound to a key (DPoP), which \(taker) cannot use.", hint: hint)
    }
}

extension AuthState {
    /// Returns a fresh token of a kind, and its end.
    ///
    /// - Parameters:
    ///   - taker: The system that takes it, for errors.
    ///   - validity: The time for which the token must be valid from now; nil takes the leeway. A token that no renewal
    ///     replaces may be valid for less.
    /// - Throws: `AuthStateError`, `.unsupported` for a token that is bound to a key. With a `validity` also when the provider
    ///   cannot be reached for a renewal, while the token at hand has not expired.
    func freshToken(
        _ type: TokenType, for taker: String, validFor validity: Duration? = nil
    ) async throws -> (token: String, end: Date?) {
        switch type {
        case .id: return try await freshIDToken(for: taker, validFor: validity)
        case .access:
            let tokens = try await freshTokens(validFor: validity)
            try tokens.checkIsBearer(for: taker)
            return (tokens.accessToken, tokens.accessTokenExpirationDate)
        }
    }

    /// The time for which the provider issued the ID token; nil without an ID token, or when it does not say.
    nonisolated var idTokenLifetime: Duration? {
        guard let text = record.idToken, let token = try? IDToken(parsing: text), let start = token.issuedAt,
            let end = token.expiresAt
        else { return nil }
        return .seconds(min(max(end.timeIntervalSince(start), 0), 1e9))
    }

    /// Returns an ID token that is valid for a while, or at all just after a renewal: it ends by itself, not with the access
    /// token.
    private func freshIDToken(for taker: String, validFor validity: Duration?) async throws -> (String, Date?) {
        func token(validFor seconds: Double) throws -> (String, Date?)? {
            guard let text = record.idToken, let end = try IDToken(parsing: text).expiresAt,
                end.timeIntervalSince(service.configuration.clock.now) > seconds
            else { return nil }
            return (text, end)
        }
        // Another process may have logged out, or in.
        try await reload()
        let wanted = validity ?? options.leeway
        if isAuthorized, let token = try token(validFor: wanted / .seconds(1)) { return token }
        do {
            if record.idToken == nil {
                _ = try await freshTokens()
            } else {
                try await refresh()
            }
        } catch let error as AuthStateError
            where error.code == .noRefreshToken || (validity == nil && error.kind == .transient)
        {
            if let token = try token(validFor: 0) { return token }
            throw error
        }
        if let token = try token(validFor: 0) { return token }
        throw AuthStateError(
            .notLoggedIn, stage: .refresh,
            record.idToken == nil
                ? "The login has no ID token." : "The ID token has expired, and the renewal brought no other one.",
            hint: "Log in with the scope openid; where \(taker) takes access tokens use --token-type access.")
    }

    /// Refuses a login for an API, whose token goes to that API alone.
    nonisolated func checkIsNotForResource() throws {
        guard let resource = record.resource else { return }
        throw AuthStateError(
            .invalidArgument, stage: .usage, "The login is for an API, and its token goes to that one alone.",
            expected: "a login by issuer", received: "a login for \(resource)",
            hint: "Log in by the issuer, with another --profile.")
    }
}

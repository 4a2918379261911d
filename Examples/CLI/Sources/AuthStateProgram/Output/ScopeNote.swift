import AuthStateKit

/// Notes for the person when a provider grants something else than was asked for.
enum ScopeNote {
    /// Scopes that were granted and not asked for; nil when there are none, or nothing is known of either.
    static func beyond(_ granted: String?, _ asked: [Scope]) -> String? {
        guard let granted, !asked.isEmpty else { return nil }
        let more = granted.split(separator: " ").filter { !asked.contains(Scope(rawValue: String($0))) }
        return more.isEmpty ? nil : "The provider granted more than was asked for: \(more.joined(separator: " "))."
    }

    /// An identity that was asked for, and did not come.
    static func identity(_ record: AuthState.Record, _ asked: [Scope]) -> String? {
        guard asked.contains(.openID), record.idToken == nil, record.machineGrant == nil else { return nil }
        return "The server sent no ID token: which user logged in is not known."
    }

    /// Offline access that came without a refresh token (OpenID Connect Core, section 11).
    static func offline(_ record: AuthState.Record, _ asked: [Scope]) -> String? {
        guard asked.contains(.offlineAccess), record.refreshToken == nil else { return nil }
        return "The provider gave no refresh token for offline_access. Log in with --prompt consent, if it wants that."
    }
}

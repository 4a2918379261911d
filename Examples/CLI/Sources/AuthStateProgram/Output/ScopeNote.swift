import AuthStateKit

/// Notes for the user when a provider grants something else than was asked for.
enum ScopeNote {
    /// Scopes that were granted and not asked for; nil when there are none, or nothing is known of either.
    static func beyond(_ granted: String?, _ asked: [Scope]) -> String? {
        guard let granted, !asked.isEmpty else { return nil }
        let more = words(granted).filter { scope in !asked.contains { $0.isSame(as: scope) } }
        return more.isEmpty ? nil : "The provider granted more than was asked for: \(more.text)."
    }

    /// Scopes that were asked for and not granted; nil when there are none, or the provider does not say what it granted.
    static func missing(_ granted: String?, _ asked: [Scope]) -> String? {
        guard let granted = granted.map(words) else { return nil }
        // Many providers never list the scopes of the protocol itself.
        let less = asked.filter { scope in
            ![.openID, .offlineAccess].contains(scope) && !granted.contains { $0.isSame(as: scope) }
        }
        return less.isEmpty ? nil : "The provider did not grant what was asked for: \(less.text)."
    }

    /// The scopes of an answer, also where commas separate them.
    private static func words(_ text: String) -> [Scope] {
        text.split { $0 == " " || $0 == "," }.map { Scope(rawValue: String($0)) }
    }

    /// An identity that was asked for or granted, and did not come.
    static func identity(_ record: AuthState.Record, _ asked: [Scope]) -> String? {
        let scopes = asked + Scope.list(record.scope ?? "")
        guard scopes.contains(.openID), record.idToken == nil, record.machineGrant == nil else { return nil }
        return "The server sent no ID token: which user logged in is not known."
    }

    /// Offline access that came without a refresh token (OpenID Connect Core, section 11).
    static func offline(_ record: AuthState.Record, _ asked: [Scope]) -> String? {
        guard asked.contains(.offlineAccess), record.refreshToken == nil else { return nil }
        return "The provider gave no refresh token for offline_access. Log in with --prompt consent, if it wants that."
    }
}

extension Scope {
    /// Whether one of the two is the other's name at its provider: a URL, or words with dots between them, before it.
    fileprivate func isSame(as other: Scope) -> Bool {
        func isLonger(_ long: Scope, _ short: Scope) -> Bool {
            long.rawValue.contains("://") && ["/", "."].contains { long.rawValue.hasSuffix($0 + short.rawValue) }
        }
        return self == other || isLonger(self, other) || isLonger(other, self)
    }
}

extension [Scope] {
    /// The scopes, as a request has them, fit for a terminal.
    fileprivate var text: String { map(\.rawValue).joined(separator: " ").printable(1000) }
}

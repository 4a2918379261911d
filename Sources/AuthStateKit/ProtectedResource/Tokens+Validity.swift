import AuthStateFoundation
import AuthStateOAuth

/// Tokens that are to be valid for a given time; all times are in seconds.
extension Tokens.Storage {
    /// The time for which the access token was issued; nil when the provider did not say.
    var lifetime: Double? { expirationDate?.timeIntervalSince(issuedAt) }

    /// Returns whether the access token lasts, as `TokenResponse.lasts` says.
    func lasts(_ seconds: Double, at now: Double) -> Bool {
        TokenResponse.lasts(seconds, at: now, until: expirationDate, lifetime: lifetime)
    }

    /// Returns whether the access token was valid once and has expired since.
    func hasExpired(by now: Date) -> Bool { expirationDate.map { issuedAt < $0 && $0 <= now } ?? false }
}

extension TokenResponse {
    /// The time for which a token counts as newly issued, at most; a tenth of its lifetime when that is less.
    static let longestYouth = 60.0

    /// Returns whether the access token is valid for a time from now, or newly issued: a renewal gives nothing better
    /// then.
    ///
    /// A token whose whole lifetime is shorter than the requested time is accepted while it is newly issued. So a
    /// provider that issues none that last longer is asked once in that time, however many processes ask.
    func lasts(_ seconds: Double, at now: Double) -> Bool {
        let lifetime = accessTokenExpirationDate?.timeIntervalSince(issuedAt)
        return Self.lasts(seconds, at: now, until: accessTokenExpirationDate, lifetime: lifetime)
    }

    static func lasts(_ seconds: Double, at now: Double, until end: Date?, lifetime: Double?) -> Bool {
        guard let end, let lifetime else { return true }
        return end.timeIntervalSince1970 - now >= min(seconds, lifetime - min(longestYouth, lifetime / 10))
    }
}

/// A check without which something false would be believed; each one has an attack that it alone stops.
///
/// The tests turn the checks off, one at a time, and demand that exactly the attack that belongs to it then succeeds:
/// a check that nothing depends on, or that another one hides, shows. Only debug builds can turn a check off.
package enum TrustCheck: String, Sendable, CaseIterable {
    // Section of OpenID Connect Core 1.0, or RFC, beside each.
    /// ID token: `iss` is the issuer (3.1.3.7, 2).
    case idTokenIssuer

    // Token responses and access tokens.
    /// Only a 200 brings tokens; no redirect does (RFC 6749, 5.1; RFC 9700, 4.12).
    case tokenResponseStatus
    /// An answer with `error` is an error, whatever else is in it (RFC 6749, 5.2).
    case tokenResponseError
    /// `access_token` is visible ASCII, so that it cannot write a header of its own (RFC 6749, A.12).
    case tokenResponseAccessToken
    /// `token_type` is one that can be used (RFC 6749, 7.1).
    case tokenResponseType
    /// `refresh_token` is visible ASCII (RFC 6749, A.17).
    case tokenResponseRefreshToken
    /// `expires_in` is a number of seconds, and what is none is not for ever (RFC 6749, 5.1 and A.14).
    case tokenResponseLifetime
    /// A bearer token travels over TLS, or on this machine (RFC 6750, 5.3).
    case bearerTransport
    /// A bearer token goes only to the origins that were named, when some were (RFC 9700, 4.9).
    case bearerOrigin

    /// Whether the check is made: always, but for a test that turned it off around this task.
    package var isOn: Bool {
        #if DEBUG
            Self.turnedOff != self
        #else
            true
        #endif
    }

    #if DEBUG
        /// The check that the tests have turned off in this task.
        @TaskLocal package static var turnedOff: TrustCheck?
    #endif

    /// Whether a condition holds, or need not hold because the check is turned off.
    package func holds(_ condition: @autoclosure () throws -> Bool) rethrows -> Bool {
        try !isOn || condition()
    }
}

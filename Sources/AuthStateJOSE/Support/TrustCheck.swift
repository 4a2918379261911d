/// A check without which something false would be believed; each one has an attack that it alone stops.
///
/// The tests turn the checks off, one at a time, and demand that exactly the attack that belongs to it then succeeds:
/// a check that nothing depends on, or that another one hides, shows. Only debug builds can turn a check off.
package enum TrustCheck: String, Sendable, CaseIterable {
    // Section of OpenID Connect Core 1.0, or RFC, beside each.
    /// ID token: `iss` is the issuer (3.1.3.7, 2).
    case idTokenIssuer

    // Discovery
    /// An issuer has no user, query and fragment (Core 1.2; RFC 8414, 2).
    case issuerForm
    /// The metadata document names the issuer that was asked for (Discovery 4.3; RFC 8414, 3.3).
    case metadataIssuer
    /// The document that completes another one names the same issuer (RFC 8414, 3.3).
    case completingIssuer
    /// An endpoint is https, or http on this machine beside an issuer on this machine (RFC 8414, 2; RFC 9700, 4.15).
    case endpointTLS
    /// A remote provider names no endpoint on this machine (RFC 9700, 4.12).
    case endpointHost
    /// An issuer that arrives from outside is one of those that the program allows (Discovery 7.2).
    case issuerAllowList
    /// Where the PKCE methods are listed, S256 is among them (RFC 7636, 4.2; RFC 9700, 2.1.1).
    case pkceMethods

    // Userinfo
    /// `sub` is the ID token's (Core 5.3.2).
    case userInfoSubject
    /// Userinfo is signed when the program requires it (Core 5.3.2).
    case userInfoIsSigned
    /// Signed userinfo: the signature is the provider's (Core 5.3.4).
    case userInfoSignature
    /// Signed userinfo: `iss` is the issuer (Core 5.3.2).
    case userInfoIssuer
    /// Signed userinfo: `aud` contains the client (Core 5.3.2).
    case userInfoAudience
    /// Signed userinfo: `exp`, if present, is in the future (RFC 7519, 4.1.4).
    case userInfoExpiry
    /// Signed userinfo: `nbf`, if present, is in the past (RFC 7519, 4.1.5).
    case userInfoNotBefore
    /// The endpoint of distributed claims is https (Core 5.6.2).
    case claimSourceTLS

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

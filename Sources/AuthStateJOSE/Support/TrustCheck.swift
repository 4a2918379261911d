/// A check without which something false would be believed; each one has an attack that it alone stops.
///
/// The tests turn the checks off, one at a time, and demand that exactly the attack that belongs to it then succeeds:
/// a check that nothing depends on, or that another one hides, shows. Only debug builds can turn a check off.
package enum TrustCheck: String, Sendable, CaseIterable {
    // Section of OpenID Connect Core 1.0, or RFC, beside each.
    /// ID token: `iss` is the issuer (3.1.3.7, 2).
    case idTokenIssuer

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

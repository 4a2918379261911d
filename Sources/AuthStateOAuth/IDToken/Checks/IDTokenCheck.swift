import AuthStateFoundation
package import AuthStateJOSE

/// One rule for the claims of an ID token: a pure function from the token and the expectation to the failure.
struct IDTokenCheck: Sendable {
    let trust: TrustCheck
    /// The claim, as errors name it.
    let name: String
    /// Where the rule is written; sections of OpenID Connect Core 1.0 unless another document is named.
    let section: String
    let failure: @Sendable (IDToken, IDTokenExpectation) -> Failure?

    init(
        _ trust: TrustCheck, _ name: String, _ section: String,
        failure: @escaping @Sendable (IDToken, IDTokenExpectation) -> Failure?
    ) {
        self.trust = trust
        self.name = name
        self.section = section
        self.failure = failure
    }

    /// The rules in the order in which they are checked.
    static let all = code + hashes + hybrid + renewal + tenancy

    struct Failure {
        var expected: String
        var received: String
        var hint: String?

        init(_ expected: String, received: String?, hint: String? = nil) {
            self.expected = expected
            self.received = received ?? "nothing"
            self.hint = hint
        }

        /// A time that does not fit; both are shown in seconds since 1970.
        static func clock(_ expected: String, _ time: Date?, _ expectation: IDTokenExpectation) -> Failure {
            Failure(
                "\(expected) (now: \(Int(expectation.now.timeIntervalSince1970)))",
                received: time.map { time in
                    let ahead = Int(time.timeIntervalSince(expectation.now))
                    let side = ahead < 0 ? "before" : "ahead of"
                    return "\(Int(time.timeIntervalSince1970)), \(abs(ahead)) s \(side) this clock"
                },
                hint: "Check this machine's clock; both times are in seconds since 1970.")
        }
    }
}

/// The checks of ID tokens; sections of OpenID Connect Core 1.0 unless another document is named.
extension TrustCheck {
    /// RFC 8725, 3.11: `typ` names no other kind of token.
    package static let idTokenType = TrustCheck("idTokenType")
    /// RFC 8417, 4: there is no `events`, so that no logout token passes for an ID token.
    package static let idTokenEvent = TrustCheck("idTokenEvent")
    /// 3.1.3.7, 2: `iss` is the issuer.
    package static let idTokenIssuer = TrustCheck("idTokenIssuer")
    /// 2: `sub` has 1 to 255 bytes.
    package static let idTokenSubject = TrustCheck("idTokenSubject")
    /// 3.1.3.7, 3: `aud` names the client.
    package static let idTokenAudience = TrustCheck("idTokenAudience")
    /// 3.1.3.7, 3: every other audience is trusted, when the policy names those that are.
    package static let idTokenTrustedAudiences = TrustCheck("idTokenTrustedAudiences")
    /// 3.1.3.7, 4 and 5: `azp` is the client, and present beside several audiences.
    package static let idTokenAuthorizedParty = TrustCheck("idTokenAuthorizedParty")
    /// 3.1.3.7, 9: `exp` is in the future.
    package static let idTokenExpiry = TrustCheck("idTokenExpiry")
    /// 2: `iat` is present.
    package static let idTokenIssueTime = TrustCheck("idTokenIssueTime")
    /// 3.1.3.7, 10: `iat` is not in the future.
    package static let idTokenFromFuture = TrustCheck("idTokenFromFuture")
    /// 3.1.3.7, 10: `iat` is not long ago.
    package static let idTokenTooOld = TrustCheck("idTokenTooOld")
    /// RFC 7519, 4.1.5: `nbf` is past.
    package static let idTokenNotBefore = TrustCheck("idTokenNotBefore")
    /// 3.1.3.7, 11; 12.2: `nonce` is the request's.
    package static let idTokenNonce = TrustCheck("idTokenNonce")
    /// 3.1.3.7, 12; 5.5.1.1: `acr` is among those that are required.
    package static let idTokenContextClass = TrustCheck("idTokenContextClass")
    /// 3.1.3.7, 13: `auth_time` is within `max_age`.
    package static let idTokenAuthenticationTime = TrustCheck("idTokenAuthenticationTime")
    /// 3.1.3.8: `at_hash` is the access token's.
    package static let idTokenAccessTokenHash = TrustCheck("idTokenAccessTokenHash")
    /// 3.1.3.8; 3.2.2.9: `at_hash` is present when the policy requires it.
    package static let idTokenAccessTokenHashPresent = TrustCheck("idTokenAccessTokenHashPresent")
    /// 3.3.2.11: `c_hash` is present and the code's.
    package static let idTokenCodeHash = TrustCheck("idTokenCodeHash")
    /// 3.3.3.6: both ID tokens of a login have the same `sub`.
    package static let idTokenSameSubject = TrustCheck("idTokenSameSubject")
    /// 12.2: `sub` stays.
    package static let idTokenKeepsSubject = TrustCheck("idTokenKeepsSubject")
    /// 12.2: `aud` stays.
    package static let idTokenKeepsAudience = TrustCheck("idTokenKeepsAudience")
    /// 12.2: `azp` stays.
    package static let idTokenKeepsAuthorizedParty = TrustCheck("idTokenKeepsAuthorizedParty")
    /// 12.2: `auth_time` stays.
    package static let idTokenKeepsAuthenticationTime = TrustCheck("idTokenKeepsAuthenticationTime")
    /// Where the issuer is a template: `tid`, which fills it, is a tenant's GUID (Microsoft, validate the issuer).
    package static let idTokenTenant = TrustCheck("idTokenTenant")
    /// Where the issuer is a template: the key that signed is not another issuer's (Microsoft, validate the issuer).
    package static let idTokenKeyIssuer = TrustCheck("idTokenKeyIssuer")
    /// 12.2; 3.3.3.6: `iss` stays, where the issuer is a template.
    package static let idTokenKeepsTenant = TrustCheck("idTokenKeepsTenant")
    /// 3.1.3.7, 7; 3.3.2.11: without a signature only when asked for by name, and never through the browser.
    package static let idTokenUnsigned = TrustCheck("idTokenUnsigned")
    /// The account that logs in for a repeated request is that of the request: `iss` and `sub` are the same (Core 5.7).
    package static let reauthorizedAccount = TrustCheck("reauthorizedAccount")
}

import AuthStateJOSE

/// The rules that tie an ID token to the one before it.
///
/// Its issuer needs no rule here: both are held to the same one.
extension IDTokenCheck {
    /// The second ID token of one login (section 3.3.3.6).
    static let hybrid = [sameSubject]
    /// The ID token of a renewal (section 12.2).
    static let renewal = [keepsSubject, keepsAudience, keepsAuthorizedParty, keepsAuthenticationTime]

    static let sameSubject = IDTokenCheck(.idTokenSameSubject, "sub of both ID tokens", "Core 3.3.3.6") {
        token, expected in
        guard let front = expected.frontChannel else { return nil }
        return token.subject.isExactly(front.subject)
            ? nil : Failure("the user of the first ID token", received: "another one")
    }

    static let keepsSubject = IDTokenCheck(.idTokenKeepsSubject, "continuity of sub", "Core 12.2") { token, expected in
        guard let previous = expected.previous else { return nil }
        return token.subject.isExactly(previous.subject)
            ? nil : Failure("the same user as before", received: "another sub")
    }

    static let keepsAudience = IDTokenCheck(.idTokenKeepsAudience, "continuity of aud", "Core 12.2") {
        token, expected in
        guard let previous = expected.previous, !expected.toleratesChangedAudience else { return nil }
        return Set(token.audience) == Set(previous.audience)
            ? nil
            : Failure(
                "the same aud as before", received: token.audience.joined(separator: ", "), hint: changedAudience)
    }

    static let keepsAuthorizedParty = IDTokenCheck(.idTokenKeepsAuthorizedParty, "continuity of azp", "Core 12.2") {
        token, expected in
        guard let previous = expected.previous, !expected.toleratesChangedAudience else { return nil }
        return token.claim("azp") == previous.claim("azp")
            ? nil : Failure("the same azp as before", received: token.authorizedParty, hint: changedAudience)
    }

    private static let changedAudience =
        "Tolerate changedAudience if the provider is known to add or drop services; else log in again."

    static let keepsAuthenticationTime = IDTokenCheck(
        .idTokenKeepsAuthenticationTime, "continuity of auth_time", "Core 12.2"
    ) { token, expected in
        guard let before = expected.previous?.authenticatedAt, let now = token.authenticatedAt, now != before
        else { return nil }
        guard expected.keepsAuthenticationTime else {
            Leniency.movedAuthenticationTime.note("auth_time")
            return nil
        }
        return Failure(
            "the original auth_time", received: "another auth_time",
            hint: "Log in again; without max_age another auth_time is accepted.")
    }
}

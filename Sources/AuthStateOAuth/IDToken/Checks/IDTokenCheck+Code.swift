import AuthStateFoundation
import AuthStateJOSE

/// The rules for every ID token (sections 2 and 3.1.3.7).
extension IDTokenCheck {
    static let code = [
        type, noEvent, issuer, subject, audience, trustedAudiences, authorizedParty, expiry, issueTime, fromFuture,
        tooOld, notBefore, nonce, contextClass, authenticationTime,
    ]

    static let type = IDTokenCheck(.idTokenType, "typ", "RFC 8725, 3.11") { token, _ in
        TokenKind.idToken.admits(token.token.header)
            ? nil
            : Failure("an ID token, whose typ is JWT or absent", received: token.token.header.type, hint: otherKind)
    }

    static let noEvent = IDTokenCheck(.idTokenEvent, "events", "RFC 8417, 4") { token, _ in
        token.token.isSecurityEvent
            ? Failure("an ID token, which has no events", received: "a security event token", hint: otherKind) : nil
    }

    private static let otherKind = "Do not continue: this is a token of another kind, made for another purpose."

    static let issuer = IDTokenCheck(.idTokenIssuer, "iss", "Core 3.1.3.7, 2") { token, expected in
        let issuer = expected.tenantIssuer?.issuer(of: token.tenant) ?? expected.issuer.rawValue
        return token.issuer?.isExactly(issuer) == true ? nil : Failure(issuer.printable(), received: token.issuer)
    }

    static let subject = IDTokenCheck(.idTokenSubject, "sub", "Core 2") { token, _ in
        let subject = (token.subject ?? "").utf8
        guard (1...255).contains(subject.count) else {
            return Failure("1 to 255 ASCII characters", received: "\(subject.count) bytes")
        }
        if subject.contains(where: { $0 >= 0x80 }) { Leniency.subjectLetters.note("sub") }
        return nil
    }

    static let audience = IDTokenCheck(.idTokenAudience, "aud", "Core 3.1.3.7, 3") { token, expected in
        token.audience.containsExactly(expected.clientID)
            ? nil
            : Failure(
                expected.clientID,
                received: token.audience.isEmpty
                    ? token.claims["aud"].map { _ in "something else" } : token.audience.joined(separator: ", "))
    }

    static let trustedAudiences = IDTokenCheck(.idTokenTrustedAudiences, "aud", "Core 3.1.3.7, 3") { token, expected in
        guard let trusted = expected.policy.trustedAudiences else { return nil }
        let others = token.audience.filter { !$0.isExactly(expected.clientID) && !trusted.containsExactly($0) }
        return others.isEmpty
            ? nil : Failure("no audience that is not trusted", received: others.joined(separator: ", "))
    }

    static let authorizedParty = IDTokenCheck(.idTokenAuthorizedParty, "azp", "Core 3.1.3.7, 4 and 5") {
        token, expected in
        switch token.claim("azp") {
        case .string(let party) where party.isExactly(expected.clientID): nil
        case nil where token.audience.count == 1: nil
        case let party: Failure(expected.clientID, received: party.map { $0.stringValue ?? "something else" })
        }
    }

    static let expiry = IDTokenCheck(.idTokenExpiry, "exp", "Core 3.1.3.7, 9") { token, expected in
        let isAhead =
            token.expiresAt.map { $0.addingTimeInterval(expected.policy.leeway.inSeconds) > expected.now } ?? false
        return isAhead ? nil : .clock("an expiry in the future", token.expiresAt, expected)
    }

    static let issueTime = IDTokenCheck(.idTokenIssueTime, "iat", "Core 2") { token, _ in
        token.issuedAt == nil ? Failure("the time of issue", received: nil) : nil
    }

    static let fromFuture = IDTokenCheck(.idTokenFromFuture, "iat", "Core 3.1.3.7, 10") { token, expected in
        guard let issuedAt = token.issuedAt else { return nil }
        return issuedAt.timeIntervalSince(expected.now) <= expected.policy.leeway.inSeconds
            ? nil : .clock("a time of issue that is not in the future", issuedAt, expected)
    }

    /// A renewed token may have any age: it does not prove a login.
    static let tooOld = IDTokenCheck(.idTokenTooOld, "iat", "Core 3.1.3.7, 10") { token, expected in
        guard let issuedAt = token.issuedAt, expected.previous == nil else { return nil }
        let oldest = expected.policy.maximumAge.inSeconds + expected.policy.leeway.inSeconds
        return expected.now.timeIntervalSince(issuedAt) <= oldest
            ? nil : .clock("a time of issue within \(expected.policy.maximumAge.inSeconds) s", issuedAt, expected)
    }

    static let notBefore = IDTokenCheck(.idTokenNotBefore, "nbf", "RFC 7519, 4.1.5") { token, expected in
        guard token.claim("nbf") != nil else { return nil }
        guard let notBefore = token.notBefore else { return Failure("a time", received: "something else") }
        return notBefore.addingTimeInterval(-expected.policy.leeway.inSeconds) <= expected.now
            ? nil : .clock("a token that is valid already", notBefore, expected)
    }

    /// A renewed token need not repeat the nonce; a token of a request without one must not have any.
    static let nonce = IDTokenCheck(.idTokenNonce, "nonce", "Core 3.1.3.7, 11; 12.2") { token, expected in
        let wanted = expected.previous?.nonce ?? expected.nonce
        guard let claim = token.claim("nonce") else {
            let isTolerated = expected.mayOmitNonce && !expected.isHybrid
            return expected.previous != nil || wanted == nil || isTolerated
                ? nil
                : Failure(
                    "the request's nonce", received: nil,
                    hint: expected.isHybrid
                        ? nil
                        : "Tolerate missingNonce if the provider is known to drop it, and its metadata name S256.")
        }
        guard let wanted, let nonce = claim.stringValue, ConstantTime.equals(nonce, wanted) else {
            return Failure(wanted == nil ? "no nonce" : "the request's nonce", received: "a different nonce")
        }
        return nil
    }

    static let contextClass = IDTokenCheck(.idTokenContextClass, "acr", "Core 3.1.3.7, 12; 5.5.1.1") {
        token, expected in
        for wanted in [expected.policy.contextClasses, expected.contextClasses] where !wanted.isEmpty {
            let received = token.authenticationContextClass
            // A renewed token may leave it out (Core 12.2): the login had it.
            if received == nil, expected.previous != nil { continue }
            if received.map(wanted.contains) != true {
                return Failure(
                    wanted.sorted().joined(separator: " or "), received: received,
                    hint: "Log in again in the way that is required.")
            }
        }
        return nil
    }

    /// The login's age was checked at login: a renewal does not check it again.
    static let authenticationTime = IDTokenCheck(.idTokenAuthenticationTime, "auth_time", "Core 3.1.3.7, 13") {
        token, expected in
        guard let maxAge = expected.maxAge, expected.previous == nil else { return nil }
        guard let time = token.authenticatedAt else {
            return Failure(
                "auth_time, as max_age was sent", received: nil,
                hint: "Without max_age the login succeeds: the provider does not say when users logged in.")
        }
        return expected.now.timeIntervalSince(time) <= Double(maxAge) + expected.policy.leeway.inSeconds
            ? nil : .clock("a login within \(maxAge) s", time, expected)
    }
}

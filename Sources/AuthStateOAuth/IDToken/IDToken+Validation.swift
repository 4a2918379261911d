public import AuthStateJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension IDToken {
    /// Checks signature and claims (OpenID Connect Core, sections 3.1.3.7 and 12.2), the signature first.
    ///
    /// - Throws: `AuthStateError` with `.invalidSignature` or `.invalidIDToken` that names the check.
    public func validate(
        keys: JSONWebKeySet, expectation: IDTokenExpectation, stage: AuthStateError.Stage = .token
    ) throws {
        do {
            try token.verify(with: keys, allowed: expectation.algorithms)
        } catch {
            throw AuthStateError(
                .invalidSignature, stage: stage, "The ID token's signature cannot be accepted: \(error.message).",
                expected: error.expected, received: error.received)
        }
        try validateClaims(expectation: expectation, stage: stage)
    }

    /// Checks the claims alone: for a renewal when the provider's keys cannot be reached.
    package func validateClaims(expectation: IDTokenExpectation, stage: AuthStateError.Stage) throws {
        for check in Check.all {
            guard let failure = check.failure(self, expectation) else { continue }
            throw AuthStateError(
                .invalidIDToken, stage: stage, "The ID token failed a check: \(check.name) (\(check.section)).",
                expected: failure.expected, received: failure.received, hint: failure.hint)
        }
    }

    /// What a claim should have been.
    struct Failure {
        var expected: String
        var received: String
        var hint: String?

        init(_ expected: String, received: String?, hint: String? = nil) {
            self.expected = expected
            self.received = received ?? "nothing"
            self.hint = hint
        }
    }

    /// One rule of the specification.
    struct Check: Sendable {
        var name: String
        var section: String
        var failure: @Sendable (IDToken, IDTokenExpectation) -> Failure?
    }
}

extension IDToken.Check {
    /// The rules in the order in which they are checked.
    static let all: [Self] = [
        Self(name: "iss", section: "Core 3.1.3.7, 2") { token, expected in
            token.issuer == expected.issuer.rawValue ? nil : .init(expected.issuer.rawValue, received: token.issuer)
        },
        Self(name: "sub", section: "Core 2") { token, _ in
            let length = token.subject?.utf8.count ?? 0
            return (1...255).contains(length) ? nil : .init("1 to 255 characters", received: "\(length) characters")
        },
        Self(name: "aud", section: "Core 3.1.3.7, 3") { token, expected in
            token.audience.contains(expected.clientID)
                ? nil : .init(expected.clientID, received: token.audience.joined(separator: ", "))
        },
        Self(name: "azp", section: "Core 3.1.3.7, 4 and 5") { token, expected in
            switch token.authorizedParty {
            case expected.clientID?: nil
            case nil where token.audience.count == 1: nil
            case let party: .init(expected.clientID, received: party)
            }
        },
        Self(name: "exp", section: "Core 3.1.3.7, 9") { token, expected in
            token.expiresAt.map { $0.addingTimeInterval(expected.leeway) > expected.now } ?? false
                ? nil : clock("an expiry in the future", token.expiresAt, expected)
        },
        Self(name: "iat", section: "Core 3.1.3.7, 10") { token, expected in
            guard let issuedAt = token.issuedAt else { return .init("the time of issue", received: nil) }
            let age = expected.now.timeIntervalSince(issuedAt)
            let oldest = expected.previous == nil ? expected.maximumAgeAtIssue + expected.leeway : .infinity
            return age >= -expected.leeway && age <= oldest
                ? nil : clock("a time of issue within \(expected.maximumAgeAtIssue) s", issuedAt, expected)
        },
        Self(name: "nbf", section: "RFC 7519, 4.1.5") { token, expected in
            guard expected.previous != nil || token.claims["nbf"] != nil, let notBefore = token.notBefore else {
                return token.claims["nbf"] == nil ? nil : .init("a time", received: "something else")
            }
            return notBefore.addingTimeInterval(-expected.leeway) <= expected.now
                ? nil : clock("a token that is valid already", notBefore, expected)
        },
        Self(name: "nonce", section: "Core 3.1.3.7, 11; 12.2") { token, expected in
            let wanted = expected.previous?.nonce ?? expected.nonce
            // A renewed token need not repeat the nonce; a token of a request without one must not have any.
            if token.nonce == nil {
                return expected.previous != nil || wanted == nil ? nil : .init("the request's nonce", received: nil)
            }
            guard let wanted, let nonce = token.nonce, ConstantTime.equals(nonce, wanted) else {
                return .init(wanted == nil ? "no nonce" : "the request's nonce", received: "a different nonce")
            }
            return nil
        },
        Self(name: "auth_time", section: "Core 3.1.3.7, 13") { token, expected in
            guard let maxAge = expected.maxAge, expected.previous == nil else { return nil }
            guard let time = token.authenticatedAt else {
                return .init("auth_time, as max_age was sent", received: nil)
            }
            return expected.now.timeIntervalSince(time) <= Double(maxAge) + expected.leeway
                ? nil : clock("a login within \(maxAge) s", time, expected)
        },
        Self(name: "at_hash", section: "Core 3.1.3.8") { token, expected in
            guard let hash = token.claims["at_hash"], let accessToken = expected.accessToken else { return nil }
            guard let text = hash.stringValue, let wanted = try? token.leftHash(of: accessToken),
                ConstantTime.equals(text, wanted)
            else { return .init("the access token's hash", received: "a different hash") }
            return nil
        },
        Self(name: "c_hash", section: "Core 3.3.2.11") { token, expected in
            guard let code = expected.code else { return nil }
            guard let text = token.claims["c_hash"]?.stringValue, let wanted = try? token.leftHash(of: code),
                ConstantTime.equals(text, wanted)
            else {
                return .init(
                    "the code's hash", received: token.claims["c_hash"] == nil ? nil : "a different hash")
            }
            return nil
        },
        Self(name: "iss and sub of both ID tokens", section: "Core 3.3.3.6") { token, expected in
            guard let front = expected.frontChannel else { return nil }
            return token.issuer == front.issuer && token.subject == front.subject
                ? nil : .init("the person of the first ID token", received: "another one")
        },
        Self(name: "continuity of sub", section: "Core 12.2") { token, expected in
            guard let previous = expected.previous else { return nil }
            return token.subject == previous.subject ? nil : .init("the same person as before", received: "another sub")
        },
        Self(name: "continuity of aud", section: "Core 12.2") { token, expected in
            guard let previous = expected.previous else { return nil }
            return Set(token.audience) == Set(previous.audience)
                ? nil : .init("the same aud as before", received: token.audience.joined(separator: ", "))
        },
        Self(name: "continuity of azp", section: "Core 12.2") { token, expected in
            guard let previous = expected.previous else { return nil }
            return token.claims["azp"] == previous.claims["azp"]
                ? nil : .init("the same azp as before", received: token.authorizedParty)
        },
        Self(name: "continuity of auth_time", section: "Core 12.2") { token, expected in
            guard let before = expected.previous?.authenticatedAt, let now = token.authenticatedAt else { return nil }
            return now == before ? nil : .init("the original auth_time", received: "another auth_time")
        },
    ]

    private static func clock(_ expected: String, _ time: Date?, _ context: IDTokenExpectation) -> IDToken.Failure {
        IDToken.Failure(
            "\(expected) (now: \(Int(context.now.timeIntervalSince1970)))",
            received: time.map { "\(Int($0.timeIntervalSince1970))" },
            hint: "Check this machine's clock; both times are in seconds since 1970.")
    }
}

extension IDToken {
    /// The left half of a value's hash, by the digest of the token's algorithm (OpenID Connect Core, section 3.1.3.6).
    func leftHash(of text: String) throws -> String? {
        let bytes = Array(text.utf8)
        let digest: [UInt8]
        switch token.header.algorithm.rawValue.suffix(3) {
        case "256": digest = try SHA2.sha256(bytes)
        case "384": digest = try SHA2.sha384(bytes)
        case "512": digest = try SHA2.sha512(bytes)
        case "DSA", "519": digest = try SHA2.sha512(bytes)
        default: return nil
        }
        return Base64URL.encode(digest.prefix(digest.count / 2))
    }
}

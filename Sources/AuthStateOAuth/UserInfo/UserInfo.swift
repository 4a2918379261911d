public import AuthStateJOSE

/// Claims about the user from the userinfo endpoint (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Hashable {
    /// All claims, as they came.
    public let claims: [String: JSONValue]
    /// Whether `sub` was compared with an ID token's; without one the answer is not bound to a login.
    public let isBound: Bool
    /// Whether the provider signed the claims, and the signature was verified.
    public let isSigned: Bool

    /// Takes claims that were read, and compares their `sub` with the ID token's.
    ///
    /// - Parameters:
    ///   - subject: The ID token's `sub`; nil when there is no ID token.
    ///   - isSigned: Whether a signature over the claims was verified.
    /// - Throws: `AuthStateError` with `.subjectMismatch`.
    package init(_ claims: [String: JSONValue], subject: String?, isSigned: Bool) throws {
        if let subject {
            guard TrustCheck.userInfoSubject.holds(claims["sub"]?.stringValue?.isExactly(subject) == true) else {
                throw AuthStateError(
                    .subjectMismatch, stage: .userinfo, "Userinfo speaks of another user than the ID token.",
                    expected: "the ID token's sub", received: claims["sub"] == nil ? "no sub" : "another sub",
                    hint: "Do not use these claims.")
            }
        }
        self.claims = claims
        self.isSigned = isSigned
        isBound = subject != nil
    }

    /// `sub`.
    public var subject: String? { claims["sub"]?.stringValue }
    /// `name`.
    public var name: String? { claims["name"]?.stringValue }
    /// `email`.
    public var email: String? { claims["email"]?.stringValue }
    /// `preferred_username`.
    public var preferredUsername: String? { claims["preferred_username"]?.stringValue }

    /// A claim by name.
    public subscript(claim: String) -> JSONValue? { claims[claim] }
}

extension UserInfo: Redacted {
    /// The names of the claims: values are personal, and those of distributed claims hold access tokens.
    public var description: String {
        "userinfo with \(claims.keys.sorted().joined(separator: ", ").printable())"
    }
}

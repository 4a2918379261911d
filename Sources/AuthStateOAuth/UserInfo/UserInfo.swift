public import AuthStateJOSE

/// Claims about the person from the userinfo endpoint (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Hashable {
    /// All claims.
    public let claims: [String: JSONValue]
    /// Whether `sub` was compared with an ID token's; without one the answer is not bound to a login.
    public let isBound: Bool

    /// Reads an answer and compares its `sub` with the ID token's.
    ///
    /// - Parameter subject: The ID token's `sub`; nil when there is no ID token.
    /// - Throws: `AuthStateError` with `.malformedResponse` or `.subjectMismatch`.
    package init(_ response: TransportResponse, subject: String?) throws {
        let json = try? JSONValue(parsing: [UInt8](response.body))
        guard response.status == 200, let claims = json?.objectValue else {
            throw AuthStateError(
                .malformedResponse, stage: .userinfo, "The userinfo endpoint did not answer with a JSON object.",
                received: response.mediaType, httpStatus: response.status)
        }
        if let subject, claims["sub"]?.stringValue != subject {
            throw AuthStateError(
                .subjectMismatch, stage: .userinfo, "Userinfo speaks of another person than the ID token.",
                expected: "the ID token's sub", received: claims["sub"] == nil ? "no sub" : "another sub",
                hint: "Do not use these claims.")
        }
        self.claims = claims
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

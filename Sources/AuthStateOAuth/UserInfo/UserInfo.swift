import AuthStateFoundation
public import AuthStateJOSE

/// Claims about the user from the userinfo endpoint (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Hashable, Redacted {
    /// All claims; null ones are left out.
    public let claims: [String: JSONValue]
    /// Whether `sub` was compared with an ID token's; without one the answer is not bound to a login.
    public let isBound: Bool
    /// Whether the provider signed the claims, and the signature was verified.
    public let isSigned: Bool

    /// Takes claims that were read, and compares their `sub` with that of the ID token, if there is one; throws
    /// `AuthStateError` with `.subjectMismatch`.
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

    /// The names of the claims: values are personal, and those of distributed claims hold access tokens.
    public var description: String { "userinfo with \(claims.keys.sorted().joined(separator: ", ").printable())" }
}

/// The answer of the userinfo endpoint; `Content-Type` alone decides how it is read (OpenID Connect Core, 5.3.2).
package enum UserInfoAnswer: Sendable, Hashable {
    /// Claims as they are; an answer of any type but `application/jwt` has to be a JSON object.
    case plain([String: JSONValue])
    /// Claims in a signed JWT, not verified yet.
    case signed(SignedUserInfo)

    /// Reads an answer of status 200; throws `.malformedResponse`, or `.unsupported` when the claims are encrypted.
    package init(_ response: TransportResponse) throws {
        let body = [UInt8](response.body)
        guard response.mediaType != "application/jwt" else {
            self = .signed(try SignedUserInfo(parsing: String(decoding: body, as: UTF8.self)))
            return
        }
        guard let claims = response.json?.tidyClaims.objectValue else {
            throw AuthStateError.noObject("userinfo endpoint", response, stage: .userinfo)
        }
        self = .plain(claims)
    }
}

/// How userinfo is asked for (OpenID Connect Core, section 5.3.1).
public struct UserInfoOptions: Sendable, Hashable {
    /// Where the access token travels.
    public enum TokenPlacement: Sendable, Hashable {
        /// In the `Authorization` header of a GET (RFC 6750, section 2.1).
        case header
        /// In the form of a POST (RFC 6750, section 2.2); for providers that understand nothing else.
        case body
    }

    /// Where the access token travels.
    public var tokenPlacement: TokenPlacement
    /// Whether unsigned claims are refused: for a client that registered `userinfo_signed_response_alg`.
    public var requiresSignature: Bool

    /// Makes options.
    public init(tokenPlacement: TokenPlacement = .header, requiresSignature: Bool = false) {
        self.tokenPlacement = tokenPlacement
        self.requiresSignature = requiresSignature
    }
}

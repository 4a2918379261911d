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

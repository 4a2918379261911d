/// Something that a known provider leaves out or does otherwise, and that is accepted only when asked for by name.
public struct Tolerance: RawRepresentable, Sendable, Hashable, Codable {
    /// The name.
    public let rawValue: String
    /// Makes a tolerance.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A token response without `token_type`.
    public static let missingTokenType = Tolerance(rawValue: "missingTokenType")
    /// Signed userinfo without `iss` or `aud`, which OpenID Connect Core, section 5.3.2, only recommends.
    public static let unaddressedUserInfo = Tolerance(rawValue: "unaddressedUserInfo")
    /// Client assertions are for the URL of the endpoint that they go to, instead of the issuer (RFC 7523, section 3).
    public static let endpointAudience = Tolerance(rawValue: "endpointAudience")
    /// A pushed request names the DPoP key (`dpop_jkt`) and goes without a proof (RFC 9449, section 10.1, has both ways):
    /// the provider wants a nonce in the proof there, and does not say which.
    public static let unprovenPush = Tolerance(rawValue: "unprovenPush")
}

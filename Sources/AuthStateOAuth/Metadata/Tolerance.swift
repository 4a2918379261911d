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
}

/// An action that the provider asks of the user (OpenID Connect Core, section 3.1.2.1).
public struct AuthorizationPrompt: RawRepresentable, Sendable, Hashable, Codable {
    /// The word.
    public let rawValue: String
    /// Makes a prompt.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Nothing: fail when a page would have to be shown.
    public static let none = AuthorizationPrompt(rawValue: "none")
    /// To log in again.
    public static let login = AuthorizationPrompt(rawValue: "login")
    /// To consent again.
    public static let consent = AuthorizationPrompt(rawValue: "consent")
    /// To choose an account.
    public static let selectAccount = AuthorizationPrompt(rawValue: "select_account")
}

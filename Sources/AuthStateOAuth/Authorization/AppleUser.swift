public import AuthStateJOSE

/// The name and address that Apple sends in the answer to the very first login only: keep them when you need them.
///
/// It comes through the browser, unsigned: `state` ties it to the login, but the user can change the content. Use the
/// name to address the user; the account is the ID token's `sub`, and the address is its `email`.
public struct AppleUser: Sendable, Hashable, Redacted {
    /// The first name.
    public let firstName: String?
    /// The last name.
    public let lastName: String?
    /// The address that the browser claims, which is not verified.
    public let unverifiedEmail: String?

    /// Reads the parameter `user`; nil when it is no JSON object.
    init?(_ text: String) {
        guard let json = try? JSONValue(parsing: text.utf8), json.objectValue != nil else { return nil }
        firstName = json["name"]?["firstName"]?.stringValue?.printable(100)
        lastName = json["name"]?["lastName"]?.stringValue?.printable(100)
        unverifiedEmail = json["email"]?.stringValue?.printable(320)
    }

    /// The names of the members that are present; the values stay private.
    public var description: String {
        let parts = [("first name", firstName), ("last name", lastName), ("email", unverifiedEmail)]
        return "user with " + parts.filter { $0.1 != nil }.map(\.0).joined(separator: ", ")
    }
}

extension AuthorizationResponse {
    /// The user's name, at the first login with Apple that asks for `name` or `email`.
    public var appleUser: AppleUser? { additionalParameters["user"].flatMap(AppleUser.init) }
}

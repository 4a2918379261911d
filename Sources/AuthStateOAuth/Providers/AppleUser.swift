import AuthStateJOSE

/// What Apple says about a person in the answer to the very first login, and never again: keep it when you need it.
///
/// It comes through the browser, unsigned: `state` ties it to the login, but the person can change what it says. Call
/// somebody by this name; who they are is the ID token's `sub`, and their address is its `email`.
public struct AppleUser: Sendable, Hashable {
    /// The first name.
    public let firstName: String?
    /// The last name.
    public let lastName: String?
    /// The address that the browser claims, which nobody has verified.
    public let unverifiedEmail: String?

    /// Reads the parameter `user`; nil when it is no JSON object.
    init?(_ text: String) {
        guard let json = try? JSONValue(parsing: text.utf8), json.objectValue != nil else { return nil }
        firstName = json["name"]?["firstName"]?.stringValue?.printable(100)
        lastName = json["name"]?["lastName"]?.stringValue?.printable(100)
        unverifiedEmail = json["email"]?.stringValue?.printable(320)
    }
}

extension AuthorizationResponse {
    /// The person's name, at the first login with Apple that asks for `name` or `email`.
    public var appleUser: AppleUser? { additionalParameters["user"].flatMap(AppleUser.init) }
}

extension AppleUser: CustomStringConvertible, CustomReflectable {
    /// Which of them there are; they stay private.
    public var description: String {
        let parts = [("first name", firstName), ("last name", lastName), ("email", unverifiedEmail)]
        return "user with " + parts.filter { $0.1 != nil }.map(\.0).joined(separator: ", ")
    }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["user": description]) }
}

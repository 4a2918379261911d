public import AuthStateJOSE

extension OpenIDProvider {
    /// A user who has an account at the provider.
    public struct User: Sendable, Hashable {
        /// `sub`.
        public var subject: String
        /// The name that the user types to log in.
        public var name: String
        /// The password.
        public var password: String
        /// Claims besides `sub`; those of the standard scopes are returned with their scope, all others always.
        public var claims: [String: JSONValue]
        /// The user code that clients need to have the user asked (`user_code` of CIBA); nil requires none.
        public var backchannelCode: String?

        /// Makes a user.
        public init(subject: String, name: String, password: String, claims: [String: JSONValue] = [:]) {
            (self.subject, self.name, self.password, self.claims) = (subject, name, password, claims)
        }

        /// Ada, whose password is `lovelace`.
        public static let ada = User(
            subject: "248289761001", name: "ada", password: "lovelace",
            claims: [
                "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "preferred_username": "ada",
                "email": "ada@example.com", "email_verified": true,
            ])

        /// The claims that these scopes give access to, and those that were asked for by name (Core, 5.4 and 5.5).
        func claims(for scopes: Set<String>, and names: Set<String>) -> [String: JSONValue] {
            var released = claims.filter { name, _ in
                names.contains(name) || Self.scopes[name].map(scopes.contains) ?? true
            }
            released["sub"] = .string(subject)
            return released
        }

        private static let scopes: [String: String] = {
            let table = [
                "profile": [
                    "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile",
                    "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
                ],
                "email": ["email", "email_verified"],
                "address": ["address"],
                "phone": ["phone_number", "phone_number_verified"],
            ]
            return Dictionary(uniqueKeysWithValues: table.flatMap { scope, claims in claims.map { ($0, scope) } })
        }()
    }
}

extension OpenIDProvider.User: Redacted {
    /// The name, never the password.
    public var description: String { "user \(name)" }
}

public import AuthStateJOSE

/// Single claims to ask for, as the value of `AuthorizationRequest.claims` (OpenID Connect Core, section 5.5).
///
/// ```swift
/// request.claims = ClaimsRequest(idToken: ["email": .essential], userInfo: ["picture": .voluntary]).json
/// ```
public struct ClaimsRequest: Sendable, Hashable {
    /// Claims that shall come in the ID token.
    public var idToken: [String: Wish]
    /// Claims that shall come from the userinfo endpoint.
    public var userInfo: [String: Wish]

    /// How a claim is asked for (section 5.5.1).
    public struct Wish: Sendable, Hashable {
        /// Whether the login makes little sense without it; a provider may leave it out all the same.
        public var isEssential: Bool
        /// Values that will do, best first; empty means any.
        public var values: [JSONValue]

        /// Makes a wish.
        public init(isEssential: Bool = false, values: [JSONValue] = []) {
            self.isEssential = isEssential
            self.values = values
        }

        /// If the provider has it.
        public static let voluntary = Wish()
        /// Needed for the login to make sense.
        public static let essential = Wish(isEssential: true)

        fileprivate var json: JSONValue {
            var members: [String: JSONValue] = [:]
            if isEssential { members["essential"] = true }
            if values.count == 1 { members["value"] = values[0] }
            if values.count > 1 { members["values"] = .array(values) }
            return members.isEmpty ? .null : .object(members)
        }
    }

    /// Makes a request for claims.
    public init(idToken: [String: Wish] = [:], userInfo: [String: Wish] = [:]) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// The value to set on an authorization request.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if !idToken.isEmpty { members["id_token"] = .object(idToken.mapValues(\.json)) }
        if !userInfo.isEmpty { members["userinfo"] = .object(userInfo.mapValues(\.json)) }
        return .object(members)
    }
}

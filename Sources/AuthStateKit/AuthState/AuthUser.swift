public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// The logged-in user: claims of the verified ID token, and of userinfo where that was read.
///
/// A provider that says nothing about people leaves everything nil. For accounts in a database take `issuer` and `subject`
/// together; names and addresses change hands.
public struct AuthUser: Sendable, Hashable {
    /// The claims of the ID token; empty without one.
    public let idTokenClaims: [String: JSONValue]
    /// The userinfo, its `sub` compared with the ID token's, as it was last read or as an `AuthSession` kept it at the login; nil
    /// without any.
    public let userInfo: UserInfo?
    /// The name that Apple gives at the first login alone, unsigned.
    public let appleUser: AppleUser?
    /// The grant that the claims come from.
    let grantID: String

    package init(_ record: AuthState.Record, userInfo: UserInfo? = nil) {
        let token = record.idToken.flatMap { try? IDToken(parsing: $0) }
        idTokenClaims = token?.claims.objectValue ?? [:]
        self.userInfo = userInfo ?? token.flatMap { record.keptUserInfo(of: $0) }
        appleUser = record.lastAuthorizationResponse?.appleUser
        grantID = record.grantID
    }

    private init(_ user: AuthUser, userInfo: UserInfo) {
        (idTokenClaims, appleUser, grantID) = (user.idTokenClaims, user.appleUser, user.grantID)
        self.userInfo = userInfo
    }

    /// Returns the user with the userinfo that was read before, where that is the same grant's or the same account's.
    package func keeping(_ before: AuthUser?) -> AuthUser {
        guard userInfo == nil, let before, let known = before.userInfo,
            grantID == before.grantID || isSameAccount(as: before)
        else { return self }
        return AuthUser(self, userInfo: known)
    }

    /// Returns whether issuer and subject are known, and the same to the byte.
    private func isSameAccount(as other: AuthUser) -> Bool {
        guard let issuer, let theirIssuer = other.issuer, let subject, let theirSubject = other.subject else {
            return false
        }
        return issuer.isExactly(theirIssuer) && subject.isExactly(theirSubject)
    }
}

extension AuthState.Record {
    private static let userInfoAnnotation = "userinfo"
    /// More than this is not kept, in bytes: a name and an address fit many times.
    private static let longestUserInfo = 8192

    /// Keeps userinfo with the login, to be shown without network; nil keeps none. Distributed claims, which may hold access tokens,
    /// are left out.
    package mutating func keep(_ userInfo: UserInfo?) {
        let text = userInfo.map { info in
            let claims = info.claims.filter { !$0.key.hasPrefix("_claim") }
            let json: JSONValue = .object(["claims": .object(claims), "signed": .bool(info.isSigned)])
            return String(decoding: json.serialized(), as: UTF8.self)
        }
        annotations[Self.userInfoAnnotation] = text.flatMap { $0.utf8.count <= Self.longestUserInfo ? $0 : nil }
    }

    /// The userinfo that was kept, if it is of the ID token's subject: another user may have logged in since.
    fileprivate func keptUserInfo(of token: IDToken) -> UserInfo? {
        guard let text = annotations[Self.userInfoAnnotation], let json = try? JSONValue(parsing: Array(text.utf8)),
            let claims = json["claims"]?.objectValue
        else { return nil }
        return try? UserInfo(claims, subject: token.subject ?? "", isSigned: json["signed"]?.boolValue ?? false)
    }
}

extension AuthState {
    /// The logged-in user, by the claims of the verified ID token and the userinfo that an `AuthSession` kept; read from anywhere,
    /// without waiting and without network.
    ///
    /// Nil without an ID token, for example at a provider of OAuth 2.0 alone, and for one that came from outside and was not
    /// verified, see `update(with:)`. `userInfo()` asks the provider for more.
    public nonisolated var user: AuthUser? {
        let record = self.record
        return record.idToken != nil && record.idTokenTrust != nil ? AuthUser(record) : nil
    }
}

extension AuthUser {
    /// A claim by name: userinfo's, else the ID token's.
    ///
    /// An address or number and the claim that it is verified come from one source: `email_verified` is userinfo's where
    /// `email` is, and nil when userinfo does not say it. Each other claim is looked for by itself.
    public subscript(claim: String) -> JSONValue? {
        guard let group = Self.groups.first(where: { $0.contains(claim) }) else {
            return userInfo?[claim] ?? idTokenClaims[claim]
        }
        // The first claim of a group is what the others speak about.
        if let info = userInfo, info[group[0]] != nil { return info[claim] }
        return idTokenClaims[group[0]] == nil ? nil : idTokenClaims[claim]
    }

    /// Claims that mean something only beside each other (OpenID Connect Core, section 5.1).
    private static let groups = [["email", "email_verified"], ["phone_number", "phone_number_verified"]]

    /// `iss` of the ID token.
    public var issuer: String? { idTokenClaims["iss"]?.stringValue }
    /// `sub`.
    public var subject: String? { text("sub") }
    /// `name`; after a first login with Apple the name that came along.
    public var name: String? { text("name") ?? appleName }
    /// `given_name`.
    public var givenName: String? { text("given_name") ?? appleUser?.firstName }
    /// `family_name`.
    public var familyName: String? { text("family_name") ?? appleUser?.lastName }
    /// `preferred_username`.
    public var preferredUsername: String? { text("preferred_username") }
    /// `email`.
    public var email: String? { text("email") }
    /// `email_verified`: whether the provider knows that the address in `email` is the user's.
    public var isEmailVerified: Bool { self["email_verified"]?.boolValue ?? false }
    /// `phone_number`.
    public var phoneNumber: String? { text("phone_number") }
    /// `phone_number_verified`: whether the provider knows that the number in `phoneNumber` is the user's.
    public var isPhoneNumberVerified: Bool { self["phone_number_verified"]?.boolValue ?? false }
    /// `picture`, when it is an http(s) URL.
    public var picture: URL? {
        guard let text = text("picture"), let url = URL(string: text) else { return nil }
        let parts = URIReference(text)
        return parts.hasScheme("https") || parts.hasScheme("http") ? url : nil
    }

    private func text(_ claim: String) -> String? { self[claim]?.stringValue }

    private var appleName: String? {
        let parts = [appleUser?.firstName, appleUser?.lastName].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension AuthUser: Redacted {
    /// The names of the claims; what they say is personal.
    public var description: String {
        let names = Set(idTokenClaims.keys).union(userInfo.map { Set($0.claims.keys) } ?? [])
        return "user with \(names.sorted().map { $0.printable() }.joined(separator: ", "))"
    }
}

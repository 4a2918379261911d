/// One scope token (RFC 6749, section 3.3).
public struct Scope: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The token.
    public let rawValue: String

    /// Makes a scope token; `validated()` checks it when a request is built.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a scope token; `names.map(Scope.init(_:))` makes several.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// Makes a scope token from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The token.
    public var description: String { rawValue }

    /// `openid`: the request is for OpenID Connect and an ID token is required.
    public static let openID: Scope = "openid"
    /// `profile`: name and the like.
    public static let profile: Scope = "profile"
    /// `email`.
    public static let email: Scope = "email"
    /// `address`.
    public static let address: Scope = "address"
    /// `phone`.
    public static let phone: Scope = "phone"
    /// `offline_access`: a refresh token, also while the user is away.
    public static let offlineAccess: Scope = "offline_access"

    /// Whether every character is one of 0x21, 0x23–0x5B and 0x5D–0x7E, and there is one.
    public var isValid: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension Sequence<Scope> {
    /// The tokens joined by spaces, in order, repeated ones once. Throws `AuthStateError` with `.invalidScope` when a
    /// token has a character that scopes may not have.
    func joined(stage: AuthStateError.Stage, tolerating tolerances: Set<Tolerance> = []) throws -> String? {
        var seen: Set<Scope> = []
        var tokens: [String] = []
        for scope in self where seen.insert(scope).inserted {
            guard scope.isValid else {
                throw AuthStateError(
                    .invalidScope, stage: stage, "A scope holds a character that is not allowed.",
                    expected: "printable ASCII without space, quote and backslash", received: scope.rawValue)
            }
            tokens.append(scope.rawValue)
        }
        return tokens.isEmpty ? nil : tokens.joined(separator: tolerances.contains(.commaSeparatedScopes) ? "," : " ")
    }
}

extension Set<Tolerance> {
    /// A granted scope as it is remembered: with spaces.
    func grantedScope(_ scope: String?) -> String? {
        guard contains(.commaSeparatedGrants) else { return scope }
        return scope?.split { $0 == "," || $0 == " " }.joined(separator: " ")
    }
}

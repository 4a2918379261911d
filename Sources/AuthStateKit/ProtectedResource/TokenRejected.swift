public import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Thrown from a `withFreshToken` body when the resource answered 401: the token is renewed and the body runs once more.
public struct TokenRejected: Error, Sendable, Hashable {
    /// The values of the answer's `WWW-Authenticate` lines.
    public var challenges: [String]
    /// The beginning of the answer's body, for the error that the state keeps when a renewal does not help.
    public var body: String?

    /// Makes a rejection.
    public init(challenges: [String], body: String? = nil) {
        self.challenges = challenges
        self.body = body
    }

    /// The rejection that a resource's answer is.
    public init(_ response: TransportResponse) {
        challenges = response.headers["WWW-Authenticate"]
        body = response.body.isEmpty ? nil : String(decoding: response.body.prefix(1024), as: UTF8.self)
    }
}

/// What an access token that was refused means for the state.
public struct UnauthorizedPolicy: Sendable, Hashable {
    enum Choice: Sendable { case renewOnce, fail, failRequestOnly }
    let choice: Choice

    /// One renewal and one more try; a second refusal moves the state into error.
    public static let renewOnce = UnauthorizedPolicy(choice: .renewOnce)
    /// The first refusal moves the state into error.
    public static let fail = UnauthorizedPolicy(choice: .fail)
    /// The request fails and the state stays as it is.
    public static let failRequestOnly = UnauthorizedPolicy(choice: .failRequestOnly)
}

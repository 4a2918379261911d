public import AuthStateJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an ID token has to fit.
public struct IDTokenExpectation: Sendable {
    /// The issuer, exactly.
    public var issuer: Issuer
    /// The client that the token must be for.
    public var clientID: String
    /// The request's nonce; nil when none was sent.
    public var nonce: String?
    /// The access token that came along, for `at_hash`.
    public var accessToken: String?
    /// The code that came along in the front channel (hybrid flow): `c_hash` is then required.
    public var code: String?
    /// The front-channel ID token of the same login, whose issuer and subject must be the same (hybrid flow).
    public var frontChannel: IDToken?
    /// The oldest login that will do, in seconds; `auth_time` is then required.
    public var maxAge: Int?
    /// The ID token that a renewed one continues (OpenID Connect Core, section 12.2); nil at login.
    public var previous: IDToken?
    /// Algorithms that may have signed it.
    public var algorithms: Set<SignatureAlgorithm> = .asymmetric
    /// How far the provider's clock may be off, in seconds.
    public var leeway: Double = 60
    /// How old a token may be at login, in seconds; not applied on renewal.
    public var maximumAgeAtIssue: Double = 600
    /// The time now.
    public var now: Date

    /// Makes an expectation.
    public init(issuer: Issuer, clientID: String, now: Date) {
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
    }
}

extension IDTokenExpectation: CustomStringConvertible, CustomReflectable {
    /// Issuer and client; nonce and access token stay secret.
    public var description: String { "ID token of \(issuer) for \(clientID)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["expectation": description]) }
}

extension Set<SignatureAlgorithm> {
    /// Every algorithm whose key the provider publishes; `none` and shared secrets are not among them.
    public static let asymmetric: Set = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .ed25519,
    ]
}

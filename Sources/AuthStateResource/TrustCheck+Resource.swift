package import AuthStateJOSE

extension TrustCheck {
    /// Where a resource named the authorization server, and others may know the client too, that server promises `iss`
    /// or has its page at its own origin (RFC 9700, 4.4).
    package static let ownAnswers = TrustCheck("ownAnswers")
    /// A client that is known to one authorization server is used at no other one (MCP, Authorization).
    package static let resourceClient = TrustCheck("resourceClient")
    /// A server that a client registers at gives it no identifier that the program has elsewhere (MCP, Authorization).
    package static let registeredIdentifier = TrustCheck("registeredIdentifier")
    /// A token that permits registrations goes to the authorization server that it is for (RFC 7591, 3).
    package static let registrationIssuer = TrustCheck("registrationIssuer")
    /// An assertion that is signed for one authorization server reaches no other one (RFC 7521, 8.3).
    package static let assertionIssuer = TrustCheck("assertionIssuer")
    /// The login under a resource's key is that resource's: another one's tokens do not go to it.
    package static let resourceKey = TrustCheck("resourceKey")
    /// A pending login is completed by an access to the resource that it is for.
    package static let pendingResource = TrustCheck("pendingResource")
    /// Requests for a resource, whose challenges are followed, go to its origin (RFC 9728, 7.6).
    package static let resourceOrigin = TrustCheck("resourceOrigin")
    /// The challenge of another origin than the resource's leads to no login (RFC 9728, 7.6).
    package static let challengeOrigin = TrustCheck("challengeOrigin")
    /// The authorization server that a program chooses is one that the resource names (RFC 9728, 2).
    package static let chosenServer = TrustCheck("chosenServer")
    /// The code of a login on another device that another process makes is shown only where no other user's program can have
    /// written it (RFC 8628, 5.4).
    package static let announcedLogin = TrustCheck("announcedLogin")
    /// A right that is never granted, and an operation that stays refused, lead to a bounded number of logins (MCP,
    /// Authorization).
    package static let stepUpBound = TrustCheck("stepUpBound")
}

package import AuthStateJOSE

extension TrustCheck {
    /// An assertion of a user's identity is one, and no other token that a provider issued in its place is shown to
    /// another server (draft-ietf-oauth-identity-assertion-authz-grant, 4.3.3).
    package static let identityAssertionType = TrustCheck("identityAssertionType")
}

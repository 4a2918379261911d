package import AuthStateJOSE

extension TrustCheck {
    /// Where a client belongs outlives a sweep of the logins (MCP, Authorization).
    package static let sweptBinding = TrustCheck("sweptBinding")
}

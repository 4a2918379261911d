package import AuthStateJOSE

extension TrustCheck {
    /// A bearer token travels over TLS, or on this machine (RFC 6750, 5.3).
    package static let bearerTransport = TrustCheck("bearerTransport")
    /// A bearer token goes only to the origins that were named, when some were (RFC 9700, 4.9).
    package static let bearerOrigin = TrustCheck("bearerOrigin")
    /// Only the origins that were named, when some were, end a login by refusing its access token.
    package static let rejectionOrigin = TrustCheck("rejectionOrigin")
}

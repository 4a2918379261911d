package import AuthStateJOSE

extension TrustCheck {
    /// `Host` is the redirect URI's: a foreign DNS name that resolves to this machine is refused (RFC 8252, 8.10).
    package static let loopbackHost = TrustCheck("loopbackHost")
    /// A browser arrives by navigation, not by a script or an image of another page (Fetch Metadata, 2.2).
    package static let loopbackNavigation = TrustCheck("loopbackNavigation")
    /// A browser arrives with a page of its own, not in a frame of another one (Fetch Metadata, 2.1).
    package static let loopbackDocument = TrustCheck("loopbackDocument")
    /// An answer that is handed over, a fragment or a form, is posted by our own page (RFC 6454, 7).
    package static let loopbackFormOrigin = TrustCheck("loopbackFormOrigin")
    /// The one-time address leads one browser to the provider's page (RFC 8252, 8.3).
    package static let loopbackEntrance = TrustCheck("loopbackEntrance")
    /// An answer comes from the browser that opened the one-time address, and has its cookie (RFC 8252, 8.3).
    package static let loopbackCookie = TrustCheck("loopbackCookie")
    /// An answer at the port names the `state` of the request; any other one ends nothing (RFC 8252, 8.9).
    package static let loopbackState = TrustCheck("loopbackState")
}

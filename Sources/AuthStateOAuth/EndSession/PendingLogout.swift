public import AuthStateFoundation
public import AuthStateJOSE

/// A logout that is still to end the session at the provider: send the browser to `url`, keep the rest until it comes back.
///
/// It holds the ID token as a hint: keep it where only this browser's session reaches it.
public struct PendingLogout: Sendable, Hashable, Codable {
    /// The request, with its state.
    public let request: EndSessionRequest
    /// The URL to send the browser to.
    public let url: URL

    package init(request: EndSessionRequest, url: URL) { (self.request, self.url) = (request, url) }
}

extension PendingLogout: Redacted {
    /// The client; hint and state stay secret.
    public var description: String { "pending logout of \(request.clientID ?? "a client")" }
}

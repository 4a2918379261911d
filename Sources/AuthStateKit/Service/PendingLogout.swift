public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// A logout that is still to end the session at the provider: send the browser to `url`, keep the rest until it comes back.
///
/// It holds the ID token as a hint: keep it where only this browser's session reaches it.
public struct PendingLogout: Sendable, Hashable, Codable {
    /// The request, with its state.
    public let request: EndSessionRequest
    /// The URL to send the browser to.
    public let url: URL
}

extension PendingLogout: Redacted {
    /// The client; hint and state stay secret.
    public var description: String { "pending logout of \(request.clientID ?? "a client")" }
}

extension AuthorizationService {
    /// Begins a logout at the provider in two steps: send the browser to `url`, keep the rest until it comes back.
    ///
    /// - Throws: `AuthStateError` of stage logout, `.endpointMissing` when the provider has no end-session endpoint.
    public func begin(_ request: EndSessionRequest) throws -> PendingLogout {
        try traced {
            let pending = PendingLogout(request: request, url: try checkedURL(of: request))
            configuration.trace?.noteLogout(pending)
            return pending
        }
    }

    /// Returns the URL to open, after checking that the endpoint may be used.
    func checkedURL(of request: EndSessionRequest) throws -> URL {
        if let endpoint = request.configuration.endSessionEndpoint {
            try check(endpoint, of: request.configuration, stage: .logout)
        }
        return try request.url()
    }

    /// Checks that a callback answers this logout: its place, then `state` (RP-Initiated Logout, section 3).
    ///
    /// - Throws: `AuthStateError` with `.callbackMismatch` or `.stateMismatch`: the session may still be open.
    public func complete(_ pending: PendingLogout, callback: AuthorizationCallback) throws {
        configuration.trace?.noteReturn(callback)
        try traced { try pending.request.validate(callback) }
        configuration.trace?.noteLogoutAnswer()
    }
}

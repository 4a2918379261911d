import AuthStateFoundation
public import AuthStateOAuth

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

import AuthStateJOSE
import AuthStateKit
public import AuthStateOAuth
import AuthStateServer

extension ResourceAccess {
    /// Begins a login in two requests of a browser, for a server.
    ///
    /// Redirect the browser to the URL of the pending login, and keep it in the browser's session.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the answer goes; a client that registers itself registers this one.
    ///   - error: The error of the call that needs the login, whose challenge leads; nil for a first login.
    /// - Throws: As `performAction(_:operation:)`.
    public func beginLogin(redirectURI: RedirectURI, because error: AuthStateError? = nil) async throws
        -> PendingAuthorization
    {
        _ = try await authState()
        try await place.tryStore()
        let plan = try await plan(because: error)
        return try await service.begin(try await request(by: plan, redirectURI: redirectURI).0)
    }

    /// Completes a login that `beginLogin(redirectURI:because:)` began, perhaps in another process.
    ///
    /// - Parameters:
    ///   - pending: The login.
    ///   - callback: The browser's answer.
    /// - Throws: As `AuthorizationService.complete(_:callback:)`, and `AuthStateError` with `.invalidArgument` for a login that
    ///   is not this resource's; the login before is then unchanged.
    public func completeLogin(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws {
        let named = pending.request.resources
        // A resource may go by the name of a path above it; its neighbour's name is another one.
        let isOwn =
            named.isEmpty
            ? options.tolerances.contains(.unnamedResource)
            : named.count == 1 && (named[0].isExactly(resource.rawValue) || resource.isBelow(named[0]))
        guard TrustCheck.pendingResource.holds(isOwn) else {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The pending login is not one for this resource.",
                expected: resource.rawValue, received: named.joined(separator: " "))
        }
        var pending = pending
        let home = try await authState()?.record
        var own: RegistrationResponse?
        if let issuer = pending.client.provider.issuer {
            own = try await registration(at: issuer, home, isKnown: false)
            if own?.clientID != pending.client.id { own = nil }
        }
        var credential = try await credential(of: pending.client, isRegistered: own != nil)
        if credential == nil, let own {
            credential = AuthState.Record(pending.client).applying(.registered(own)).client.credential
        }
        pending.client = pending.client.fallingBack(on: credential)
        do {
            let (response, tokens) = try await service.complete(pending, callback: callback)
            try await keep(response, tokens, own)
        } catch let refusal as AuthStateError where refusal.code == .invalidClient && own != nil {
            // The next login registers anew.
            if let issuer = pending.client.provider.issuer { history.forget(pending.client.id, at: issuer) }
            throw refusal
        } catch let refusal as AuthStateError where refusal.code == .invalidScope {
            // The next login asks for fewer.
            history.scopesRefused()
            throw refusal
        }
    }
}

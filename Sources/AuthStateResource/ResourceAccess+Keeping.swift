import AuthStateKit
import AuthStateOAuth
import AuthStateServer

/// What a login leaves in the store.
extension ResourceAccess {
    /// Keeps the result of a login, if it is of an account that may replace the one before.
    ///
    /// - Parameter grantID: The grant when the login began; nil where there was none, or where it is not known.
    func keep(
        _ response: AuthorizationResponse, _ tokens: TokenResponse, _ registration: RegistrationResponse?,
        over grantID: String? = nil
    ) async throws {
        let record = AuthState.Record(response.request.client)
        let scopes = response.request.scopes
        try await keep(record, .loggedIn(response, tokens), of: scopes, registration, over: grantID)
    }

    func keep(
        _ record: AuthState.Record, _ event: AuthState.Event, of scopes: [Scope], _ registration: RegistrationResponse?,
        over grantID: String?
    ) async throws {
        guard case .loggedIn(let response, let tokens, _) = event else { return }
        var record = record
        let client = record.client
        do {
            try Task.checkCancellation()
            // A login elsewhere, while the page was shown, has an account too.
            try? await state?.reload()
            try checkLogout(since: grantID)
            if let before = state?.record, before.client.provider.issuer == client.provider.issuer,
                before.lastTokenResponse != nil || before.refreshToken != nil
            {
                try await options.account.check(tokens, against: before)
                try checkLogout(since: grantID)
            }
        } catch {
            await service.giveBack(tokens, of: client)
            throw error
        }
        record.annotations = annotations(granted: tokens.scope ?? response?.scope, of: scopes)
        if registration?.clientID == client.id { record.lastRegistrationResponse = registration }
        let next = await place.state(record, event)
        state = next
        try await next.checkSession()
        try await bind(client)
    }

    /// Refuses to log in again a user who has logged out since the login began.
    func checkLogout(since grantID: String?) throws {
        guard let grantID, let record = state?.record, record.grantID != grantID, !record.isAuthorized else { return }
        throw AuthStateError(
            .notLoggedIn, stage: .authorization, "The user was logged out while the login was in progress.",
            hint: "Log in again.")
    }

    /// Notes what a login was granted, also for later processes.
    func annotations(granted: String?, of requested: [Scope]) -> [String: String] {
        var annotations = annotations
        guard let granted = granted?.scopes else { return annotations }
        let missing = history.granted(granted, of: requested)
        if !missing.isEmpty { annotations[Self.notGranted] = missing.map(\.rawValue).joined(separator: " ") }
        return annotations
    }

    var annotations: [String: String] {
        options.annotations.merging([Self.annotation: resource.rawValue]) { $1 }
    }
}

extension AuthState.Record {
    /// The scopes that the login asked for.
    var requestedScopes: [Scope] {
        if let scopes = lastAuthorizationResponse?.request.scopes ?? machineGrant?.scopes { return scopes }
        // Of a login on another device.
        let names = [scope, annotations[ResourceAccess.notGranted]].compactMap(\.self).joined(separator: " ")
        return names.split(separator: " ").map { Scope(rawValue: String($0)) }
    }
}

extension AuthState.Record {
    /// Whether the login asked for the strength that a challenge demands (RFC 9470); true for one on another device, of which that is
    /// not kept.
    func hasAsked(for challenge: AuthenticationChallenge) -> Bool {
        guard let request = lastAuthorizationResponse?.request else { return true }
        var wanted = request
        wanted.strengthen(by: challenge.parameters)
        return Set(wanted.acrValues).isSubset(of: request.acrValues)
            && wanted.maxAge.map { age in request.maxAge.map { $0 <= age } ?? false } ?? true
    }
}

extension String {
    /// The scopes of a granted scope.
    var scopes: Set<Scope> { Set(split(separator: " ").map { Scope(rawValue: String($0)) }) }
}

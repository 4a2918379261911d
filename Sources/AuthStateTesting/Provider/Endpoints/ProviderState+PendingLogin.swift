import AuthStateOAuth

extension ProviderState {
    /// A login that a user confirms elsewhere: a device's, or one that the provider itself asks them about.
    struct PendingLogin: Sendable {
        /// The user's decision.
        enum Decision: Sendable { case pending, denied, granted(String) }

        /// The grant that its tokens are requested by.
        var grantType: GrantType
        var clientID: String
        var scopes: [String]
        var resources: [String]
        /// The code that a device shows; nil for a login that has none.
        var userCode: String?
        /// The user to be asked, where known from the beginning.
        var user: User?
        var expiresAt: Double
        var interval: Double
        var askedAt: Double?
        var decision = Decision.pending

        func isWaiting(at now: Double) -> Bool {
            guard case .pending = decision else { return false }
            return now < expiresAt
        }
    }

    /// Keeps a login until its tokens are asked for.
    ///
    /// - Returns: The code that the tokens are requested with.
    mutating func keep(_ login: PendingLogin) -> String {
        pendingLogins = pendingLogins.filter { now < $0.value.expiresAt + 600 }
        let code = newToken()
        pendingLogins[code] = login
        return code
    }

    /// The scopes and resources that a client asks for, when it may use the grant and they are known here.
    func wishes(
        _ parameters: Parameters, of client: Client, for grantType: GrantType
    ) throws(ProviderRefusal) -> (scopes: [String], resources: [String]) {
        guard client.grantTypes.contains(grantType) else {
            throw ProviderRefusal("unauthorized_client", "The client may not use this grant.")
        }
        let wanted = scopes(parameters["scope"])
        if let foreign = wanted.first(where: { !configuration.scopes.contains($0) }) {
            throw .invalidScope("The scope \(foreign) is not known here.")
        }
        let resources = parameters.values("resource")
        try check(resources: resources)
        return (wanted, resources)
    }

    /// Records the user's decision; without a user it is a refusal.
    mutating func decide(_ code: String, allowing user: User?) {
        guard let login = pendingLogins[code] else { return }
        guard let user else {
            pendingLogins[code]?.decision = .denied
            return
        }
        let id = newToken()
        grants[id] = Grant(
            clientID: login.clientID, user: user, scopes: consented(login.scopes), resources: login.resources,
            authenticatedAt: now, sessionID: newToken())
        pendingLogins[code]?.decision = .granted(id)
    }

    /// Answers the token request of a login (RFC 8628, sections 3.4 and 3.5; CIBA Core, sections 10.1 and 11).
    mutating func redeemPendingLogin(
        _ code: String?, _ grantType: GrantType, _ parameters: Parameters, _ client: Client, key: String?
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let code, let login = pendingLogins[code], login.grantType == grantType, login.clientID == client.id
        else { throw .invalidGrant("The login is not known, or not this client's.") }
        pendingLogins[code]?.askedAt = now
        guard now < login.expiresAt else { throw ProviderRefusal("expired_token", "The login's time is over.") }
        // The system's coarse clock moves in steps of some milliseconds.
        if let askedAt = login.askedAt, now - askedAt < login.interval - 0.02 {
            pendingLogins[code]?.interval += 5
            throw ProviderRefusal("slow_down", "Wait for \(Int(login.interval + 5)) seconds from now on.")
        }
        switch login.decision {
        case .pending: throw ProviderRefusal("authorization_pending", "The user has not decided yet.")
        case .denied: throw ProviderRefusal("access_denied", "The user denied access.")
        case .granted(let id):
            guard let grant = grants[id], !grant.isRevoked else { throw .invalidGrant("The grant is revoked.") }
            let resources = try resources(parameters, of: grant)
            pendingLogins[code] = nil
            return issue(id, grant, scopes: grant.scopes, resources: resources, key: key, isFirst: true)
        }
    }
}

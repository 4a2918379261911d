import AuthStateFoundation
public import AuthStateOAuth
import AuthStateSystem
import AuthStateUserAgent

extension AuthState {
    /// Revokes the refresh token, then the access tokens (RFC 7009), and forgets the login.
    ///
    /// The lease is held meanwhile: no caller and no other process renews. When the provider does not revoke all
    /// tokens, nothing is forgotten, and the call can be repeated: a token that is revoked already counts as revoked.
    /// Tokens that this process requested with parameters are revoked too. The session at the provider continues;
    /// `logOut(_:)` ends that too, and ends the login here in any case.
    ///
    /// - Throws: `AuthStateError`: `.endpointMissing` when the provider has no revocation endpoint, `.invalidClient`
    ///   when it does not serve this client, `.revocationUnsupported` when it cannot revoke these tokens, kind
    ///   `.transient` when it cannot be reached; `.notLoggedIn`; kind `.store` when the grant is revoked and its end
    ///   could not be saved. `CancellationError`.
    public func revoke() async throws {
        try await transaction { lease in
            try await synchronize(with: lease)
            guard newest.refreshToken != nil || newest.lastTokenResponse != nil else {
                throw AuthStateError.noUserIsLoggedIn
            }
            let grantID = newest.grantID
            try await service.revokeTokens(of: newest, beside: liveSideTokens)
            // A login meanwhile began another grant; the stored and published grant is still the revoked one.
            guard newest.grantID == grantID else { return await persist(under: lease) }
            apply(.loggedOut)
            try await reporting { try await perform(Storing(endOf: newest.grantID), under: lease) }
        }
    }

    /// How far a logout goes.
    public struct Logout: Sendable {
        package let revokes: Bool
        let userAgent: (any ExternalUserAgent)?
        /// Makes the request that ends the session at the provider; nil leaves the session alone.
        let request: (@Sendable (Record) -> EndSessionRequest?)?

        /// Here and in the store: the provider is not told, and the tokens are valid until they expire.
        public static let local = Self(revokes: false, userAgent: nil, request: nil)

        /// And the tokens at the provider (RFC 7009); its session in the browser continues.
        public static let revoking = Self(revokes: true, userAgent: nil, request: nil)

        /// And the session at the provider (OpenID Connect RP-Initiated Logout 1.0).
        ///
        /// - Parameters:
        ///   - userAgent: Shows the provider's page; nil leaves that to the caller, see `LogoutOutcome.pending`.
        ///   - postLogoutRedirectURI: The URI to which the browser returns; nil is the redirect URI of the login.
        ///   - prepare: Changes the request before it is sent, for example its languages.
        public static func everywhere(
            _ userAgent: (any ExternalUserAgent)? = nil, postLogoutRedirectURI: RedirectURI? = nil,
            prepare: @escaping @Sendable (_ request: inout EndSessionRequest) -> Void = { _ in }
        ) -> Self {
            Self(revokes: true, userAgent: userAgent) { record in
                // A login of the client itself has no session.
                guard record.machineGrant == nil else { return nil }
                var request = EndSessionRequest(
                    configuration: record.client.provider, idTokenHint: record.idToken, clientID: record.client.id,
                    postLogoutRedirectURI: postLogoutRedirectURI
                        ?? record.lastAuthorizationResponse?.request.redirectURI)
                prepare(&request)
                return request
            }
        }
    }

    /// Ends the login here and, as far as asked for, at the provider.
    ///
    /// Works from an error state, and offline. From the first moment no call gets a token, and each part is tried even
    /// when the one before failed. A registration (`lastRegistrationResponse`) is kept for the next login. Cancelling
    /// the task skips the parts at the provider that have not begun; the local part is done all the same.
    ///
    /// The store keeps a record of the logout, see `forgetLogout()`.
    public func logOut(_ logout: Logout) async -> LogoutOutcome {
        let (before, sideTokens) = (newest, liveSideTokens)
        // The browser that is opened below inherits none of the client's secret variables, read before or not.
        before.noteSecretVariables()
        work.reauthorization?.giveUp(AuthStateError.givenUp)
        let request = logout.request?(record)
        let (grants, removal) = await forget(before)
        let revocation: LogoutOutcome.Part =
            logout.revokes
            ? await service.revocation(of: grants) { $0.grantID == before.grantID ? sideTokens : [] } : .notNeeded
        return LogoutOutcome(
            removal: removal, revocation: revocation,
            session: await service.end(request, presenting: logout.userAgent))
    }

    /// Saves the end, and returns the grants that it ended, with their newest tokens: another process may have renewed
    /// this grant, or may have begun one that ends with it.
    private func forget(_ before: Record) async -> (grants: [Record], LogoutOutcome.Part) {
        do {
            guard let stored = try await commit(.loggedOut, isCancellable: false)?.with(credentialOf: before) else {
                return ([before], .done)
            }
            let isSame = stored.stamps.grant == before.stamps.grant
            return (isSame ? [before.merged(with: stored)] : [before, stored], .done)
        } catch {
            return ([before], .failed(AuthStateError(wrapping: error, stage: .store)))
        }
    }

    /// The access tokens beside the default one that have not expired.
    private var liveSideTokens: [String] {
        ledger.sideTokens.values.filter { $0.accessTokenExpirationDate ?? .distantFuture > clock.now }.map(
            \.accessToken)
    }
}

extension AuthStateError {
    /// Makes the error of a part of a logout that was not done.
    fileprivate init(ofLogout error: any Error) {
        if error is CancellationError {
            self.init(.cancelled, stage: .logout, "The logout was given up before this part was done.")
        } else {
            self.init(wrapping: error, stage: .logout)
        }
    }
}

extension AuthorizationService {
    package func revokeTokens(of record: AuthState.Record, beside sideTokens: [String] = []) async throws {
        let accessToken = record.lastTokenResponse.map { [$0.accessToken] } ?? []
        try await revoke(refreshToken: record.refreshToken, accessTokens: accessToken + sideTokens, of: record.client)
    }

    fileprivate func revocation(
        of grants: [AuthState.Record], sideTokens: (AuthState.Record) -> [String]
    ) async -> LogoutOutcome.Part {
        let grants = grants.filter { $0.refreshToken != nil || $0.lastTokenResponse != nil }
        guard !grants.isEmpty else { return .notNeeded }
        guard grants.contains(where: { $0.client.provider.revocationEndpoint != nil }) else { return .notOffered }
        var failure: AuthStateError?
        for grant in grants {
            do { try await revokeTokens(of: grant, beside: sideTokens(grant)) } catch {
                failure = failure ?? AuthStateError(ofLogout: error)
            }
        }
        return failure.map { .failed($0) } ?? .done
    }

    fileprivate func end(
        _ request: EndSessionRequest?, presenting userAgent: (any ExternalUserAgent)?
    ) async -> LogoutOutcome.Session {
        guard let request else { return .notNeeded }
        guard request.configuration.endSessionEndpoint != nil else { return .notOffered }
        do {
            guard let userAgent else { return .pending(try begin(request)) }
            try Task.checkCancellation()
            try await endSession(request, presenting: userAgent)
            return .ended
        } catch {
            return .failed(AuthStateError(ofLogout: error))
        }
    }
}

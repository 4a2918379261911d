import AuthStateFoundation
import AuthStateJOSE
package import AuthStateOAuth
package import AuthStateStorage
import AuthStateSystem

// Most of the functions of a state that AuthStateApp, AuthStateServer and AuthStateResource use beside its public ones.

extension AuthState {
    /// Whether there is a grant, in error or not; without one no user is logged in.
    package nonisolated var isGranted: Bool {
        // Nearly always so, and cheaper than to copy the published state.
        if published.withLock({ $0.state.tokens != nil }) { return true }
        let status = status
        return status.isAuthorized || status.authorizationError != nil || status.canRenew
    }

    /// Whether the store has everything that is published.
    package nonisolated var hasNoStoreError: Bool { status.storeError == nil }

    /// Whether the object can be freed without a loss: all is saved, and there is no subscriber to changes.
    package nonisolated var isEvictable: Bool {
        hasNoStoreError && published.withLock { $0.broadcast }?.hasSubscribers != true
    }

    package nonisolated var shown: (status: Status, record: Record) {
        let published = published.withLock { $0.state }
        return (published.status, published.record)
    }

    /// The facts that say when to renew; times are in seconds since 1970.
    package struct RenewalFacts: Sendable {
        /// The time until which no caller has to wait for a renewal.
        package var freshUntil: Double
        /// The time at which the tokens were requested; nil without tokens.
        package var issuedAt: Double?
        /// Whether there is something to renew with, and no error.
        package var canRenew: Bool
        /// Whether the store has every change.
        package var isSaved: Bool
    }

    package nonisolated var renewalFacts: RenewalFacts { RenewalFacts(published.withLock { $0.state }) }

    /// Replaces parts with equal ones that other states already have.
    package func share(_ share: @Sendable (Record) -> Record) { change { $0.share(share) } }

    /// Adopts the stored state now. Throws `AuthStateError` of kind `.store`.
    package func catchUp() async throws {
        try await transaction { try await synchronize(with: $0) }
    }

    /// Renews although the tokens may be fresh, unless another process did it since they came. Throws `AuthStateError`,
    /// or `CancellationError`; a renewal in progress continues.
    package func renewAhead() async throws {
        // A token that expires soon is treated as refused: only another one will do.
        let token = record.accessToken
        _ = try await tokens(.none, reason: token.map { .rejected($0) } ?? .stale)
    }
}

extension AuthState.RenewalFacts {
    init(_ published: AuthState.Published) {
        let status = published.status
        freshUntil = published.freshUntil
        issuedAt = published.record.lastTokenResponse?.issuedAt.timeIntervalSince1970
        (canRenew, isSaved) = (status.canRenew, status.storeError == nil)
    }
}

extension AuthState.Place {
    /// The same place with another key, which shares what does not change.
    package func at(_ key: AuthStateKey) -> Self { Self(environment, key) }

    /// Decodes what is stored, see `AuthState.Environment.record(of:credential:grant:)`.
    package func record(of stored: StoredAuthState, credential: ClientCredential? = nil) throws -> AuthState.Record {
        try environment.record(of: stored, credential: credential)
    }

    /// Ends the grant that is stored here and not loaded; a stored state that can never be read is removed.
    package func end() async throws {
        let now = service.configuration.clock.now
        try await withLease { lease in
            let (record, version): (AuthState.Record, StoredAuthState.Version)
            do {
                guard let stored = try await lease.load() else { return }
                (record, version) = (try AuthStateArchive(data: stored.archive).record, stored.version)
            } catch {
                guard error.isAboutContent else { throw error }
                return try await lease.discard()
            }
            guard !record.isLoggedOut else { return }
            let ended = record.applying(.loggedOut, at: record.nextStamp(at: now))
            do { _ = try await lease.save(AuthStateArchive(ended).data(), expecting: version) } catch {
                guard ended.lastRegistrationResponse == nil else { throw error }
                try await lease.delete(expecting: version)
            }
        }
    }

    /// Removes the record of a logout that is stored here, and not loaded, see `AuthState.forgetLogout()`.
    package func forgetLogout() async throws {
        guard let stored = try await store.load(key) else { return }
        let record = try environment.record(of: stored)
        try await AuthState(record, in: environment, key: key, storedVersion: stored.version).forgetLogout()
    }
}

extension Tokens {
    /// The tokens of a record that no state has; nil without any.
    package init?(of record: AuthState.Record, options: AuthState.Options, service: AuthorizationService) {
        let published = AuthState.Published(Box(record), options: options, service: service)
        guard let tokens = published.tokens else { return nil }
        self.init(storage: tokens)
    }
}

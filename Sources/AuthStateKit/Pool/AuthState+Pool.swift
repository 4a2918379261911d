import AuthStateFoundation
import AuthStateOAuth

/// The part of a state that a pool uses.
extension AuthState: PoolMember {
    /// Whether there is a grant, in error or not; without one no user is logged in.
    nonisolated var isGranted: Bool {
        // Nearly always so, and cheaper than to copy the published state.
        if published.withLock({ $0.state.tokens != nil }) { return true }
        let status = status
        return status.isAuthorized || status.authorizationError != nil || status.canRenew
    }

    /// Whether the object can be freed without a loss: all is saved, and there is no subscriber to changes.
    nonisolated var isEvictable: Bool {
        hasNoStoreError && published.withLock { $0.broadcast }?.hasSubscribers != true
    }

    /// The facts that the pool's plan is made from.
    nonisolated var renewalFacts: RenewalPlan.Facts {
        let published = published.withLock { $0.state }
        let status = published.status
        return RenewalPlan.Facts(
            freshUntil: published.freshUntil,
            issuedAt: published.record.lastTokenResponse?.issuedAt.timeIntervalSince1970,
            canRenew: status.canRenew, isSaved: status.storeError == nil)
    }

    /// Replaces parts with equal ones that other states already have.
    func share(_ share: @Sendable (Record) -> Record) { change { $0.share(share) } }

    /// Adopts the stored state now.
    ///
    /// - Throws: `AuthStateError` of kind `.store`.
    func catchUp() async throws {
        _ = try await transaction { state, lease in try await state.synchronize(with: lease) }
    }

    /// Renews although the tokens may be fresh, unless another process did it since they came.
    ///
    /// - Throws: `AuthStateError`, or `CancellationError`; a renewal in progress continues.
    func renewAhead() async throws {
        // A token that expires soon is treated as refused: only another one will do.
        let token = snapshot.accessToken
        _ = try await tokens(.none, reason: token.map { .rejected($0) } ?? .stale)
    }
}

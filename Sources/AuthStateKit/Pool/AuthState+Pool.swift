import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a pool asks of its states.
extension AuthState {
    /// Whether there is a grant, in error or not; without one nobody is logged in.
    nonisolated var isGranted: Bool {
        // Nearly always so, and cheaper than to copy what is published.
        if published.withLock({ $0.tokens != nil }) { return true }
        let current = current
        return current.isAuthorized || current.authorizationError != nil || current.canRenew
    }

    /// Whether nothing would be lost if the object went: all is saved, and nobody listens for changes.
    nonisolated var isForgettable: Bool { hasNoStoreError && broadcast.withLock({ $0 })?.hasSubscribers != true }

    /// Whether the store has all that is shown.
    nonisolated var hasNoStoreError: Bool { current.storeError == nil }

    /// What the pool's plan is made from.
    nonisolated var renewalFacts: RenewalPlan.Facts {
        let published = published.withLock { $0.state }
        let current = published.current
        return RenewalPlan.Facts(
            freshUntil: published.freshUntil,
            issuedAt: published.record.lastTokenResponse?.issuedAt.timeIntervalSince1970,
            canRenew: current.canRenew, isSaved: current.storeError == nil)
    }

    /// Puts parts in that are equal and that others have already.
    func share(_ share: @Sendable (Record) -> Record) {
        let isShown = shownBox === recordBox
        record = share(record)
        if isShown { shownBox = recordBox }
        publish()
    }

    /// Takes over what is stored now.
    ///
    /// - Throws: `AuthStateError` of kind `.store`.
    func catchUp() async throws {
        try await transaction { state, lease in try await state.synchronize(with: lease) }
    }

    /// Renews although the tokens may be fresh, unless another process did it since they came.
    ///
    /// - Throws: `AuthStateError`, or `CancellationError`; a renewal that is under way goes on.
    func renewAhead() async throws {
        // A token that ends soon is as good as refused: only another one will do.
        let token = snapshot.accessToken
        _ = try await tokens(.none, reason: token.map { .rejected($0) } ?? .stale)
    }
}

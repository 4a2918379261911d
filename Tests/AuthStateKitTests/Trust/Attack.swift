import AuthStateJOSE

/// Something false that one check alone stops.
struct Attack: Sendable {
    /// The check.
    let check: TrustCheck
    /// Makes the offer; returns when it was believed, throws our error when it was refused.
    let offer: @Sendable () async throws -> Void
}

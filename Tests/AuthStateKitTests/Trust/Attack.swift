import AuthStateJOSE

/// What only one check stops: it returns normally when it was believed, and throws our error when it was refused.
struct Attack: Sendable {
    let check: TrustCheck
    let offer: @Sendable () async throws -> Void
}

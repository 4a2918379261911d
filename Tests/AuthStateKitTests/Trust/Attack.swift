import AuthStateJOSE

/// Something false, made so that one check alone stops it.
struct Attack: Sendable {
    let check: TrustCheck
    /// Throws the library's error when it was refused, and returns when it was believed.
    let offer: @Sendable () async throws -> Void
}

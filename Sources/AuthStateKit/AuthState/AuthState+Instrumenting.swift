import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Runs a step of a renewal within its instrument, if there is one.
    ///
    /// A renewal that was superseded has not failed: the instrument sees it succeed.
    func step<R>(
        _ step: RenewalStep, by instrument: (any RenewalInstrument)?,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        guard let instrument else { return try await body() }
        let outcome = try await instrument.run(step) { () async throws -> Result<R, Superseded> in
            do { return .success(try await body()) } catch let superseded as Superseded { return .failure(superseded) }
        }
        return try outcome.get()
    }

    /// Sends a renewal once within its instrument, which sees a failure as an error.
    func redeemOnce(
        _ request: TokenRequest, by instrument: (any RenewalInstrument)?,
        _ send: nonisolated(nonsending) () async -> AuthorizationService.Redemption?
    ) async -> AuthorizationService.Redemption? {
        guard let instrument else { return await send() }
        var redemption: AuthorizationService.Redemption?
        try? await instrument.run(RenewalStep(.redeem, grantType: request.grantType)) {
            redemption = await send()
            guard let redemption else {
                throw AuthStateError(.timedOut, stage: request.stage, "The renewal took too long.")
            }
            _ = try redemption.get()
        }
        return redemption
    }
}

/// A lease whose saves are steps of a renewal.
struct InstrumentedLease: AuthStateLease {
    let base: any AuthStateLease
    let instrument: any RenewalInstrument

    var followsCrash: Bool { base.followsCrash }

    func load() async throws -> StoredAuthState? { try await base.load() }

    func reserve() async throws { try await base.reserve() }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await instrument.run(RenewalStep(.save)) { try await base.save(archive, expecting: expecting) }
    }

    func saveLast(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await instrument.run(RenewalStep(.save)) { try await base.saveLast(archive, expecting: expecting) }
    }

    func delete(expecting: StoredAuthState.Version?) async throws { try await base.delete(expecting: expecting) }

    func discard() async throws { try await base.discard() }
}

import AuthStateFoundation
import AuthStateStorage

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

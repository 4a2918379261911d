import AuthStateOAuth

/// Discovered providers in memory, by issuer; concurrent callers share one discovery.
///
/// They are kept for the configured time, whatever `Cache-Control` says: metadata changes rarely, and a provider that
/// forbids caching must not make every login wait.
actor MetadataCache {
    /// What a configuration depends on.
    struct Key: Hashable, Sendable {
        var issuer: Issuer
        var tolerances: Set<Tolerance>
    }

    private var entries: [Key: (configuration: ServiceConfiguration, fetchedAt: Double)] = [:]
    private var flights: [Key: SharedResult<ServiceConfiguration>] = [:]

    /// The provider's configuration, discovered when it is not known or old; a failure is not kept.
    func configuration(
        of key: Key, now: Double, maximumAge: Double,
        discover: @escaping @Sendable () async throws -> ServiceConfiguration
    ) async throws -> ServiceConfiguration {
        if let entry = entries[key], (0..<maximumAge).contains(now - entry.fetchedAt) { return entry.configuration }
        if let flight = flights[key] { return try await flight.value() }
        let flight = SharedResult<ServiceConfiguration>()
        flights[key] = flight
        // A task of its own: a caller that is cancelled must not take the discovery away from the others.
        Task {
            let result: Result<ServiceConfiguration, any Error>
            do {
                let found = try await discover()
                if entries.count >= 256 { entries = [:] }
                entries[key] = (found, now)
                result = .success(found)
            } catch {
                result = .failure(error)
            }
            flights[key] = nil
            flight.finish(result)
        }
        return try await flight.value()
    }
}

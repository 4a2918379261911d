import AuthStateOAuth

/// Discovered providers in memory, by issuer; concurrent callers share one discovery.
///
/// They are kept for the configured time, whatever `Cache-Control` says: metadata changes rarely, and a provider that
/// forbids caching must not make every login wait.
actor MetadataCache {
    private var entries: [Issuer: (configuration: ServiceConfiguration, fetchedAt: Double)] = [:]
    private var flights: [Issuer: SharedResult<ServiceConfiguration>] = [:]

    /// The provider's configuration, discovered when it is not known or old; a failure is not kept.
    func configuration(
        of issuer: Issuer, now: Double, maximumAge: Double,
        discover: @escaping @Sendable () async throws -> ServiceConfiguration
    ) async throws -> ServiceConfiguration {
        if let entry = entries[issuer], (0..<maximumAge).contains(now - entry.fetchedAt) { return entry.configuration }
        if let flight = flights[issuer] { return try await flight.value() }
        let flight = SharedResult<ServiceConfiguration>()
        flights[issuer] = flight
        // A task of its own: a caller that is cancelled must not take the discovery away from the others.
        Task {
            let result: Result<ServiceConfiguration, any Error>
            do {
                let found = try await discover()
                if entries.count >= 256 { entries = [:] }
                entries[issuer] = (found, now)
                result = .success(found)
            } catch {
                result = .failure(error)
            }
            flights[issuer] = nil
            flight.finish(result)
        }
        return try await flight.value()
    }
}

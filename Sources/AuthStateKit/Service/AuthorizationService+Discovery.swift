import AuthStateJOSE
public import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthorizationService {
    /// Reads a provider's discovery document (OpenID Connect Discovery 1.0, section 4), cached by age.
    ///
    /// - Parameter issuer: The issuer, exactly as the provider writes it.
    /// - Throws: `AuthStateError` of stage discovery.
    public func discoverConfiguration(issuer: String) async throws -> ServiceConfiguration {
        let issuer = try Issuer(issuer)
        let now = configuration.clock.secondsSince1970
        if let cached = metadata.configuration(of: issuer, now: now, maximumAge: configuration.metadataMaximumAge) {
            return cached
        }
        let found = try await fetchConfiguration(issuer)
        metadata.keep(found, of: issuer, now: now)
        return found
    }

    private func fetchConfiguration(_ issuer: Issuer) async throws -> ServiceConfiguration {
        guard let url = issuer.openIDConfigurationURL else {
            throw AuthStateError(
                .invalidIssuer, stage: .discovery, "The issuer is not a URL.", received: issuer.rawValue)
        }
        try check(url, issuer: issuer, stage: .discovery)
        let response = try await send(
            TransportRequest(url: url, headers: ["Accept": "application/json"]), stage: .discovery)
        guard response.status == 200 else {
            var error = AuthStateError.endpoint("discovery document", response, stage: .discovery)
            if error.kind == .refused || error.kind == .reauthenticationRequired {
                error.code = .discoveryFailed
                error.hint = "Check the issuer, or give the endpoints by hand."
            }
            error.received = error.received ?? "status \(response.status) at \(url.redactedDescription)"
            throw error
        }
        let found = try ServiceConfiguration(metadata: ProviderMetadata(parsing: response.body), issuer: issuer)
        for endpoint in found.endpoints { try check(endpoint, issuer: issuer, stage: .discovery) }
        return found
    }
}

/// Discovery documents in memory.
final class MetadataCache: Sendable {
    private let entries = Lock<[Issuer: (configuration: ServiceConfiguration, fetchedAt: Double)]>([:])

    func configuration(of issuer: Issuer, now: Double, maximumAge: Double) -> ServiceConfiguration? {
        entries.withLock { entries in
            guard let entry = entries[issuer], (0..<maximumAge).contains(now - entry.fetchedAt) else { return nil }
            return entry.configuration
        }
    }

    func keep(_ configuration: ServiceConfiguration, of issuer: Issuer, now: Double) {
        entries.withLock { entries in
            if entries.count >= 256 { entries.removeAll() }
            entries[issuer] = (configuration, now)
        }
    }
}

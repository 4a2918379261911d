public import AuthStateOAuth

extension AuthorizationService {
    /// Returns the configuration of a known provider: discovered, or from the table when it publishes no metadata.
    ///
    /// - Throws: `AuthStateError` of stage discovery, or `CancellationError`.
    public func configuration(of provider: KnownProvider) async throws -> ProviderConfiguration {
        if let configuration = try provider.configurationByHand() { return configuration }
        return try await discoverConfiguration(issuer: provider.issuer ?? "", tolerances: provider.tolerances)
    }
}

public import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthSessionConfiguration {
    /// What is wrong or doubtful about where the answers go and how the client proves itself, the errors first.
    ///
    /// Looks at a request as `signIn` would make it, and needs no network; see `AuthorizationRequest.diagnose`.
    ///
    /// - Parameter app: What the Apple app declares that the redirect URI leads to; nil where a page stands in between.
    public func diagnose(app: AppDeclarations? = nil) -> [Finding] {
        request(at: configurationBeforeDiscovery).diagnose(credential: credential, app: app, provider: knownProvider)
    }

    private var knownProvider: KnownProvider? {
        guard case .known(let provider) = self.provider else { return nil }
        return provider
    }

    /// What is known of the provider without asking it: the issuer. No rule looks at an endpoint.
    private var configurationBeforeDiscovery: ServiceConfiguration {
        var issuer: String?
        switch provider {
        case .configuration(let configuration): return configuration
        case .issuer(let text): issuer = text
        case .known(let provider): issuer = provider.issuer
        }
        return ServiceConfiguration(
            issuer: issuer.flatMap { try? Issuer($0) }, authorizationEndpoint: nil,
            tokenEndpoint: URL(string: "https://unknown.invalid")!)
    }
}

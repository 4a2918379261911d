import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
public import AuthStateProviders

extension AuthSessionConfiguration {
    /// Returns the problems of a sign-in's redirect URI and client authentication, the errors first.
    ///
    /// Looks at a request as `signIn` would make it, and needs no network; see `AuthorizationRequest.diagnose`.
    ///
    /// - Parameter app: The declarations of the Apple app behind the redirect URI; nil where a page stands in between.
    public func diagnose(app: AppDeclarations? = nil) -> [Finding] {
        request(at: configurationBeforeDiscovery).diagnose(app: app, provider: knownProvider)
    }

    private var knownProvider: KnownProvider? {
        guard case .known(let provider) = self.provider else { return nil }
        return provider
    }

    /// The configuration that is known without asking the provider: the issuer. No rule looks at an endpoint.
    private var configurationBeforeDiscovery: ProviderConfiguration {
        var issuer: String?
        switch provider {
        case .configuration(let configuration): return configuration
        case .issuer(let text): issuer = text
        case .known(let provider): issuer = provider.issuer
        }
        return ProviderConfiguration(
            issuer: issuer.flatMap { try? Issuer($0) }, authorizationEndpoint: nil,
            tokenEndpoint: URL(string: "https://unknown.invalid")!)
    }
}

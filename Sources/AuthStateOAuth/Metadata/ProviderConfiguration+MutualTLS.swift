import AuthStateFoundation
import AuthStateJOSE

extension ProviderConfiguration {
    /// The configuration for a client that shows a certificate: with the provider's aliases, where it has some
    /// (RFC 8705, section 5).
    ///
    /// A client that authenticates by its certificate does not need it: its requests go there anyhow. Use it for a
    /// client that authenticates otherwise, or is public, and whose tokens shall be bound to the certificate (section
    /// 3).
    public var withCertificateEndpoints: ProviderConfiguration {
        guard let aliases = metadata?.mtlsEndpointAliases else { return self }
        var result = self
        func take<T>(_ name: String, _ endpoint: WritableKeyPath<ProviderConfiguration, T>, _ make: (URL) -> T) {
            guard let url = aliases[name]?.stringValue.flatMap(ProviderMetadata.endpoint) else { return }
            result[keyPath: endpoint] = make(url)
        }
        take("token_endpoint", \.tokenEndpoint) { $0 }
        take("userinfo_endpoint", \.userInfoEndpoint) { $0 }
        take("revocation_endpoint", \.revocationEndpoint) { $0 }
        take("introspection_endpoint", \.introspectionEndpoint) { $0 }
        take("device_authorization_endpoint", \.deviceAuthorizationEndpoint) { $0 }
        take("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint) { $0 }
        take("backchannel_authentication_endpoint", \.backchannelAuthenticationEndpoint) { $0 }
        return result
    }

    /// The endpoints that a client with this credential uses.
    package func endpoints(for credential: ClientCredential) -> ProviderConfiguration {
        credential.method?.usesCertificate == true ? withCertificateEndpoints : self
    }
}

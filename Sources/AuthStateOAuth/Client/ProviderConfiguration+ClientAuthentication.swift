package import AuthStateFoundation
import AuthStateJOSE

extension ProviderConfiguration {
    /// The client authentication that one endpoint accepts; nil where the metadata do not say.
    package struct AcceptedAuthentication: Sendable, Hashable {
        /// `…_endpoint_auth_methods_supported`.
        package var methods: [String]?
        /// `…_endpoint_auth_signing_alg_values_supported`.
        package var signingAlgorithms: [String]?
    }

    /// Returns the client authentication that an endpoint accepts (RFC 8414, section 2).
    ///
    /// Where the metadata say nothing of an endpoint, the token endpoint's methods are the best guess: RFC 8414 would
    /// have Basic at the revocation endpoint, although some providers accept only another method there.
    package func acceptedAuthentication(at endpoint: URL) -> AcceptedAuthentication {
        var accepted = AcceptedAuthentication()
        if endpoint == revocationEndpoint {
            accepted.methods = metadata?.revocationEndpointAuthMethodsSupported
            accepted.signingAlgorithms = metadata?.revocationEndpointAuthSigningAlgValuesSupported
        } else if endpoint == introspectionEndpoint {
            accepted.methods = metadata?.introspectionEndpointAuthMethodsSupported
            accepted.signingAlgorithms = metadata?.introspectionEndpointAuthSigningAlgValuesSupported
        }
        return AcceptedAuthentication(
            methods: accepted.methods ?? metadata?.tokenEndpointAuthMethodsSupported,
            signingAlgorithms: accepted.signingAlgorithms ?? metadata?.tokenEndpointAuthSigningAlgValuesSupported)
    }

    /// The configuration for a client that shows a certificate, with the provider's aliases (RFC 8705, section 5).
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

    /// The origins (RFC 6454) of all endpoints at which clients authenticate, the aliases for certificates included.
    package var credentialOrigins: Set<String> {
        let endpoints = [self, withCertificateEndpoints].flatMap {
            [
                $0.tokenEndpoint, $0.revocationEndpoint, $0.introspectionEndpoint, $0.deviceAuthorizationEndpoint,
                $0.pushedAuthorizationRequestEndpoint, $0.backchannelAuthenticationEndpoint,
            ]
        }
        return Set(endpoints.compactMap { $0.map { URIReference($0.absoluteString).origin } })
    }
}

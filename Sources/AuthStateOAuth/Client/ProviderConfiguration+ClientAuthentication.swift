package import AuthStateFoundation

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
}

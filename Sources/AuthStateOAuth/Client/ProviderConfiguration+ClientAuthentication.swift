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
        let own: String? =
            switch endpoint {
            case revocationEndpoint: "revocation"
            case introspectionEndpoint: "introspection"
            default: nil
            }
        func listed(_ member: String) -> [String]? {
            own.flatMap { metadata?.strings("\($0)_\(member)") } ?? metadata?.strings("token_\(member)")
        }
        return AcceptedAuthentication(
            methods: listed("endpoint_auth_methods_supported"),
            signingAlgorithms: listed("endpoint_auth_signing_alg_values_supported"))
    }

    /// The configuration for a client that shows a certificate, with the provider's aliases (RFC 8705, section 5).
    ///
    /// A client that authenticates by its certificate does not need it: its requests go there anyhow. Use it for a
    /// client that authenticates otherwise, or is public, and whose tokens shall be bound to the certificate (section
    /// 3).
    public var withCertificateEndpoints: ProviderConfiguration {
        guard let aliases = metadata?.mtlsEndpointAliases else { return self }
        func alias(_ name: String) -> URL? {
            aliases["\(name)_endpoint"]?.stringValue.flatMap(ProviderMetadata.endpoint)
        }
        var result = self
        result.tokenEndpoint = alias("token") ?? tokenEndpoint
        result.userInfoEndpoint = alias("userinfo") ?? userInfoEndpoint
        result.revocationEndpoint = alias("revocation") ?? revocationEndpoint
        result.introspectionEndpoint = alias("introspection") ?? introspectionEndpoint
        result.deviceAuthorizationEndpoint = alias("device_authorization") ?? deviceAuthorizationEndpoint
        result.pushedAuthorizationRequestEndpoint =
            alias("pushed_authorization_request") ?? pushedAuthorizationRequestEndpoint
        result.backchannelAuthenticationEndpoint =
            alias("backchannel_authentication") ?? backchannelAuthenticationEndpoint
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

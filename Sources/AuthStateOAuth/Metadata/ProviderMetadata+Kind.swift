package import AuthStateFoundation

extension ProviderMetadata {
    /// The specification that a metadata document follows; it decides where the document is and what it must have.
    public enum Kind: Sendable, Hashable {
        /// OpenID Connect Discovery 1.0, section 3.
        case openIDConnect
        /// RFC 8414, section 2: a provider without OpenID Connect need not name any keys.
        case authorizationServer

        /// The members that a document must have besides the issuer.
        func required(of metadata: ProviderMetadata) -> [String] {
            switch self {
            case .openIDConnect:
                [
                    "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
                    "subject_types_supported", "id_token_signing_alg_values_supported",
                ]
            case .authorizationServer:
                (metadata.usesAuthorizationEndpoint ? ["authorization_endpoint"] : [])
                    + ["token_endpoint", "response_types_supported"]
            }
        }
    }

    /// Whether a grant that is supported begins at the authorization endpoint; absent means the code and implicit ones.
    private var usesAuthorizationEndpoint: Bool {
        grantTypesSupported?.contains { ["authorization_code", "implicit"].contains($0) } ?? true
    }
}

extension Issuer {
    /// Where the provider keeps its metadata.
    package func metadataURL(_ kind: ProviderMetadata.Kind) -> URL? {
        switch kind {
        case .openIDConnect: openIDConfigurationURL
        case .authorizationServer: authorizationServerMetadataURL
        }
    }
}

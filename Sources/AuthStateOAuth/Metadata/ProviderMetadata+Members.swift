public import AuthStateFoundation
public import AuthStateJOSE

extension ProviderMetadata {
    /// The type of every member that OpenID Connect Discovery, RFC 8414 and their extensions define.
    static let members: [String: MemberType] = names.reduce(into: [:]) { members, group in
        for name in group.value { members[name] = group.key }
    }

    private static let names: [MemberType: [String]] = [
        .url: [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "registration_endpoint",
            "revocation_endpoint", "introspection_endpoint", "end_session_endpoint", "device_authorization_endpoint",
            "pushed_authorization_request_endpoint", "backchannel_authentication_endpoint", "check_session_iframe",
        ],
        .string: [
            "issuer", "service_documentation", "op_policy_uri", "op_tos_uri", "signed_metadata",
        ],
        .words: ["scopes_supported"],
        .strings: [
            "response_types_supported", "response_modes_supported", "grant_types_supported",
            "acr_values_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
            "id_token_encryption_alg_values_supported", "id_token_encryption_enc_values_supported",
            "userinfo_signing_alg_values_supported", "userinfo_encryption_alg_values_supported",
            "userinfo_encryption_enc_values_supported", "request_object_signing_alg_values_supported",
            "request_object_encryption_alg_values_supported", "request_object_encryption_enc_values_supported",
            "authorization_signing_alg_values_supported", "authorization_encryption_alg_values_supported",
            "authorization_encryption_enc_values_supported", "authorization_details_types_supported",
            "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
            "revocation_endpoint_auth_methods_supported", "revocation_endpoint_auth_signing_alg_values_supported",
            "introspection_endpoint_auth_methods_supported", "introspection_endpoint_auth_signing_alg_values_supported",
            "code_challenge_methods_supported", "dpop_signing_alg_values_supported",
            "backchannel_token_delivery_modes_supported",
            "backchannel_authentication_request_signing_alg_values_supported", "display_values_supported",
            "protected_resources", "claim_types_supported", "claims_supported", "claims_locales_supported",
            "ui_locales_supported", "prompt_values_supported",
        ],
        .flag: [
            "client_id_metadata_document_supported", "claims_parameter_supported", "request_parameter_supported",
            "request_uri_parameter_supported", "require_request_uri_registration", "require_signed_request_object",
            "require_pushed_authorization_requests", "authorization_response_iss_parameter_supported",
            "tls_client_certificate_bound_access_tokens", "frontchannel_logout_supported",
            "frontchannel_logout_session_supported", "backchannel_user_code_parameter_supported",
            "backchannel_logout_supported", "backchannel_logout_session_supported",
        ],
        .object: [
            "mtls_endpoint_aliases"
        ],
    ]

    /// The issuer identifier, exactly as in `iss`.
    public var issuer: String? { string("issuer") }
    /// Where people log in.
    public var authorizationEndpoint: URL? { url("authorization_endpoint") }
    /// Where grants become tokens.
    public var tokenEndpoint: URL? { url("token_endpoint") }
    /// Claims about the user.
    public var userInfoEndpoint: URL? { url("userinfo_endpoint") }
    /// The provider's public keys.
    public var jwksURI: URL? { url("jwks_uri") }
    /// Dynamic client registration (RFC 7591).
    public var registrationEndpoint: URL? { url("registration_endpoint") }
    /// Token revocation (RFC 7009).
    public var revocationEndpoint: URL? { url("revocation_endpoint") }
    /// Token introspection (RFC 7662).
    public var introspectionEndpoint: URL? { url("introspection_endpoint") }
    /// RP-initiated logout.
    public var endSessionEndpoint: URL? { url("end_session_endpoint") }
    /// Device authorization (RFC 8628).
    public var deviceAuthorizationEndpoint: URL? { url("device_authorization_endpoint") }
    /// Pushed authorization requests (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL? { url("pushed_authorization_request_endpoint") }
    /// Backchannel authentication (OpenID Connect CIBA Core 1.0).
    public var backchannelAuthenticationEndpoint: URL? { url("backchannel_authentication_endpoint") }
    /// Scopes.
    public var scopesSupported: [String]? { strings("scopes_supported") }
    /// Response modes.
    public var responseModesSupported: [String]? { strings("response_modes_supported") }
    /// Grant types.
    public var grantTypesSupported: [String]? { strings("grant_types_supported") }
    /// How ID tokens are signed.
    public var idTokenSigningAlgValuesSupported: [String]? { strings("id_token_signing_alg_values_supported") }
    /// How request objects may be signed.
    package var requestObjectSigningAlgValuesSupported: [String]? {
        strings("request_object_signing_alg_values_supported")
    }
    /// How authorization responses may be signed (JARM).
    package var authorizationSigningAlgValuesSupported: [String]? {
        strings("authorization_signing_alg_values_supported")
    }
    /// The types of authorization details (RFC 9396).
    package var authorizationDetailsTypesSupported: [String]? { strings("authorization_details_types_supported") }
    /// Client authentication at the token endpoint; absent means `client_secret_basic`.
    public var tokenEndpointAuthMethodsSupported: [String]? { strings("token_endpoint_auth_methods_supported") }
    /// PKCE methods (RFC 7636).
    public var codeChallengeMethodsSupported: [String]? { strings("code_challenge_methods_supported") }
    /// How DPoP proofs may be signed (RFC 9449).
    package var dpopSigningAlgValuesSupported: [String]? { strings("dpop_signing_alg_values_supported") }
    /// How the tokens of a backchannel authentication come: poll, ping, push.
    package var backchannelTokenDeliveryModesSupported: [String]? {
        strings("backchannel_token_delivery_modes_supported")
    }
    /// Whether a client's identifier may be the URL of its metadata document (draft, section 6); absent means false.
    package var clientIDMetadataDocumentSupported: Bool? { flag("client_id_metadata_document_supported") }
    /// Prompt values.
    package var promptValuesSupported: [String]? { strings("prompt_values_supported") }
    /// Whether `claims` is understood.
    public var claimsParameterSupported: Bool? { flag("claims_parameter_supported") }
    /// Whether `request` is understood.
    public var requestParameterSupported: Bool? { flag("request_parameter_supported") }
    /// Whether `request_uri` is understood; absent means true.
    public var requestURIParameterSupported: Bool? { flag("request_uri_parameter_supported") }
    /// Whether signed request objects are required (RFC 9101).
    package var requireSignedRequestObject: Bool? { flag("require_signed_request_object") }
    /// Whether pushed requests are required.
    public var requirePushedAuthorizationRequests: Bool? { flag("require_pushed_authorization_requests") }
    /// Whether `iss` comes with every answer (RFC 9207).
    package var authorizationResponseIssParameterSupported: Bool? {
        flag("authorization_response_iss_parameter_supported")
    }
    /// Endpoints for mutual TLS (RFC 8705, section 5).
    public var mtlsEndpointAliases: [String: JSONValue]? { object("mtls_endpoint_aliases") }
}

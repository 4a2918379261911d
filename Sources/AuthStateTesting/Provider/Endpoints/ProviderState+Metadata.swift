import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    private static let places: [(member: String, endpoint: OpenIDProvider.Endpoint)] = [
        ("authorization_endpoint", .authorization), ("token_endpoint", .token), ("userinfo_endpoint", .userInfo),
        ("pushed_authorization_request_endpoint", .pushedAuthorization),
        ("jwks_uri", .keySet), ("end_session_endpoint", .endSession), ("revocation_endpoint", .revocation),
        ("introspection_endpoint", .introspection), ("device_authorization_endpoint", .deviceAuthorization),
        ("backchannel_authentication_endpoint", .backchannelAuthentication),
    ]

    /// The endpoints where clients authenticate.
    private static let authenticated: [(name: String, endpoint: OpenIDProvider.Endpoint)] = [
        ("token_endpoint", .token), ("revocation_endpoint", .revocation), ("introspection_endpoint", .introspection),
    ]

    /// How clients may authenticate (OpenID Connect Core, section 9).
    static let authenticationMethods = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
    ]

    /// The grants that the token endpoint knows.
    static let grantTypes: [GrantType] = [
        .authorizationCode, .refreshToken, .clientCredentials, .deviceCode, .ciba, .jwtBearer, .tokenExchange,
    ]

    /// The metadata document (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
    var metadata: [String: JSONValue] {
        let algorithms = Self.assertionAlgorithms.secret + Self.assertionAlgorithms.key
        var document: [String: JSONValue] = [
            "issuer": .string(issuer),
            "response_types_supported": ["code", "code id_token"],
            "response_modes_supported": .array(Self.responseModes.map { .string($0.rawValue) }),
            "authorization_signing_alg_values_supported": [.string(configuration.answerAlgorithm.rawValue)],
            "grant_types_supported": .array(Self.grantTypes.map { .string($0.rawValue) }),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": .array(
                configuration.offeredAlgorithms.map { .string($0.rawValue) }),
            "scopes_supported": .array(configuration.scopes.sorted().map { .string($0) }),
            "claims_supported": .array(
                Set(configuration.users.flatMap(\.claims.keys)).union(["sub"]).sorted().map { .string($0) }),
            "claims_parameter_supported": true,
            "code_challenge_methods_supported": ["S256"],
            "dpop_signing_alg_values_supported": .array(Self.proofAlgorithms.map { .string($0.rawValue) }),
            "backchannel_token_delivery_modes_supported": ["poll"],
            "backchannel_user_code_parameter_supported": true,
            "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
            "frontchannel_logout_supported": true, "frontchannel_logout_session_supported": true,
            "prompt_values_supported": ["none", "login", "consent"],
            "request_parameter_supported": true,
            "request_uri_parameter_supported": true,
            "request_object_signing_alg_values_supported": .array(algorithms.map { .string($0.rawValue) }),
            "require_pushed_authorization_requests": .bool(configuration.requiresPushedAuthorizationRequests),
            "require_signed_request_object": .bool(configuration.requiresSignedRequestObjects),
            "authorization_response_iss_parameter_supported": .bool(configuration.sendsIssuerInAuthorizationResponse),
        ]
        for (name, endpoint) in Self.authenticated {
            let methods = configuration.authenticationMethods[endpoint]?.map(\.rawValue) ?? Self.authenticationMethods
            document["\(name)_auth_methods_supported"] = .array(methods.map { .string($0) })
            document["\(name)_auth_signing_alg_values_supported"] = .array(algorithms.map { .string($0.rawValue) })
        }
        for (member, endpoint) in Self.places { document[member] = .string(url(of: endpoint)) }
        if !configuration.clientDocuments.isEmpty { document["client_id_metadata_document_supported"] = true }
        if let types = configuration.authorizationDetailsTypes {
            document["authorization_details_types_supported"] = .array(types.sorted().map { .string($0) })
        }
        document["userinfo_signing_alg_values_supported"] = document["id_token_signing_alg_values_supported"]
        if configuration.allowsRegistration { document["registration_endpoint"] = .string(url(of: .registration)) }
        return document
    }

    func url(of endpoint: OpenIDProvider.Endpoint) -> String { issuer + endpoint.path(under: "") }
}

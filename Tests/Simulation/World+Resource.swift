import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The resource that accesses know by its URL, and the two servers that it can name.
extension World {
    /// The origin of a URL.
    static func origin(of url: URL) -> String { "https://\(url.host ?? "")" }

    /// The resource's metadata (RFC 9728).
    var resourceMetadata: String {
        JSONValue.object([
            "resource": .string(Self.resource.absoluteString), "authorization_servers": [.string(provider.named)],
            "scopes_supported": ["read", "write"],
            "dpop_bound_access_tokens_required": .bool(plan.grants.isBound),
        ]).text
    }

    /// The metadata of an authorization server (RFC 8414).
    static func serverMetadata(of issuer: String) -> String {
        JSONValue.object([
            "jwks_uri": .string("\(issuer)/keys"), "dpop_signing_alg_values_supported": ["ES256"],
            "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
            "token_endpoint": .string("\(issuer)/token"), "revocation_endpoint": .string("\(issuer)/revoke"),
            "registration_endpoint": .string("\(issuer)/register"), "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        ]).text
    }
}

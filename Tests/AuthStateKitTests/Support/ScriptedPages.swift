import AuthStateFoundation
import AuthStateKit
import AuthStateTesting

/// Documents by URL, without a network; whatever is not among them is 404.
enum ScriptedPages {
    static func transport(_ pages: [String: JSONValue]) -> ScriptedTransport {
        ScriptedTransport(
            then: .dynamic { request in
                let url = request.url.absoluteString.prefix { $0 != "?" }
                guard let page = pages[String(url)] else { return TransportResponse(status: 404) }
                return TransportResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: Data(page.serialized()))
            })
    }

    static let openID = "https://op.example/.well-known/openid-configuration"
    static let oauth = "https://op.example/.well-known/oauth-authorization-server"
    static let webFinger = "https://example.com/.well-known/webfinger"

    /// The OpenID Connect document of `https://op.example` that lacks nothing, but for what a test changes.
    static func document(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "issuer": "https://op.example", "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/keys",
            "registration_endpoint": "https://op.example/register",
            "revocation_endpoint": "https://op.example/revoke",
            "introspection_endpoint": "https://op.example/introspect", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
        ]
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    /// A WebFinger answer that leads to an issuer.
    static func descriptor(_ issuer: String) -> JSONValue {
        ["links": [["rel": "http://openid.net/specs/connect/1.0/issuer", "href": .string(issuer)]]]
    }
}

import AuthStateJOSE
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The endpoints at which a resource's metadata may be.
    private static let places: [OpenIDProvider.Endpoint: OpenIDProvider.ProtectedResource.MetadataPlace] = [
        .namedResourceMetadata: .challenge, .resourceMetadata: .path, .rootResourceMetadata: .root,
    ]

    /// The resource's metadata document (RFC 9728, section 2), where it is.
    func resourceMetadata(at endpoint: OpenIDProvider.Endpoint) throws(ProviderRefusal) -> LoopbackResponse {
        let resource = configuration.protectedResource
        guard let place = Self.places[endpoint], resource.metadataPlaces.contains(place) else {
            throw ProviderRefusal("not_found", "There are no metadata here.", status: 404)
        }
        let identifier = place == .root ? origin : url(of: .resource)
        let servers = resource.authorizationServers ?? [issuer]
        var members: [String: JSONValue] = [
            "resource": .string(identifier), "authorization_servers": .array(servers.map { .string($0) }),
            "bearer_methods_supported": ["header"], "resource_name": "Hello",
        ]
        if let scopes = resource.scopesSupported { members["scopes_supported"] = .array(scopes.map { .string($0) }) }
        if resource.requiresDPoP {
            members["dpop_bound_access_tokens_required"] = true
            members["dpop_signing_alg_values_supported"] = .array(Self.proofAlgorithms.map { .string($0.rawValue) })
        }
        resource.metadata?(&members)
        return .json(members)
    }

    /// Scheme, host and port of the provider.
    var origin: String { String(issuer.dropLast(configuration.issuerPath.count)) }

    /// The scopes that a request to the resource needs and a token lacks.
    func missingScopes(of request: Request, having scopes: [String]) -> [String] {
        let resource = configuration.protectedResource
        let needed = resource.scopes + (resource.scopesByMethod[request.method.rawValue] ?? [])
        return needed.filter { !scopes.contains($0) }
    }

    /// Adds to a challenge of the resource what leads a client to a login: where the metadata are, and the scopes.
    func completed(_ refusal: ProviderRefusal, of request: Request) -> ProviderRefusal {
        guard request.endpoint == .resource, var challenge = refusal.challenge else { return refusal }
        let resource = configuration.protectedResource
        if resource.metadataPlaces.contains(.challenge) {
            challenge += #", resource_metadata="\#(url(of: .namedResourceMetadata))""#
        }
        let scopes = resource.scopes + (resource.scopesByMethod[request.method.rawValue] ?? [])
        if resource.namesScopes, !scopes.isEmpty, !challenge.contains("scope=") {
            challenge += #", scope="\#(scopes.joined(separator: " "))""#
        }
        var refusal = refusal
        refusal.challenge = challenge
        return refusal
    }
}

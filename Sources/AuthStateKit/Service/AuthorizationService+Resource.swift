import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

extension AuthorizationService {
    /// What a protected resource says about itself, and the identifier that requests for tokens name it by.
    public struct ResourceDescription: Sendable, Hashable {
        /// The metadata.
        public var metadata: ProtectedResourceMetadata
        /// The `resource` parameter of requests for tokens (RFC 8707).
        public var identifier: String
    }

    /// Reads a protected resource's metadata (RFC 9728): at the URL that a challenge names, else at the well-known place
    /// before the resource's path, else at the root.
    ///
    /// The document is fetched at each call: a challenge can be the sign that it has changed. No credentials go with the
    /// request.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - challenge: The challenge that the resource answered with; nil asks at the well-known places.
    ///   - tolerances: `.parentResource` accepts a document of a path above the resource.
    ///   - signedMetadataKeys: The keys whose signatures count, by issuer; with some, the signed form is required (RFC 9728,
    ///     section 2.2).
    /// - Throws: `AuthStateError` of stage resourceMetadata: `.discoveryFailed` when there is no document, `.resourceMismatch`,
    ///   `.invalidMetadata`, `.insecureURL`, `.addressNotAllowed`. `CancellationError`.
    public func describe(
        _ resource: ResourceIdentifier, challenge: AuthenticationChallenge? = nil, tolerances: Set<Tolerance> = [],
        signedMetadataKeys: [String: JSONWebKeySet] = [:]
    ) async throws -> ResourceDescription {
        try await traced {
            let named = challenge?.resourceMetadata.map {
                [(source: ProtectedResourceMetadata.Source.challenge, url: $0)]
            }
            var absence: AuthStateError?
            // Where a challenge names a place that has no metadata, those of the resource's own origin may have them.
            let places = (named ?? []) + resource.metadataLocations.filter { $0.url != named?.first?.url }
            for (source, url) in places {
                do {
                    var metadata = try await resourceMetadata(at: url, of: resource)
                    if !signedMetadataKeys.isEmpty {
                        metadata = try metadata.verified(by: signedMetadataKeys, now: configuration.clock.now)
                    }
                    let identifier = try metadata.check(for: resource, from: source, tolerances: tolerances)
                    notePlace(after: absence, isOwn: named != nil)
                    return ResourceDescription(metadata: metadata, identifier: identifier)
                } catch let error as AuthStateError where error.isRefusedPlace {
                    absence = absence ?? error
                }
            }
            throw absence ?? AuthStateError(.discoveryFailed, stage: .resourceMetadata, "The resource has no metadata.")
        }
    }

    /// The addresses that a resource may lead to: any for a resource on this machine, else those that a stranger's document
    /// may name.
    func addresses(namedBy resource: ResourceIdentifier) -> AddressPolicy {
        resource.parts.isLoopback ? .any : configuration.outsideAddressPolicy
    }

    private func resourceMetadata(
        at url: URL, of resource: ResourceIdentifier
    ) async throws -> ProtectedResourceMetadata {
        // The program asks the resource's own origin anyway.
        let addresses = resource.hasOrigin(of: url) ? .any : addresses(namedBy: resource)
        let parts = URIReference(url.absoluteString)
        // A resource on this machine may name one here; another resource may not lead the client to this machine.
        let isPlain = parts.hasScheme("http")
        guard TrustCheck.publicAddress.holds(addresses.allows(host: String(parts.host ?? ""))) else {
            throw AuthStateError(
                .addressNotAllowed, stage: .resourceMetadata,
                "A resource's metadata are at an address that is not public.",
                expected: "a name, or an address of the public internet", received: parts.redacted,
                hint: "Do not trust the resource; for one of the internal network set outsideAddressPolicy.")
        }
        let mayBePlain = parts.isLoopback && resource.parts.isLoopback || configuration.allowsInsecureHTTP
        guard TrustCheck.endpointTLS.holds(!isPlain || mayBePlain) else {
            throw AuthStateError(
                .insecureURL, stage: .resourceMetadata, "The resource's metadata are not protected by TLS.",
                expected: "https",
                received: parts.redacted, hint: "Use https; http is for resources on this machine.")
        }
        return try ProtectedResourceMetadata(
            parsing: await read(
                "resource's metadata", at: url, addresses: addresses, accept: "application/json",
                hint: "Check the URL of the resource; a server without metadata (RFC 9728) needs a login by issuer.",
                stage: .resourceMetadata))
    }

    /// Reads the metadata of an authorization server that a resource named, and remembers them for `metadataMaximumAge`.
    ///
    /// The documents are asked for in RFC 8414's order: its own, then OpenID Connect's in the same place, then OpenID
    /// Connect's after the issuer. For a login at a page the document has to list S256 among the code challenge methods: a
    /// server that a stranger named is not assumed to check PKCE.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, as the resource's metadata have it.
    ///   - resource: The resource; one on this machine may name servers on this machine.
    ///   - tolerances: The server's known deviations; kept in the configuration.
    ///   - requiresPKCE: Whether a user is to log in at the server's page.
    /// - Throws: `AuthStateError` of stage discovery: `.discoveryFailed`, `.issuerMismatch`, `.pkceUnsupported`,
    ///   `.invalidMetadata`, `.addressNotAllowed`. `CancellationError`.
    public func discoverAuthorizationServer(
        _ issuer: Issuer, of resource: ResourceIdentifier, tolerances: Set<Tolerance> = [], requiresPKCE: Bool = true
    ) async throws -> ProviderConfiguration {
        try await traced {
            let addresses = addresses(namedBy: resource)
            let source = MetadataSource(
                issuer: issuer, tolerances: tolerances, addressPolicy: addresses, isNamedByResource: true)
            let found = try await remembered(source) {
                MetadataCache.Answer(
                    value: try await discoverServer(issuer, tolerances, addresses),
                    lifetime: configuration.metadataMaximumAge.inSeconds)
            }
            let methods = found.metadata?.codeChallengeMethodsSupported
            guard !requiresPKCE || TrustCheck.promisedPKCE.holds(methods?.contains("S256") == true) else {
                throw AuthStateError(
                    .pkceUnsupported, stage: .discovery,
                    "The authorization server does not say that it checks code challenges.",
                    expected: "S256 in code_challenge_methods_supported",
                    received: methods?.joined(separator: ", ") ?? "no code_challenge_methods_supported",
                    hint: "Ask its operator; a server that the program knows can be used by its issuer.")
            }
            return found
        }
    }

    private func discoverServer(
        _ issuer: Issuer, _ tolerances: Set<Tolerance>, _ addresses: AddressPolicy
    ) async throws -> ProviderConfiguration {
        var absence: AuthStateError?
        for url in issuer.serverMetadataURLs {
            do {
                let document = try await fetch(at: url, of: issuer, addresses)
                notePlace(after: absence)
                return try configuration(
                    document, .authorizationServer, of: ownIssuer(of: document, namedAs: issuer), tolerances, addresses)
            } catch let error as AuthStateError where error.isRefusedPlace {
                absence = absence ?? error
            }
        }
        var error =
            absence
            ?? AuthStateError(.discoveryFailed, stage: .discovery, "The authorization server has no metadata.")
        error.expected = "metadata (RFC 8414) of \(issuer)"
        error.hint = "Ask the operator of the resource, which names this authorization server."
        throw error
    }

    /// Returns the issuer that a server's metadata name, which all that it issues is compared with: the one by which the
    /// resource named it, or the same with or without a slash at its end.
    fileprivate func ownIssuer(of document: ProviderMetadata, namedAs issuer: Issuer) -> Issuer {
        guard let own = document.issuer, !own.isExactly(issuer.rawValue), let found = try? Issuer(own),
            found.isServer(issuer.rawValue)
        else { return issuer }
        configuration.trace?.noteLeniency(.issuerSlash, "issuer")
        return found
    }
}

extension Issuer {
    /// The places of an authorization server's metadata, in RFC 8414's order; without a path two of them are the same.
    fileprivate var serverMetadataURLs: [URL] {
        var seen: Set<URL> = []
        return [authorizationServerMetadataURL, insertedOpenIDConfigurationURL, openIDConfigurationURL]
            .compactMap(\.self).filter { seen.insert($0).inserted }
    }
}

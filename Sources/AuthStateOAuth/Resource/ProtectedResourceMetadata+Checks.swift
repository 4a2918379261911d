package import AuthStateFoundation
package import AuthStateJOSE

extension ProtectedResourceMetadata {
    /// Checks that the document is one of a resource, and that a client which sends tokens in a header can use it.
    ///
    /// The document has to name exactly the resource that it was looked up for (RFC 9728, section 3.3): the whole
    /// identifier, or the origin for a document at the root, which may name the whole identifier too. An identifier without
    /// a path may be written with or without its slash, which are the same URL.
    ///
    /// - Returns: The identifier that requests for tokens name, as the document has it.
    /// - Throws: `AuthStateError` of stage resourceMetadata: `.resourceMismatch`; `.unsupported` when the resource takes no
    ///   token in a header.
    @discardableResult
    package func check(
        for resource: ResourceIdentifier, from source: Source, tolerances: Set<Tolerance> = []
    ) throws -> String {
        let named = self.resource
        let expected = source == .root ? resource.origin : resource.rawValue
        let isExact =
            named.isExactly(expected) || (expected.isExactly(resource.origin) && named.isExactly(expected + "/"))
        // What answers at the root could name the origin, which counts for each resource there.
        let isOfRoot = source == .root && !isExact && named.isExactly(resource.rawValue)
        if isOfRoot { Leniency.rootMetadata.note("resource") }
        let isParent = tolerances.contains(.parentResource) && resource.isBelow(named)
        guard TrustCheck.resourceName.holds(isExact || isOfRoot || isParent) else {
            throw AuthStateError(
                .resourceMismatch, stage: .resourceMetadata, "The resource's metadata are those of another resource.",
                expected: expected, received: URIReference(named).redacted,
                hint:
                    "Use the URL of the resource exactly as its metadata have it; a path above it at the same origin has "
                    + "to be tolerated by name (parentResource).")
        }
        let methods = bearerMethodsSupported ?? ["header"]
        guard TrustCheck.bearerMethod.holds(methods.contains("header")) else {
            throw AuthStateError(
                .unsupported, stage: .resourceMetadata, "The resource takes no token in the Authorization header.",
                expected: "header among bearer_methods_supported",
                received: methods.isEmpty ? "none" : methods.joined(separator: ", "),
                hint: "Tokens in a body or an address are not supported: they end up in logs.")
        }
        return named
    }
}

extension ResourceIdentifier {
    /// Returns whether a name is that of the resource's origin, or of a path above the resource's.
    package func isBelow(_ name: String) -> Bool {
        guard let parent = try? ResourceIdentifier(name), parent.parts.query == nil, parent.origin == origin else {
            return false
        }
        let (above, below) = (parent.parts.path, parts.path)
        return above.isEmpty || below == above || below.hasPrefix(above.hasSuffix("/") ? above : above + "/")
            || above == below + "/"
    }
}

extension ProtectedResourceMetadata {
    /// Returns the metadata with the values of their signed form in place of the plain ones (RFC 9728, section 2.2).
    ///
    /// - Throws: `AuthStateError` of stage resourceMetadata with `.invalidSignature`, also for a document without a signed
    ///   form; `.invalidMetadata` for claims that are no metadata. Check the result for the resource: it may name another one.
    package func verified(by keys: [String: JSONWebKeySet], now: Date) throws -> ProtectedResourceMetadata {
        guard let compact = signedMetadata else { throw Self.unsigned("signed_metadata") }
        do {
            let token = try JSONWebToken(parsing: compact)
            guard let issuer = token.claims["iss"]?.stringValue,
                let trusted = keys.first(where: { $0.key.isExactly(issuer) })?.value
            else { throw Self.unsigned("a signature by an issuer that the program trusts") }
            try token.verify(with: trusted, allowed: .asymmetric)
            guard var claims = token.claims.objectValue, claims["signed_metadata"] == nil else {
                throw Self.unsigned("claims without signed_metadata")
            }
            // The issuer signs other tokens too.
            let isMetadata = TokenKind.resourceMetadata.admits(token.header) && claims["resource"]?.stringValue != nil
            guard TrustCheck.signedMetadataKind.holds(isMetadata) else {
                throw Self.unsigned("signed metadata of a resource")
            }
            let end = claims["exp"].map { $0.doubleValue ?? -.infinity } ?? .infinity
            let start = claims["nbf"].map { $0.doubleValue ?? .infinity } ?? -.infinity
            guard TrustCheck.signedMetadataTimes.holds(start <= now.timeIntervalSince1970) else {
                throw Self.unsigned("a token that is valid already")
            }
            guard TrustCheck.signedMetadataTimes.holds(now.timeIntervalSince1970 < end) else {
                throw Self.unsigned("a token that has not expired")
            }
            for name in ["iss", "iat", "exp", "nbf", "aud", "sub", "jti"] { claims[name] = nil }
            // A login goes to no server that is not signed.
            var merged = document.filter { $0.key != "authorization_servers" }.merging(claims) { $1 }
            merged["signed_metadata"] = nil
            return try ProtectedResourceMetadata(document: merged)
        } catch let error as JOSEError {
            throw Self.unsigned("a valid signature", error)
        }
    }

    private static func unsigned(_ expected: String, _ underlying: JOSEError? = nil) -> AuthStateError {
        AuthStateError(
            .invalidSignature, stage: .resourceMetadata, "The resource's signed metadata cannot be trusted.",
            expected: expected,
            hint: "Name the issuer's keys, or leave signed metadata unread.", underlying: underlying)
    }
}

extension TrustCheck {
    /// A protected resource's metadata name the resource that was asked for (RFC 9728, 3.3).
    package static let resourceName = TrustCheck("resourceName")
    /// What an issuer signed as a resource's metadata is such, and no other token of its (RFC 9728, 2.2; RFC 8725, 3.12).
    package static let signedMetadataKind = TrustCheck("signedMetadataKind")
    /// A resource's signed metadata are valid now (RFC 7519, 4.1.4 and 4.1.5).
    package static let signedMetadataTimes = TrustCheck("signedMetadataTimes")
    /// The identifier of a resource has no user and no fragment (RFC 8707, 2; RFC 9728, 1.2).
    package static let resourceForm = TrustCheck("resourceForm")
    /// A client's metadata document is at an https URL that can name a client (draft client-id-metadata-document, 3).
    package static let documentURL = TrustCheck("documentURL")
    /// A client's metadata document names its own URL as the client (draft client-id-metadata-document, 3).
    package static let documentClient = TrustCheck("documentClient")
    /// A client's metadata document, which is public, has no secret and no private key (the same draft, 4.1).
    package static let documentSecret = TrustCheck("documentSecret")
    /// A client with a metadata document does not authenticate with a shared secret (the same draft, 4.1).
    package static let documentMethod = TrustCheck("documentMethod")
    /// A resource that lists how it takes tokens lists the Authorization header (RFC 9728, 2; RFC 6750, 2).
    package static let bearerMethod = TrustCheck("bearerMethod")
}

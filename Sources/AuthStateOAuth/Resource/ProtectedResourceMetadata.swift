public import AuthStateFoundation
public import AuthStateJOSE

/// What a protected resource says about itself (RFC 9728, section 2), unknown members kept.
public struct ProtectedResourceMetadata: Sendable, Hashable {
    /// The whole document.
    public let document: [String: JSONValue]

    /// The place that a document was found at; it decides which resource the document has to name.
    package enum Source: String, Sendable, Hashable {
        /// The URL that a challenge named (RFC 9728, section 5.1).
        case challenge
        /// The well-known path before the resource's own path (section 3.1).
        case path
        /// The well-known path at the root of the resource's host.
        case root
    }

    /// Checks the resource's identifier and its authorization servers; another member that cannot be used is absent.
    /// Throws `AuthStateError` of stage resourceMetadata with `.invalidMetadata` that names the member.
    package init(document: [String: JSONValue]) throws {
        let members = AnswerMembers(document)
        guard members.text("resource") != nil else {
            throw Self.unusable("resource", expected: "the resource's identifier")
        }
        // Each reading tells of a member that cannot be used.
        for name in document.keys { _ = Self.members[name]?.isUsable(name, in: members) }
        self.document = document
        let servers = strings("authorization_servers") ?? []
        guard servers.isEmpty || !authorizationServers.isEmpty else {
            throw Self.unusable("authorization_servers", expected: "issuers, which are https URLs without a query")
        }
        if servers.count != authorizationServers.count { Leniency.unusableMember.note("authorization_servers") }
        if servers != servers.map(Issuer.name) { Leniency.metadataForIssuer.note("authorization_servers") }
    }

    /// Reads a document; throws `AuthStateError` with `.invalidMetadata` when it is no JSON object or a member is
    /// malformed.
    package init(parsing body: Data) throws {
        guard let document = (try? JSONValue(answer: body))?.objectValue,
            document.keys.contains(where: { Self.members[$0] != nil })
        else {
            throw AuthStateError(
                .invalidMetadata, stage: .resourceMetadata, "The resource's metadata are not a JSON object of its own.",
                hint: "Check the URL of the resource.", httpStatus: 200)
        }
        try self.init(document: document)
    }

    private static func unusable(_ name: String, expected: String) -> AuthStateError {
        AuthStateError(
            .invalidMetadata, stage: .resourceMetadata, "The resource's metadata lack a usable member, \(name).",
            expected: expected, hint: "Ask the operator of the resource to mend the document.")
    }

    /// The type of each member (RFC 9728, sections 2 and 2.2).
    private static let members: [String: ProviderMetadata.MemberType] = [
        "resource": .string,
        "authorization_servers": .strings,
        "jwks_uri": .url,
        "scopes_supported": .words,
        "bearer_methods_supported": .strings,
        "resource_signing_alg_values_supported": .strings,
        "resource_name": .string,
        "resource_documentation": .string,
        "resource_policy_uri": .string,
        "resource_tos_uri": .string,
        "tls_client_certificate_bound_access_tokens": .flag,
        "authorization_details_types_supported": .strings,
        "dpop_signing_alg_values_supported": .strings,
        "dpop_bound_access_tokens_required": .flag,
        "signed_metadata": .string,
    ]

    private func string(_ name: String) -> String? { AnswerMembers(document).text(name) }
    private func strings(_ name: String) -> [String]? { AnswerMembers(document).texts(name) }
    private func flag(_ name: String) -> Bool { AnswerMembers(document).flag(name) ?? false }

    /// The resource's identifier, exactly as the document has it.
    public var resource: String { string("resource") ?? "" }
    /// The issuers of the authorization servers whose tokens the resource accepts.
    public var authorizationServers: [Issuer] {
        (strings("authorization_servers") ?? []).compactMap { try? Issuer(Issuer.name(of: $0)) }
    }
    /// The resource's own public keys.
    public var jwksURI: URL? { string("jwks_uri").flatMap(ProviderMetadata.endpoint) }
    /// The scopes that requests to the resource may need; nil when the document does not say.
    public var scopesSupported: [Scope]? {
        AnswerMembers(document).wordList("scopes_supported")?.map(Scope.init(rawValue:))
    }
    /// How bearer tokens may be sent: `header`, `body`, `query`; nil when the document does not say.
    package var bearerMethodsSupported: [String]? { strings("bearer_methods_supported") }
    /// The resource's name for people.
    public var resourceName: String? { string("resource_name") }
    /// How DPoP proofs may be signed (RFC 9449).
    package var dpopSigningAlgValuesSupported: [String]? { strings("dpop_signing_alg_values_supported") }
    package var dpopBoundAccessTokensRequired: Bool { flag("dpop_bound_access_tokens_required") }
    /// The metadata as a signed JWT, see ``verified(by:now:)``.
    package var signedMetadata: String? { string("signed_metadata") }
}

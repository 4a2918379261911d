public import AuthStateFoundation
public import AuthStateJOSE

/// A client's metadata at a URL that is its identifier (draft-ietf-oauth-client-id-metadata-document): providers that never
/// heard of the client read them there.
///
/// The program hosts ``json`` at ``url`` and logs in with the URL as `client_id`.
public struct ClientMetadataDocument: Sendable, Hashable {
    /// The URL, which is the client's identifier, character for character.
    public let url: String
    /// What the client says about itself.
    public let metadata: ClientMetadata

    /// Makes a document; throws `AuthStateError` of stage registration with `.invalidClientMetadata`, whose message
    /// names the rule.
    public init(url: String, _ metadata: ClientMetadata) throws {
        if let problem = Self.problem(with: url) {
            throw Self.refusal("This cannot be a client's URL: \(problem).", url)
        }
        self.url = url
        var metadata = metadata
        metadata.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? ClientAuthenticationMethod.none
        metadata.grantTypes = metadata.grantTypes ?? [.authorizationCode, .refreshToken]
        self.metadata = metadata
        try Self.check(try metadata.document())
    }

    /// Reads a document that was fetched, and checks it as a provider does: its `client_id` has to be the URL where it was
    /// fetched, character for character.
    /// - Throws: `AuthStateError` of stage registration with `.invalidClientMetadata`, whose message names the rule.
    public init(parsing body: Data, at url: String) throws {
        if let problem = Self.problem(with: url), TrustCheck.documentURL.isOn {
            throw Self.refusal("This cannot be a client's URL: \(problem).", url)
        }
        guard let members = (try? JSONValue(answer: body))?.objectValue else {
            throw Self.refusal("The document is not a JSON object.", nil)
        }
        guard let id = members["client_id"]?.stringValue, TrustCheck.documentClient.holds(id.isExactly(url)) else {
            throw Self.refusal(
                "The document's client_id is not its own URL.", members["client_id"]?.stringValue ?? "none",
                expected: url)
        }
        try Self.check(members)
        var metadata = ClientMetadata()
        metadata.applicationType = nil
        for (name, value) in members where !ClientMetadata.notSent.contains(name) {
            try metadata.setMetadata(name, to: value)
        }
        self.url = url
        self.metadata = metadata
    }

    /// The document to host, as JSON of media type `application/json`.
    public var json: JSONValue {
        var members = (try? metadata.document()) ?? [:]
        members["client_id"] = .string(url)
        return .object(members)
    }

    /// Returns the rule that a client's URL breaks, as a half sentence; nil for a usable one (draft, section 3).
    public static func problem(with url: String) -> String? {
        let parts = URIReference(url)
        let segments = parts.path.split(separator: "/", omittingEmptySubsequences: false)
        let rules: [(String, Bool)] = [
            ("it has to be an https URL", parts.hasScheme("https") && parts.hasPlainHost && URL(string: url) != nil),
            ("it may not have a user or a password", parts.user == nil),
            ("it may not have a fragment", parts.fragment == nil),
            ("it needs a path other than /", !parts.path.isEmpty && parts.path != "/"),
            ("its path may not have the segments . and ..", !segments.contains { isDots($0) }),
            ("it may hold visible ASCII characters only", url.utf8.allSatisfy { (0x21...0x7E).contains($0) }),
        ]
        return rules.first { !$0.1 }?.0
    }

    /// Returns whether a segment of a path is `.` or `..`, percent-encoded or not.
    private static func isDots(_ segment: Substring) -> Bool {
        let plain = segment.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(
            separator: ".")
        return plain == "." || plain == ".."
    }

    /// Checks what a provider needs and what must not be public (draft, sections 4 and 4.1; MCP, Authorization).
    private static func check(_ members: [String: JSONValue]) throws {
        for name in ["client_secret", "client_secret_expires_at"]
        where !TrustCheck.documentSecret.holds(members[name] == nil) {
            throw refusal("The document is public and may not have the member \(name).", nil)
        }
        let method = members["token_endpoint_auth_method"]?.stringValue
        guard TrustCheck.documentMethod.holds(method == nil || method == "none" || method == "private_key_jwt") else {
            throw refusal(
                "A client with a public document cannot authenticate with a shared secret.", method,
                expected: "none or private_key_jwt")
        }
        let keys = members["jwks"]?["keys"]?.arrayValue ?? []
        guard method != "private_key_jwt" || !keys.isEmpty || members["jwks_uri"] != nil else {
            throw refusal("The document has no public keys for private_key_jwt.", nil, expected: "jwks or jwks_uri")
        }
        let secrets = ["d", "p", "q", "dp", "dq", "qi", "k"]
        let hasPrivateKey = keys.contains { key in secrets.contains { key[$0] != nil } }
        guard TrustCheck.documentSecret.holds(!hasPrivateKey) else {
            throw refusal("The document has a private key.", nil, expected: "public keys alone")
        }
        guard members["client_name"]?.stringValue?.isEmpty == false else {
            throw refusal("The document has no client_name, which people are asked to trust.", nil)
        }
        let usesRedirect = members["grant_types"]?.arrayValue?.contains("authorization_code") ?? true
        guard !usesRedirect || members["redirect_uris"]?.arrayValue?.isEmpty == false else {
            throw refusal("The document has no redirect_uris.", nil)
        }
    }

    private static func refusal(_ message: String, _ received: String?, expected: String? = nil) -> AuthStateError {
        AuthStateError(
            .invalidClientMetadata, stage: .registration, message, expected: expected, received: received,
            hint: "See draft-ietf-oauth-client-id-metadata-document, sections 3 and 4.")
    }
}

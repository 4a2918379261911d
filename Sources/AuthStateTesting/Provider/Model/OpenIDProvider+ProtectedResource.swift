extension OpenIDProvider {
    /// How the protected resource at ``Endpoint/resource`` behaves (RFC 9728; RFC 6750, section 3).
    public struct ProtectedResource: Sendable {
        /// A place of the resource's metadata.
        public enum MetadataPlace: Sendable, Hashable, CaseIterable {
            /// A URL that challenges name.
            case challenge
            /// The well-known path before the resource's own path.
            case path
            /// The well-known path at the root.
            case root
        }

        /// Where its metadata are; empty means that it has none.
        public var metadataPlaces: Set<MetadataPlace> = [.path]
        /// The issuers that its metadata name; nil names the provider that it belongs to.
        public var authorizationServers: [String]?
        /// The scopes that every request needs.
        public var scopes: [String] = []
        /// The scopes that requests of a method need besides, for example `["POST": ["write"]]`.
        public var scopesByMethod: [String: [String]] = [:]
        /// The scopes that its metadata list; nil leaves the member out.
        public var scopesSupported: [String]?
        /// Whether challenges name the scopes that are missing.
        public var namesScopes = true
        /// Whether it takes tokens only that are bound to a DPoP key.
        public var requiresDPoP = false
        /// Whether tokens have to be for the resource's own URL (RFC 8707).
        public var requiresAudience = false
        /// Whether a token that the provider did not issue is accepted, for example one of another provider. It runs on the
        /// provider's thread.
        public var acceptsForeignToken: (@Sendable (_ accessToken: String) -> Bool)?
        /// Changes the metadata document.
        public var metadata: Deviations.Edit?

        /// A resource that takes any token of its provider.
        public init() {}
    }
}

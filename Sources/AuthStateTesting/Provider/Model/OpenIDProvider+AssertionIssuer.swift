public import AuthStateJOSE

extension OpenIDProvider {
    /// A party whose assertions the provider accepts: a platform that vouches for its programs, or an identity provider that
    /// vouches for its users.
    public struct AssertionIssuer: Sendable, Hashable {
        /// `iss` of its assertions.
        public var issuer: String
        /// Its public keys.
        public var keys: [JSONWebKey]
        /// The clients that its assertions authenticate (RFC 7523, section 2.2), by `sub`: a client's identifier.
        public var clients: [String: String]

        /// Makes an issuer.
        public init(_ issuer: String, keys: [JSONWebKey], clients: [String: String] = [:]) {
            (self.issuer, self.keys, self.clients) = (issuer, keys, clients)
        }
    }
}

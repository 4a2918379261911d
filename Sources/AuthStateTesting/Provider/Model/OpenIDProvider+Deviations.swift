public import AuthStateJOSE
public import AuthStateOAuth

extension OpenIDProvider {
    /// Ways in which a provider departs from the specifications, each by itself, for tests of a client's checks.
    ///
    /// The closures run on the provider's own thread: they must not block, nor call the provider.
    public struct Deviations: Sendable {
        /// Changes members of a JSON document.
        public typealias Edit = @Sendable (_ members: inout [String: JSONValue]) -> Void
        /// Changes a token before it is signed.
        public typealias TokenEdit =
            @Sendable (_ claims: inout [String: JSONValue], _ header: inout [String: JSONValue]) -> Void

        /// A fault of a signature.
        public enum Signature: Sendable, Hashable {
            /// Nothing.
            case good
            /// One bit of it is flipped.
            case broken
            /// It was made with a key that the provider does not publish, under the name of one that it does.
            case foreignKey
            /// There is none: `alg` is `none`.
            case missing
        }

        /// Changes the metadata documents.
        public var metadata: Edit?
        /// Changes the document of RFC 8414 alone, after `metadata`.
        public var authorizationServerMetadata: Edit?
        /// Changes WebFinger answers.
        public var webFinger: Edit?
        /// Changes the key set.
        public var keySet: Edit?
        /// Changes the parameters of the authorization response.
        public var authorizationResponse: (@Sendable (_ parameters: inout Parameters) -> Void)?
        /// Changes the claims of a signed authorization response (JARM).
        public var signedAuthorizationResponse: Edit?
        /// The fault of a signed authorization response's signature.
        public var authorizationResponseSignature = Signature.good
        /// Changes the parameters with which the browser comes back from a logout.
        public var endSessionResponse: (@Sendable (_ parameters: inout Parameters) -> Void)?
        /// Changes successful answers about registrations.
        public var registration: Edit?
        /// Changes successful answers of the device authorization endpoint.
        public var deviceAuthorization: Edit?
        /// Changes successful answers of the backchannel authentication endpoint.
        public var backchannelAuthentication: Edit?
        /// Changes successful token responses.
        public var tokenResponse: Edit?
        /// Changes an ID token before it is signed.
        public var idToken: TokenEdit?
        /// The fault of ID tokens' signatures.
        public var signature = Signature.good
        /// Changes a logout token before it is signed.
        public var logoutToken: TokenEdit?
        /// The fault of logout tokens' signatures.
        public var logoutTokenSignature = Signature.good
        /// Changes userinfo, before it is signed.
        public var userInfo: Edit?
        /// The fault of signed userinfo's signature.
        public var userInfoSignature = Signature.good

        /// No deviation.
        public init() {}
    }
}

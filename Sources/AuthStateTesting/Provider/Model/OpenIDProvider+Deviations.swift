public import AuthStateJOSE
public import AuthStateOAuth

extension OpenIDProvider {
    /// Ways in which a provider departs from the specifications, each by itself, for tests of what a client refuses.
    ///
    /// The closures run on the provider's own thread: they must not block, nor call the provider.
    public struct Deviations: Sendable {
        /// Changes members of a JSON document.
        public typealias Edit = @Sendable (_ members: inout [String: JSONValue]) -> Void

        /// What is wrong with an ID token's signature.
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
        /// Changes the key set.
        public var keySet: Edit?
        /// Changes the parameters of the authorization response.
        public var authorizationResponse: (@Sendable (_ parameters: inout Parameters) -> Void)?
        /// Changes the parameters with which the browser comes back from a logout.
        public var endSessionResponse: (@Sendable (_ parameters: inout Parameters) -> Void)?
        /// Changes successful token responses.
        public var tokenResponse: Edit?
        /// Changes an ID token before it is signed.
        public var idToken:
            (@Sendable (_ claims: inout [String: JSONValue], _ header: inout [String: JSONValue]) -> Void)?
        /// What is wrong with ID tokens' signatures.
        public var signature = Signature.good
        /// Changes userinfo.
        public var userInfo: Edit?

        /// No deviation.
        public init() {}
    }
}

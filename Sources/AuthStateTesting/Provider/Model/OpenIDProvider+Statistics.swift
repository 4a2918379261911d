extension OpenIDProvider {
    /// What a provider has counted since it started.
    public struct Statistics: Sendable, Hashable {
        /// Requests by endpoint, failed ones included.
        public internal(set) var requests: [Endpoint: Int] = [:]
        /// Token requests with a refresh token, failed ones included.
        public internal(set) var refreshRequests = 0
        /// Access tokens that were issued.
        public internal(set) var accessTokensIssued = 0
        /// Refresh tokens that came once more after they were spent.
        public internal(set) var refreshTokenReuses = 0
        /// Codes that came once more after they were redeemed.
        public internal(set) var codeReplays = 0
    }
}

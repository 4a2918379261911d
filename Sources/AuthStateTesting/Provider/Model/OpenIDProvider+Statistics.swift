extension OpenIDProvider {
    /// The provider's counters since it started.
    public struct Statistics: Sendable, Hashable {
        /// Requests by endpoint, failed ones included.
        public internal(set) var requests: [Endpoint: Int] = [:]
        /// Token requests with a refresh token, failed ones included.
        public internal(set) var refreshRequests = 0
        /// Access tokens that were issued.
        public internal(set) var accessTokensIssued = 0
        /// Refresh tokens that were used again after rotation.
        public internal(set) var refreshTokenReuses = 0
        /// Codes that were used again after they were redeemed.
        public internal(set) var codeReplays = 0
    }
}

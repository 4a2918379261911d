import AuthStateOAuth

extension AuthState {
    /// An answer of the authorization endpoint, apart from what all logins have in common: that can be kept once for all.
    struct SpentAuthorization: Sendable, Hashable {
        /// The answer without what is its own.
        var common: Box<AuthorizationResponse>
        private let code: String
        private let additionalParameters: Parameters
        private let state: String
        private let nonce: String?
        private let codeVerifier: CodeVerifier

        /// Stands where there has to be a verifier.
        private static let noVerifier = CodeVerifier()

        init(_ response: AuthorizationResponse) {
            (code, additionalParameters) = (response.code, response.additionalParameters)
            (state, nonce) = (response.request.state, response.request.nonce)
            codeVerifier = response.request.codeVerifier
            var common = response
            (common.code, common.additionalParameters) = ("", [:])
            (common.request.state, common.request.nonce) = ("", nil)
            common.request.codeVerifier = Self.noVerifier
            self.common = Box(common)
        }

        /// The whole answer.
        var response: AuthorizationResponse {
            var response = common.value
            (response.code, response.additionalParameters) = (code, additionalParameters)
            (response.request.state, response.request.nonce) = (state, nonce)
            response.request.codeVerifier = codeVerifier
            return response
        }
    }
}

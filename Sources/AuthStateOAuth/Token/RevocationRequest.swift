package import AuthStateFoundation
public import AuthStateJOSE

/// A request to the revocation endpoint (RFC 7009, section 2.1).
public struct RevocationRequest: Sendable, Hashable, OwnTokenRequest, Redacted {
    /// The client that the token was issued to and that sends the request.
    public var client: Client
    /// The token.
    public var token: String
    /// The kind of token; nil leaves it to the provider to find out.
    public var tokenTypeHint: TokenTypeHint?
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters = [:]

    /// Makes a request.
    public init(_ client: Client, token: String, tokenTypeHint: TokenTypeHint? = nil) {
        self.client = client
        self.token = token
        self.tokenTypeHint = tokenTypeHint
    }

    package static let name = "revocation"
    package static let stage = AuthStateError.Stage.logout
    package static let absenceHint = "The tokens stay valid until they expire; log out to forget them here."
    package static func endpoint(of provider: ProviderConfiguration) -> URL? { provider.revocationEndpoint }

    /// The client; the token stays secret.
    public var description: String { redactedDescription }

    /// Checks an answer (RFC 7009, section 2.2): success is the same for a token that was unknown.
    ///
    /// Some providers, such as Google, answer `invalid_token` for a token that is no longer valid: that is success too.
    /// Throws `AuthStateError` of stage logout.
    package func validate(_ response: TransportResponse) throws {
        let isSuccess = (200...299).contains(response.status)
        // Some servers refuse with a success, which says nothing of the token.
        if let error = OAuthErrorResponse(response.json) {
            if isSuccess || response.status == 400, error.error == "invalid_token" { return }
            throw AuthStateError.refusal(by: "revocation endpoint", error, response, stage: .logout)
        }
        if isSuccess, !response.isPage { return }
        if response.status == 401 || response.status == 403 {
            throw AuthStateError(
                .invalidClient, stage: .logout,
                "The revocation endpoint does not serve this client (status \(response.status)).",
                hint: "The tokens stay valid until they expire; allow the client to revoke them, if the provider can.",
                httpStatus: response.status)
        }
        throw AuthStateError.endpoint("revocation endpoint", response, stage: .logout)
    }
}

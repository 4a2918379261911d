public import AuthStateFoundation
public import AuthStateJOSE

/// The provider's confirmation that it asks the person now, with the identifier to poll for the tokens (CIBA Core,
/// section 7.3).
///
/// An archive of it holds the identifier of the request: a reader who can authenticate as the client gets the tokens
/// once the person has confirmed. The user code is not kept.
public struct BackchannelAuthenticationResponse: Sendable, Hashable, Codable {
    /// The request that was answered, without its user code.
    public var request: BackchannelAuthenticationRequest
    /// `auth_req_id`, the identifier to poll for the tokens; a secret.
    public var authenticationRequestID: String
    /// When the request expires.
    public var expiresAt: Date
    /// The least time between two polls for the tokens, in seconds; 5 when the provider does not say.
    public var interval: Double

    /// Makes a response.
    public init(
        request: BackchannelAuthenticationRequest, authenticationRequestID: String, expiresAt: Date,
        interval: Double = 5
    ) {
        self.request = request
        self.request.userCode = nil
        self.authenticationRequestID = authenticationRequestID
        self.expiresAt = expiresAt
        self.interval = interval
    }
}

extension BackchannelAuthenticationResponse: Redacted {
    /// The client and the expiry; the identifier stays secret.
    public var description: String { "backchannel authentication of \(request.client.id), until \(expiresAt)" }
}

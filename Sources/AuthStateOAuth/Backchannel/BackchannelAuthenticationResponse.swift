public import AuthStateFoundation
public import AuthStateJOSE

/// The provider's confirmation that it asks the user now, with the identifier to poll with (CIBA Core, section 7.3).
///
/// An archive of it holds the identifier of the request: a reader who can authenticate as the client gets the tokens
/// once the user has confirmed. The user code is not kept.
public struct BackchannelAuthenticationResponse: Sendable, Hashable, Codable, Redacted {
    /// The request that was answered, without its user code.
    public var request: BackchannelAuthenticationRequest
    /// `auth_req_id`, the identifier to poll for the tokens; a secret.
    public var authenticationRequestID: String
    /// When the request expires.
    public var expiresAt: Date
    /// The least time between two polls for the tokens; 5 seconds when the provider does not say.
    public var interval: Duration {
        get { .init(boundedSeconds: intervalInSeconds) }
        set { intervalInSeconds = newValue.inSeconds }
    }
    private var intervalInSeconds: Double

    /// Makes a response.
    public init(
        request: BackchannelAuthenticationRequest, authenticationRequestID: String, expiresAt: Date,
        interval: Duration = .seconds(5)
    ) {
        self.request = request
        self.request.userCode = nil
        self.authenticationRequestID = authenticationRequestID
        self.expiresAt = expiresAt
        intervalInSeconds = interval.inSeconds
    }

    /// The client and the expiry; the identifier stays secret.
    public var description: String { "backchannel authentication of \(request.client.id), until \(expiresAt)" }
}

extension BackchannelAuthenticationResponse {
    /// Reads an answer of the backchannel authentication endpoint (CIBA Core, sections 7.3 and 13) to a request that was
    /// sent at `sentAt`. Throws the provider's refusal, or an error for a member that is absent or unusable.
    package init(
        _ response: TransportResponse, to request: BackchannelAuthenticationRequest, sentAt: Date
    ) throws(AuthStateError) {
        let answer = try PolledLoginAnswer(
            response, of: "backchannel authentication", tolerating: request.client.provider.tolerances,
            sentAt: sentAt)
        self.init(
            request: request,
            authenticationRequestID: try answer.required(
                "auth_req_id", "visible ASCII characters", TokenResponse.token),
            expiresAt: try answer.expiry(), interval: answer.interval())
    }
}

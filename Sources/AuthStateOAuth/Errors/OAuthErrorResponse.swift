package import AuthStateJOSE

/// The members of an OAuth error response (RFC 6749, sections 4.1.2.1 and 5.2).
public struct OAuthErrorResponse: Sendable, Hashable, Codable {
    /// The error code, for example `invalid_grant`.
    public var error: String
    /// The provider's explanation, cut to 300 printable characters.
    public var errorDescription: String?
    /// A page about the error.
    public var errorURI: String?

    /// Makes an error response.
    public init(error: String, errorDescription: String? = nil, errorURI: String? = nil) {
        self.error = error.printable(100)
        self.errorDescription = errorDescription?.printable()
        self.errorURI = errorURI?.printable()
    }

    enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
        case errorURI = "error_uri"
    }
}

extension OAuthErrorResponse {
    /// The error response in a document; nil when it has no `error`, or one that is not text.
    package init?(_ json: JSONValue?) {
        guard let error = json?["error"]?.stringValue, !error.isEmpty else { return nil }
        self.init(
            error: error, errorDescription: json?["error_description"]?.stringValue,
            errorURI: json?["error_uri"]?.stringValue)
    }

    /// What the error code means here; unknown codes are `.providerError`.
    public var code: AuthStateError.Code { Self.codes[error] ?? .providerError }

    /// The code, and the provider's explanation when there is one.
    package var summary: String {
        let text = errorDescription.map { "\(error), \($0)" } ?? error
        // The sentence around it brings its own full stop.
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// What a person can do about it.
    package var hint: String? {
        switch code {
        case .accessDenied: "Log in again and allow the access that is asked for."
        case .invalidClient: "Check the client identifier, its secret and how it is sent."
        case .unauthorizedClient: "Allow this grant for the client at the provider."
        case .invalidScope: "Ask for scopes that the provider knows and that the client may have."
        case .invalidGrant: "Log in again."
        case .invalidRequest:
            "Check the request's parameters, and that the redirect URI is registered, character by character."
        case .serverError, .temporarilyUnavailable: "Try again later."
        case .interactionRequired: "Log in with a page: leave out prompt=none."
        default: nil
        }
    }

    private static let codes: [String: AuthStateError.Code] = [
        // RFC 6749, 4.1.2.1 and 5.2
        "invalid_request": .invalidRequest,
        "invalid_client": .invalidClient,
        "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient,
        "unsupported_grant_type": .unsupportedGrantType,
        "unsupported_response_type": .unsupportedResponseType,
        "invalid_scope": .invalidScope,
        "access_denied": .accessDenied,
        "server_error": .serverError,
        "temporarily_unavailable": .temporarilyUnavailable,
        // OpenID Connect Core 3.1.2.6
        "interaction_required": .interactionRequired,
        "login_required": .interactionRequired,
        "account_selection_required": .interactionRequired,
        "consent_required": .interactionRequired,
        "request_not_supported": .unsupported,
        "request_uri_not_supported": .unsupported,
        "registration_not_supported": .unsupported,
        // RFC 7591, 3.2.2
        "invalid_redirect_uri": .registrationRedirectURIRefused,
        "invalid_client_metadata": .invalidClientMetadata,
        // RFC 6750, 3.1 and RFC 9470, 3
        "invalid_token": .tokenRejected,
        "insufficient_scope": .insufficientScope,
        "insufficient_user_authentication": .insufficientUserAuthentication,
    ]
}

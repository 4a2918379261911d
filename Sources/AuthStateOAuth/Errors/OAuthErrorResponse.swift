package import AuthStateJOSE

/// The members of an OAuth error response (RFC 6749, sections 4.1.2.1 and 5.2).
public struct OAuthErrorResponse: Sendable, Hashable, Codable {
    /// The error code, for example `invalid_grant`.
    public var error: String { didSet { error = error.printable(100) } }
    /// The provider's explanation, cut to 300 printable characters.
    public var errorDescription: String? { didSet { errorDescription = errorDescription?.printable() } }
    /// A page about the error.
    public var errorURI: String? { didSet { errorURI = errorURI?.printable() } }

    /// Makes an error response.
    public init(error: String, errorDescription: String? = nil, errorURI: String? = nil) {
        self.error = error.printable(100)
        self.errorDescription = errorDescription?.printable()
        self.errorURI = errorURI?.printable()
    }

    /// Decodes an error response; its texts are cleaned as those of any other.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            error: try container.decode(String.self, forKey: .error),
            errorDescription: try container.decodeIfPresent(String.self, forKey: .errorDescription),
            errorURI: try container.decodeIfPresent(String.self, forKey: .errorURI))
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
            error: error,
            errorDescription: json.flatMap { json in
                json["error_description"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
                    ?? TransportResponse.words(beside: json)
            },
            errorURI: json?["error_uri"]?.stringValue)
    }

    /// The meaning of the error code here; unknown codes are `.providerError`.
    public var code: AuthStateError.Code { Self.codes[error] ?? .providerError }

    /// The code, and the provider's explanation when there is one.
    package var summary: String {
        let text = errorDescription.map { "\(error), \($0)" } ?? error
        // The sentence around it brings its own full stop.
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The advice for a user: that of the recognised failure, else that of the code in this part of a flow.
    package func hint(at stage: AuthStateError.Stage) -> String? {
        RecognizedFailure(self, at: stage)?.hint ?? Self.stageHints[stage]?[code] ?? AuthStateError.advice[code]
    }

    /// The advice where the same code needs another one than at a login.
    private static let stageHints: [AuthStateError.Stage: [AuthStateError.Code: String]] = [
        .authorization: [.invalidRequest: redirectHint],
        .token: [.invalidRequest: redirectHint],
        .refresh: [
            .invalidScope: "Ask for a part of the scope that was granted at the login; for more, log in again.",
            .unsupportedGrantType: "Allow this client to renew its tokens at the provider, or log in again.",
        ],
        .logout: [
            .unauthorizedClient: "Check the client's secret or key; this provider may let only some clients revoke.",
            .invalidRequest: "The tokens stay valid until they expire; the provider does not revoke this kind.",
        ],
    ]

    private static let redirectHint =
        "Check the request's parameters, and that the redirect URI is registered, character by character."

    static let codes: [String: AuthStateError.Code] = [
        // RFC 6749, 4.1.2.1 and 5.2
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "unsupported_response_type": .unsupportedResponseType, "invalid_scope": .invalidScope,
        "access_denied": .accessDenied, "server_error": .serverError,
        "temporarily_unavailable": .temporarilyUnavailable,
        // Google's and GitHub's own
        "redirect_uri_mismatch": .invalidRequest, "deleted_client": .invalidClient, "disabled_client": .invalidClient,
        // Microsoft's own: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-device-code
        "authorization_declined": .accessDenied,
        // Apple's and LinkedIn's own
        "user_cancelled_authorize": .accessDenied, "invalid_resource": .invalidTarget,
        // OpenID Connect Core 3.1.2.6
        "interaction_required": .interactionRequired, "login_required": .loginRequired,
        "account_selection_required": .accountSelectionRequired, "consent_required": .consentRequired,
        // RFC 9101, 7.1; before it OpenID Connect Core 3.1.2.6
        "invalid_request_uri": .invalidRequestURI, "invalid_request_object": .invalidRequestObject,
        "request_not_supported": .unsupported, "request_uri_not_supported": .unsupported,
        "registration_not_supported": .unsupported,
        // RFC 7591, 3.2.2
        "invalid_redirect_uri": .registrationRedirectURIRefused, "invalid_client_metadata": .invalidClientMetadata,
        "invalid_software_statement": .invalidSoftwareStatement,
        "unapproved_software_statement": .unapprovedSoftwareStatement,
        // RFC 7009, 2.2.1
        "unsupported_token_type": .revocationUnsupported,
        // RFC 8628, 3.5
        "authorization_pending": .authorizationPending, "slow_down": .slowDown, "expired_token": .deviceCodeExpired,
        // OpenID Connect CIBA Core 1.0, 12 and 13
        "expired_login_hint_token": .expiredLoginHintToken, "unknown_user_id": .unknownUserID,
        "missing_user_code": .missingUserCode, "invalid_user_code": .invalidUserCode,
        "invalid_binding_message": .invalidBindingMessage, "transaction_failed": .transactionFailed,
        // RFC 8707, 2, and RFC 8693, 2.2.2
        "invalid_target": .invalidTarget,
        // RFC 9396, 5
        "invalid_authorization_details": .invalidAuthorizationDetails,
        // RFC 9449, 5 and 8
        "invalid_dpop_proof": .invalidDPoPProof, "use_dpop_nonce": .useDPoPNonce,
        // OpenID Connect Core Error Code unmet_authentication_requirements 1.0
        "unmet_authentication_requirements": .insufficientUserAuthentication,
        // RFC 6750, 3.1 and RFC 9470, 3
        "invalid_token": .tokenRejected, "insufficient_scope": .insufficientScope,
        "insufficient_user_authentication": .insufficientUserAuthentication,
    ]
}

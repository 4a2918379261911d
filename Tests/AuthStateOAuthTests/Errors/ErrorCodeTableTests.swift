import AuthStateOAuth
import Testing

struct ErrorCodeTableTests {
    /// An error code that a specification defines.
    struct Entry: Sendable, CustomTestStringConvertible {
        let specification: String
        let name: String
        let code: AuthStateError.Code
        let kind: AuthStateError.Kind

        var testDescription: String { "\(specification): \(name)" }
    }

    private static func entries(
        _ specification: String, _ rows: [(String, AuthStateError.Code, AuthStateError.Kind)]
    ) -> [Entry] {
        rows.map { Entry(specification: specification, name: $0.0, code: $0.1, kind: $0.2) }
    }

    static let table: [Entry] = [
        entries(
            "RFC 6749, 4.1.2.1",
            [
                ("invalid_request", .invalidRequest, .configuration),
                ("unauthorized_client", .unauthorizedClient, .configuration),
                ("access_denied", .accessDenied, .reauthenticationRequired),
                ("unsupported_response_type", .unsupportedResponseType, .configuration),
                ("invalid_scope", .invalidScope, .configuration), ("server_error", .serverError, .transient),
                ("temporarily_unavailable", .temporarilyUnavailable, .transient),
            ]),
        entries(
            "RFC 6749, 5.2",
            [
                ("invalid_request", .invalidRequest, .configuration),
                ("invalid_client", .invalidClient, .configuration),
                ("invalid_grant", .invalidGrant, .reauthenticationRequired),
                ("unauthorized_client", .unauthorizedClient, .configuration),
                ("unsupported_grant_type", .unsupportedGrantType, .configuration),
                ("invalid_scope", .invalidScope, .configuration),
            ]),
        entries(
            "RFC 6750, 3.1",
            [
                ("invalid_request", .invalidRequest, .configuration),
                ("invalid_token", .tokenRejected, .reauthenticationRequired),
                ("insufficient_scope", .insufficientScope, .resource),
            ]),
        entries("RFC 7009, 2.2.1", [("unsupported_token_type", .revocationUnsupported, .configuration)]),
        entries(
            "RFC 7591, 3.2.2",
            [
                ("invalid_redirect_uri", .registrationRedirectURIRefused, .configuration),
                ("invalid_client_metadata", .invalidClientMetadata, .configuration),
                ("invalid_software_statement", .invalidSoftwareStatement, .configuration),
                ("unapproved_software_statement", .unapprovedSoftwareStatement, .configuration),
            ]),
        entries(
            "RFC 7521, 4.1.1 and 4.2.1",
            [
                ("invalid_grant", .invalidGrant, .reauthenticationRequired),
                ("invalid_client", .invalidClient, .configuration),
            ]),
        entries(
            "RFC 8628, 3.5",
            [
                ("authorization_pending", .authorizationPending, .transient), ("slow_down", .slowDown, .transient),
                ("access_denied", .accessDenied, .reauthenticationRequired),
                ("expired_token", .deviceCodeExpired, .reauthenticationRequired),
            ]),
        entries(
            "OpenID Connect CIBA Core 1.0, 11 to 13",
            [
                ("authorization_pending", .authorizationPending, .transient), ("slow_down", .slowDown, .transient),
                ("expired_token", .deviceCodeExpired, .reauthenticationRequired),
                ("access_denied", .accessDenied, .reauthenticationRequired),
                ("transaction_failed", .transactionFailed, .reauthenticationRequired),
                ("expired_login_hint_token", .expiredLoginHintToken, .configuration),
                ("unknown_user_id", .unknownUserID, .configuration),
                ("missing_user_code", .missingUserCode, .reauthenticationRequired),
                ("invalid_user_code", .invalidUserCode, .reauthenticationRequired),
                ("invalid_binding_message", .invalidBindingMessage, .configuration),
                ("invalid_grant", .invalidGrant, .reauthenticationRequired),
                ("unauthorized_client", .unauthorizedClient, .configuration),
            ]),
        entries(
            "Microsoft identity platform, device authorization grant",
            [("authorization_declined", .accessDenied, .reauthenticationRequired)]),
        entries(
            "RFC 8693, 2.2.2",
            [("invalid_request", .invalidRequest, .configuration), ("invalid_target", .invalidTarget, .configuration)]),
        entries("RFC 8707, 2", [("invalid_target", .invalidTarget, .configuration)]),
        entries(
            "RFC 9101, 7",
            [
                ("invalid_request_uri", .invalidRequestURI, .configuration),
                ("invalid_request_object", .invalidRequestObject, .configuration),
                ("request_not_supported", .unsupported, .configuration),
                ("request_uri_not_supported", .unsupported, .configuration),
            ]),
        entries(
            "RFC 9126, 2.3",
            [
                ("invalid_request", .invalidRequest, .configuration),
                ("invalid_client", .invalidClient, .configuration),
                ("invalid_request_object", .invalidRequestObject, .configuration),
            ]),
        entries("RFC 9396, 5", [("invalid_authorization_details", .invalidAuthorizationDetails, .configuration)]),
        entries(
            "RFC 9449, 5, 7.1 and 8",
            [
                ("invalid_dpop_proof", .invalidDPoPProof, .configuration),
                ("use_dpop_nonce", .useDPoPNonce, .transient),
            ]),
        entries(
            "RFC 9470, 3",
            [("insufficient_user_authentication", .insufficientUserAuthentication, .reauthenticationRequired)]),
        entries(
            "OpenID Connect Core, 3.1.2.6",
            [
                ("interaction_required", .interactionRequired, .reauthenticationRequired),
                ("login_required", .loginRequired, .reauthenticationRequired),
                ("account_selection_required", .accountSelectionRequired, .reauthenticationRequired),
                ("consent_required", .consentRequired, .reauthenticationRequired),
                ("invalid_request_uri", .invalidRequestURI, .configuration),
                ("invalid_request_object", .invalidRequestObject, .configuration),
                ("request_not_supported", .unsupported, .configuration),
                ("request_uri_not_supported", .unsupported, .configuration),
                ("registration_not_supported", .unsupported, .configuration),
            ]),
        entries(
            "OpenID Connect Core Error Code unmet_authentication_requirements 1.0",
            [("unmet_authentication_requirements", .insufficientUserAuthentication, .reauthenticationRequired)]),
    ].flatMap { $0 }

    @Test("each error has a code and a kind of its own, and says what to do", arguments: table)
    func entry(_ entry: Entry) {
        let response = OAuthErrorResponse(error: entry.name)
        #expect(response.code == entry.code)
        #expect(AuthStateError(response.code, stage: .token, "").kind == entry.kind)
        #expect(response.hint(at: .token)?.hasSuffix(".") == true)
    }

    /// The other codes of IANA's registry "OAuth Extensions Error": User-Managed Access, ACE (RFC 9200), OpenID
    /// Federation, and OpenID for Verifiable Presentations.
    static let unspokenCodes = [
        "need_info", "request_denied", "request_submitted", "unsupported_pop_key", "incompatible_ace_profiles",
        "invalid_issuer", "invalid_subject", "invalid_trust_anchor", "invalid_trust_chain", "invalid_metadata",
        "not_found",
        "unsupported_parameter", "vp_formats_not_supported", "invalid_request_uri_method", "wallet_unavailable",
    ]

    @Test(
        "a code of a specification that is not spoken here is the provider's own, and is still to be read",
        arguments: unspokenCodes)
    func unspoken(_ name: String) throws {
        let request = try Fixtures.request()
        let error = try #require(refusal { try Fixtures.response("error=\(name)&state=\(request.state)", to: request) })
        #expect(error.code == .providerError && error.response?.error == name && error.message.contains(name))
    }

    @Test("each error is read from the authorization endpoint's answer too", arguments: table)
    func authorizationResponse(_ entry: Entry) throws {
        let request = try Fixtures.request()
        let error = refusal { try Fixtures.response("error=\(entry.name)&state=\(request.state)", to: request) }
        #expect(error?.code == entry.code && error?.kind == entry.kind && error?.stage == .authorization)
        #expect(error?.response?.error == entry.name)
    }
}

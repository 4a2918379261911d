extension AuthStateError {
    /// The check that failed. New codes may be added: switch over `kind` when you need to handle them all.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The code's name, as the CLI prints it.
        public var rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name.
        public var description: String { rawValue }
    }

    /// The reaction that a code asks of the program: wait, log in again, correct the configuration, and so on.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The call was wrong.
        case usage
        /// The discovery, client, redirect or registration set-up has to be corrected.
        case configuration
        /// The provider's answer failed a check or made no sense.
        case refused
        /// The provider is unreachable or failing: try again later.
        case transient
        /// The store is locked, or cannot be read or written.
        case store
        /// The user has to log in (again).
        case reauthenticationRequired
        /// A protected resource answered with an error.
        case resource
        /// The user or the program cancelled.
        case cancelled
    }

    /// The reaction that the code asks of the program.
    public var kind: Kind { Code.kinds[code] ?? .refused }
}

extension AuthStateError.Code {
    private static func known(_ name: String) -> Self { Self(rawValue: name) }

    /// An argument cannot be used.
    public static let invalidArgument = known("invalidArgument")
    /// The redirect URI is not absolute, has a fragment, or does not fit the user agent.
    public static let invalidRedirectURI = known("invalidRedirectURI")
    /// The issuer has a query, a fragment, or is no http(s) URL.
    public static let invalidIssuer = known("invalidIssuer")
    /// A URL is not https and its host is not loopback.
    public static let insecureURL = known("insecureURL")
    /// A URL from outside leads to an address that is not public, see `AddressPolicy`.
    public static let addressNotAllowed = known("addressNotAllowed")
    /// The discovery document names another issuer than the one asked for.
    public static let issuerMismatch = known("issuerMismatch")
    /// A protected resource's metadata name another resource than the one asked for (RFC 9728, section 3.3).
    public static let resourceMismatch = known("resourceMismatch")
    /// A client that belongs to one authorization server cannot be used at another, which the resource names now.
    public static let clientIssuerMismatch = known("clientIssuerMismatch")
    /// The issuer that an identifier led to is not an allowed one.
    public static let issuerNotAllowed = known("issuerNotAllowed")
    /// The discovery document does not exist at its well-known place.
    public static let discoveryFailed = known("discoveryFailed")
    /// The metadata lacks a member that is needed, or a member is malformed.
    public static let invalidMetadata = known("invalidMetadata")
    /// The provider has no endpoint for this.
    public static let endpointMissing = known("endpointMissing")
    /// The provider lists its PKCE methods, and S256 is not among them.
    public static let pkceUnsupported = known("pkceUnsupported")
    /// The provider or this library does not support a requested feature.
    public static let unsupported = known("unsupported")
    /// `invalid_client`: the provider does not know the client or its secret.
    public static let invalidClient = known("invalidClient")
    /// `unauthorized_client`.
    public static let unauthorizedClient = known("unauthorizedClient")
    /// `unsupported_grant_type`.
    public static let unsupportedGrantType = known("unsupportedGrantType")
    /// `unsupported_response_type`.
    public static let unsupportedResponseType = known("unsupportedResponseType")
    /// `invalid_scope`.
    public static let invalidScope = known("invalidScope")
    /// `invalid_request`.
    public static let invalidRequest = known("invalidRequest")
    /// `invalid_target` (RFC 8707, RFC 8693): a resource or audience that the provider does not know or does not serve;
    /// `invalid_grant` for tokens beside the default ones.
    public static let invalidTarget = known("invalidTarget")
    /// `invalid_authorization_details` (RFC 9396).
    public static let invalidAuthorizationDetails = known("invalidAuthorizationDetails")
    /// `invalid_request_uri` (RFC 9101): the provider cannot use the reference to a request.
    public static let invalidRequestURI = known("invalidRequestURI")
    /// `invalid_request_object` (RFC 9101): the provider cannot use the signed request.
    public static let invalidRequestObject = known("invalidRequestObject")
    /// `expired_login_hint_token` (CIBA Core): the token that names the user has expired.
    public static let expiredLoginHintToken = known("expiredLoginHintToken")
    /// `unknown_user_id` (CIBA Core): the provider knows no user by the hint.
    public static let unknownUserID = known("unknownUserID")
    /// `invalid_binding_message` (CIBA Core): the provider cannot show this message.
    public static let invalidBindingMessage = known("invalidBindingMessage")
    /// `invalid_dpop_proof` (RFC 9449): the proof that goes with a token is refused.
    public static let invalidDPoPProof = known("invalidDPoPProof")
    /// `unsupported_token_type` (RFC 7009): the provider cannot revoke tokens of this kind.
    public static let revocationUnsupported = known("revocationUnsupported")
    /// `invalid_redirect_uri` (RFC 7591).
    public static let registrationRedirectURIRefused = known("registrationRedirectURIRefused")
    /// `invalid_client_metadata` (RFC 7591).
    public static let invalidClientMetadata = known("invalidClientMetadata")
    /// `invalid_software_statement` (RFC 7591).
    public static let invalidSoftwareStatement = known("invalidSoftwareStatement")
    /// `unapproved_software_statement` (RFC 7591).
    public static let unapprovedSoftwareStatement = known("unapprovedSoftwareStatement")
    /// Only some clients may register (RFC 7591, section 3): the initial access token is missing, or was refused.
    public static let initialAccessTokenRejected = known("initialAccessTokenRejected")
    /// The registration access token was refused (RFC 7592): it was replaced, or the client is gone.
    public static let registrationTokenRejected = known("registrationTokenRejected")
    /// A secret, key or certificate is referred to (an environment variable, a file) and is not there, or does not fit.
    public static let credentialUnavailable = known("credentialUnavailable")
    /// A stored state that others can write would have the client's credential read or sent where the program did not say.
    public static let credentialWithheld = known("credentialWithheld")
    /// The loopback port is in use.
    public static let portInUse = known("portInUse")
    /// The browser could not be opened.
    public static let browserUnavailable = known("browserUnavailable")
    /// A system library is missing.
    public static let libraryUnavailable = known("libraryUnavailable")
    /// TLS failed: the certificate is not trusted.
    public static let insecureConnection = known("insecureConnection")
    /// `state` was absent or different.
    public static let stateMismatch = known("stateMismatch")
    /// `iss` in the authorization response was absent or different (RFC 9207).
    public static let issuerParameterMismatch = known("issuerParameterMismatch")
    /// A parameter came twice.
    public static let duplicateParameter = known("duplicateParameter")
    /// The callback is not at the redirect URI.
    public static let callbackMismatch = known("callbackMismatch")
    /// The pending authorization was used before, or is too old.
    public static let authorizationExpired = known("authorizationExpired")
    /// The one-time address for the browser was opened a second time, perhaps by another user of the machine.
    public static let openedTwice = known("openedTwice")
    /// The answer violates the specification.
    public static let malformedResponse = known("malformedResponse")
    /// The answer had more bytes than allowed.
    public static let responseTooLarge = known("responseTooLarge")
    /// The endpoint answered with a redirect, which is never followed.
    public static let redirected = known("redirected")
    /// The token type is not the one asked for.
    public static let unsupportedTokenType = known("unsupportedTokenType")
    /// A check of the ID token failed.
    public static let invalidIDToken = known("invalidIDToken")
    /// A signature is wrong, or no key fits.
    public static let invalidSignature = known("invalidSignature")
    /// A check of a signed authorization response (JARM) failed.
    public static let invalidAuthorizationResponse = known("invalidAuthorizationResponse")
    /// A check of signed userinfo failed.
    public static let invalidUserInfo = known("invalidUserInfo")
    /// A check of a logout token failed.
    public static let invalidLogoutToken = known("invalidLogoutToken")
    /// Userinfo speaks of another user than the ID token.
    public static let subjectMismatch = known("subjectMismatch")
    /// Another account logged in than the one that a request is repeated for.
    public static let accountChanged = known("accountChanged")
    /// No connection to the provider.
    public static let unreachable = known("unreachable")
    /// The exchange took too long.
    public static let timedOut = known("timedOut")
    /// The connection broke before the whole answer came.
    public static let connectionLost = known("connectionLost")
    /// The provider failed (5xx, `server_error`).
    public static let serverError = known("serverError")
    /// `temporarily_unavailable`, or 429.
    public static let temporarilyUnavailable = known("temporarilyUnavailable")
    /// `authorization_pending` (RFC 8628; CIBA Core): the user has not decided yet.
    public static let authorizationPending = known("authorizationPending")
    /// `slow_down` (RFC 8628; CIBA Core): ask less often.
    public static let slowDown = known("slowDown")
    /// `use_dpop_nonce` (RFC 9449): ask once more with the nonce that came along.
    public static let useDPoPNonce = known("useDPoPNonce")
    /// Another lease holder has the state.
    public static let storeLocked = known("storeLocked")
    /// The device is locked, and the stored state with it: nothing is lost, and it can be read after the next unlock.
    public static let deviceLocked = known("deviceLocked")
    /// The state cannot be read.
    public static let storeUnreadable = known("storeUnreadable")
    /// The state cannot be written.
    public static let storeUnwritable = known("storeUnwritable")
    /// The state is only read here; another process renews and writes it.
    public static let storeReadOnly = known("storeReadOnly")
    /// The stored state is malformed; it was left as it is.
    public static let storeCorrupt = known("storeCorrupt")
    /// The stored state was written by a newer version.
    public static let storeTooNew = known("storeTooNew")
    /// Other users than the owner can read the stored state; only ever a warning.
    public static let storeExposed = known("storeExposed")
    /// Another user owns the stored state's file or folder, or can change it.
    public static let storeUntrusted = known("storeUntrusted")
    /// Another writer changed the stored state in between.
    public static let storeConflict = known("storeConflict")
    /// No user is logged in.
    public static let notLoggedIn = known("notLoggedIn")
    /// `access_denied`: the user refused.
    public static let accessDenied = known("accessDenied")
    /// `invalid_grant`: the code or the refresh token is expired, revoked, or was used before.
    public static let invalidGrant = known("invalidGrant")
    /// `expired_token` (RFC 8628; CIBA Core): the login was not confirmed in time, with the device's code or otherwise.
    public static let deviceCodeExpired = known("deviceCodeExpired")
    /// `missing_user_code` (CIBA Core): the provider asks this user only with the code that they share with it.
    public static let missingUserCode = known("missingUserCode")
    /// `invalid_user_code` (CIBA Core): that code is wrong.
    public static let invalidUserCode = known("invalidUserCode")
    /// `transaction_failed` (CIBA Core): the login failed for a reason without an error code of its own.
    public static let transactionFailed = known("transactionFailed")
    /// A renewal was refused without a readable reason; the grant is kept.
    public static let refusedWithoutReason = known("refusedWithoutReason")
    /// The access token cannot be renewed: there is no refresh token.
    public static let noRefreshToken = known("noRefreshToken")
    /// A protected resource refused the access token, also after a renewal.
    public static let tokenRejected = known("tokenRejected")
    /// `login_required` (OpenID Connect Core, section 3.1.2.6): the user has no session at the provider.
    public static let loginRequired = known("loginRequired")
    /// `consent_required` (OpenID Connect Core, section 3.1.2.6): the user has to allow the access on a page.
    public static let consentRequired = known("consentRequired")
    /// `account_selection_required` (OpenID Connect Core, section 3.1.2.6): the user has several sessions.
    public static let accountSelectionRequired = known("accountSelectionRequired")
    /// `interaction_required` (OpenID Connect Core, section 3.1.2.6): some other page has to be shown.
    public static let interactionRequired = known("interactionRequired")
    /// `insufficient_user_authentication` (RFC 9470): log in again, with the parameters of the challenge;
    /// `unmet_authentication_requirements` (OpenID Connect Core Error Code unmet_authentication_requirements 1.0).
    public static let insufficientUserAuthentication = known("insufficientUserAuthentication")
    /// `insufficient_scope` (RFC 6750).
    public static let insufficientScope = known("insufficientScope")
    /// An OAuth error code that this library does not know.
    public static let providerError = known("providerError")
    /// The login was cancelled.
    public static let cancelled = known("cancelled")
    /// The user closed the window of the login or logout, or refused to let the app open it.
    public static let userCancelled = known("userCancelled")
}

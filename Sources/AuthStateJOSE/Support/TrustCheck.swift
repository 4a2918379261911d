/// A check without which something false would be believed; each check alone stops an attack.
///
/// The tests turn the checks off, one at a time, and require that exactly the attacks of that check then succeed: this
/// reveals a check that nothing depends on, or that another one hides. Only debug builds can turn a check off.
package enum TrustCheck: String, Sendable, CaseIterable {
    // ID tokens; sections of OpenID Connect Core 1.0 unless another document is named.
    /// 3.1.3.3: with the scope `openid` there is an ID token.
    case idTokenPresent
    /// RFC 8725, 3.11: `typ` names no other kind of token.
    case idTokenType
    /// RFC 8417, 4: there is no `events`, so that no logout token passes for an ID token.
    case idTokenEvent
    /// 3.1.3.7, 2: `iss` is the issuer.
    case idTokenIssuer
    /// 2: `sub` has 1 to 255 ASCII characters.
    case idTokenSubject
    /// 3.1.3.7, 3: `aud` names the client.
    case idTokenAudience
    /// 3.1.3.7, 3: every other audience is trusted, when the policy names those that are.
    case idTokenTrustedAudiences
    /// 3.1.3.7, 4 and 5: `azp` is the client, and present beside several audiences.
    case idTokenAuthorizedParty
    /// 3.1.3.7, 7; 3.3.2.11: without a signature only when asked for by name, and never through the browser.
    case idTokenUnsigned
    /// 3.1.3.7, 9: `exp` is in the future.
    case idTokenExpiry
    /// 2: `iat` is present.
    case idTokenIssueTime
    /// 3.1.3.7, 10: `iat` is not in the future.
    case idTokenFromFuture
    /// 3.1.3.7, 10: `iat` is not long ago.
    case idTokenTooOld
    /// RFC 7519, 4.1.5: `nbf` is past.
    case idTokenNotBefore
    /// 3.1.3.7, 11; 12.2: `nonce` is the request's.
    case idTokenNonce
    /// 3.1.3.7, 12; 5.5.1.1: `acr` is among those that are required.
    case idTokenContextClass
    /// 3.1.3.7, 13: `auth_time` is within `max_age`.
    case idTokenAuthenticationTime
    /// 3.1.3.8: `at_hash` is the access token's.
    case idTokenAccessTokenHash
    /// 3.1.3.8; 3.2.2.9: `at_hash` is present when the policy requires it.
    case idTokenAccessTokenHashPresent
    /// 3.3.2.11: `c_hash` is present and the code's.
    case idTokenCodeHash
    /// 3.3.3.6: both ID tokens of a login have the same `sub`.
    case idTokenSameSubject
    /// 12.2: `sub` stays.
    case idTokenKeepsSubject
    /// 12.2: `aud` stays.
    case idTokenKeepsAudience
    /// 12.2: `azp` stays.
    case idTokenKeepsAuthorizedParty
    /// 12.2: `auth_time` stays.
    case idTokenKeepsAuthenticationTime
    /// Where the issuer is a template: `tid`, which fills it, is a tenant's GUID (Microsoft, validate the issuer).
    case idTokenTenant
    /// Where the issuer is a template: the key that signed is not another issuer's (Microsoft, validate the issuer).
    case idTokenKeyIssuer
    /// 12.2; 3.3.3.6: `iss` stays, where the issuer is a template.
    case idTokenKeepsTenant

    // JOSE: encodings, tokens, keys and signatures
    /// base64url: no padding, no white space, no character of another alphabet (RFC 7515, section 2).
    case base64URLAlphabet
    /// base64url: nothing is left over at the end, so that no two texts mean the same bytes (RFC 4648, section 3.5).
    case base64URLRemainder
    /// JSON: no object has a member twice (RFC 7515, section 4; RFC 7519, section 4).
    case duplicateMembers
    /// Token: exactly three parts (RFC 7515, section 7.1).
    case tokenParts
    /// Token: `crit` names nothing, as no extension is understood (RFC 7515, section 4.1.11).
    case criticalHeader
    /// Token: `alg` is one that the caller accepts (RFC 8725, section 3.1).
    case allowedAlgorithm
    /// Token: only keys of the token's `kid` are tried (RFC 7515, section 4.1.4).
    case keyID
    /// Key: its type and curve are the algorithm's (RFC 8725, section 3.1).
    case keyType
    /// Key: its `alg`, if any, is the token's (RFC 7517, section 4.4).
    case keyAlgorithm
    /// Key: its `use`, if any, is `sig` (RFC 7517, section 4.2).
    case keyUse
    /// Key: its `key_ops`, if any, have the operation (RFC 7517, section 4.3).
    case keyOperations
    /// Key: RSA moduli have 2048 to 16384 bits (RFC 7518, section 3.3).
    case rsaKeyLength
    /// Key: RSA exponents are odd, at least 3, and have at most 64 bits (RFC 8017, section 3.1).
    case rsaExponent
    /// Key: a symmetric key in a published set is not used, because it is not secret (RFC 7517, section 9.1).
    case publishedSecret
    /// Key: a symmetric one is not empty (RFC 7518, section 3.2).
    case emptySecret
    /// A client's secret is no shorter than the hash that it is used with (RFC 7518, section 3.2).
    case shortSecret
    /// Signature: its length is the key's (RFC 7518, sections 3.2 to 3.5; RFC 8037, section 3.1).
    case signatureLength
    /// Signature: it is the key's over the content (RFC 7515, section 5.2).
    case signature

    // Discovery
    /// An issuer has no user, query and fragment (Core 1.2; RFC 8414, 2).
    case issuerForm
    /// The metadata document names the issuer that was asked for (Discovery 4.3; RFC 8414, 3.3).
    case metadataIssuer
    /// A protected resource's metadata name the resource that was asked for (RFC 9728, 3.3).
    case resourceName
    /// A resource's signed metadata are valid now (RFC 7519, 4.1.4 and 4.1.5).
    case signedMetadataTimes
    /// Where a resource named the authorization server, that server's metadata list S256 (MCP, Authorization).
    case promisedPKCE
    /// Where a resource named the authorization server, and others may know the client too, that server promises `iss` or has
    /// its page at its own origin (RFC 9700, 4.4).
    case ownAnswers
    /// A client that is known to one authorization server is used at no other one (MCP, Authorization).
    case resourceClient
    /// Where a client belongs outlives a sweep of the logins (MCP, Authorization).
    case sweptBinding
    /// A server that a client registers at gives it no identifier that the program has elsewhere (MCP, Authorization).
    case registeredIdentifier
    /// A token that permits registrations goes to the authorization server that it is for (RFC 7591, 3).
    case registrationIssuer
    /// An assertion of a user's identity is one, and no other token that a provider issued in its place is shown to another
    /// server (draft-ietf-oauth-identity-assertion-authz-grant, 4.3.3).
    case identityAssertionType
    /// An assertion that is signed for one authorization server reaches no other one (RFC 7521, 8.3).
    case assertionIssuer
    /// The login under a resource's key is that resource's: another one's tokens do not go to it.
    case resourceKey
    /// A pending login is completed by an access to the resource that it is for.
    case pendingResource
    /// The identifier of a resource has no user and no fragment (RFC 8707, 2; RFC 9728, 1.2).
    case resourceForm
    /// A client's metadata document is at an https URL that can name a client (draft client-id-metadata-document, 3).
    case documentURL
    /// A client's metadata document names its own URL as the client (draft client-id-metadata-document, 3).
    case documentClient
    /// A client's metadata document, which is public, has no secret and no private key (the same draft, 4.1).
    case documentSecret
    /// A client with a metadata document does not authenticate with a shared secret (the same draft, 4.1).
    case documentMethod
    /// Requests for a resource, whose challenges are followed, go to its origin (RFC 9728, 7.6).
    case resourceOrigin
    /// The challenge of another origin than the resource's leads to no login (RFC 9728, 7.6).
    case challengeOrigin
    /// A resource that lists how it takes tokens lists the Authorization header (RFC 9728, 2; RFC 6750, 2).
    case bearerMethod
    /// The authorization server that a program chooses is one that the resource names (RFC 9728, 2).
    case chosenServer
    /// A right that is never granted, and an operation that stays refused, lead to a bounded number of logins (MCP,
    /// Authorization).
    case stepUpBound
    /// A metadata document behind a redirect is at the same origin: another one may be a stranger's (RFC 8414, 3).
    case metadataRedirect
    /// The document that completes another one names the same issuer (RFC 8414, 3.3).
    case completingIssuer
    /// An endpoint is https, or http on this machine beside an issuer on this machine (RFC 8414, 2; RFC 9700, 4.15).
    case endpointTLS
    /// A remote provider names no endpoint on this machine (RFC 9700, 4.12).
    case endpointHost
    /// A URL that comes from outside leads to a public address (RFC 6890; RFC 9728, 7.7).
    case publicAddress
    /// An issuer that arrives from outside is one of those that the program allows (Discovery 7.2).
    case issuerAllowList

    // Userinfo
    /// `sub` is the ID token's (Core 5.3.2).
    case userInfoSubject
    /// Userinfo is signed when the program requires it (Core 5.3.2).
    case userInfoIsSigned
    /// Signed userinfo: the signature is the provider's (Core 5.3.4).
    case userInfoSignature
    /// Signed userinfo: `typ` names no other kind of token (RFC 8725, 3.11).
    case userInfoType
    /// Signed userinfo: there is no `events`, so that no logout token passes for userinfo (RFC 8417, 4).
    case userInfoEvent
    /// Signed userinfo: `iss` is the issuer (Core 5.3.2).
    case userInfoIssuer
    /// Signed userinfo: `aud` contains the client (Core 5.3.2).
    case userInfoAudience
    /// Signed userinfo: `exp`, if present, is in the future (RFC 7519, 4.1.4).
    case userInfoExpiry
    /// Signed userinfo: `nbf`, if present, is in the past (RFC 7519, 4.1.5).
    case userInfoNotBefore
    /// The endpoint of distributed claims is https (Core 5.6.2).
    case claimSourceTLS

    // Authorization request
    /// PKCE: a provider that lists its methods has S256 among them (RFC 9700, 2.1.1).
    case challengeMethod
    /// Hybrid flow: the request has a nonce (OpenID Connect Core, 3.3.2.11).
    case hybridNonce

    // Authorization response
    /// The callback is at the request's redirect URI (RFC 9700, 4.4.2.2).
    case callbackPlace
    /// The redirect URI's own query comes back, each pair once and unchanged (RFC 9700, 4.4.2.2).
    case callbackQuery
    /// A code comes by the response mode that was asked for (OAuth 2.0 Multiple Response Types, 2.1), and signed where that
    /// was asked for (JARM, 2.3).
    case callbackMode
    /// No parameter comes twice (RFC 6749, 3.1).
    case callbackParameters
    /// `state` is the request's, in errors too (RFC 6749, 10.12; RFC 9700, 4.7).
    case callbackState
    /// `iss`, when it is sent, is the issuer (RFC 9207, 2.4).
    case callbackIssuer
    /// `iss` is sent when the provider promises it, unless an ID token names the issuer (RFC 9207, 2.4 and 4).
    case callbackIssuerPresence
    /// Hybrid flow: the answer brings the ID token that ties the code to it (OpenID Connect Core, 3.3.2.5).
    case callbackIDToken
    /// Signed answer: the signature is the provider's, by an algorithm with a public key (JARM, 2.4).
    case signedResponseSignature
    /// Signed answer: `typ` names no other kind of token (RFC 8725, 3.11).
    case signedResponseType
    /// Signed answer: `iss` is the issuer (JARM, 2.4).
    case signedResponseIssuer
    /// Signed answer: `aud` names the client (JARM, 2.4).
    case signedResponseAudience
    /// Signed answer: `exp` is present and in the future (JARM, 2.4).
    case signedResponseExpiry
    /// Signed answer: `nbf`, if present, is past (RFC 7519, 4.1.5).
    case signedResponseNotBefore
    /// A login is completed within ten minutes.
    case pendingExpiry
    /// A login is completed once (RFC 6749, 10.5).
    case pendingUse

    // Logging in again
    /// The account that logs in for a repeated request is the one that the request was made for: `iss` and `sub` are
    /// the same (Core 5.7).
    case reauthorizedAccount

    // Registration
    /// A read or changed registration is that of this client (RFC 7592, 3).
    case registrationClient

    // Device authorization
    /// A verification URI is a page: http or https, with a plain host, and no user (RFC 8628, 3.2).
    case deviceVerificationURI
    /// A user code prints as it is, so that it cannot drive the terminal it is shown on (RFC 8628, 3.3).
    case deviceUserCode

    // Logout
    /// The callback is at the post-logout redirect URI (RP-Initiated Logout, 3).
    case logoutPlace
    /// The post-logout redirect URI's own query comes back, each pair once and unchanged (RP-Initiated Logout, 3).
    case logoutQuery
    /// `state` is the request's (RP-Initiated Logout, 3).
    case logoutState

    // Logout token; sections of OpenID Connect Back-Channel Logout 1.0
    /// 2.4; RFC 8725, 3.11: `typ` names no other kind of token.
    case logoutTokenType
    /// 2.6, 4: `iss` is the issuer.
    case logoutTokenIssuer
    /// 2.6, 4: `aud` names the client.
    case logoutTokenAudience
    /// 2.6, 4: `iat` is now.
    case logoutTokenTimes
    /// 2.6, 4: `exp` is in the future.
    case logoutTokenExpiry
    /// 2.6, 5: `sub` or `sid` names the user or session.
    case logoutTokenSubject
    /// 2.6, 6: `events` says that this is a logout.
    case logoutTokenEvent
    /// 2.6, 7: there is no `nonce`, so that no ID token passes for a logout token.
    case logoutTokenNonce
    /// 2.4: `jti` is present, so that a token is accepted once.
    case logoutTokenID
    /// 2.7: a session that the provider ended before its login was complete is not kept.
    case endedSession
    /// A state's key is not that of an entry of the index, which users could overwrite by a name that they choose.
    case indexKey

    // Login by a third party
    /// The issuer is one of those that the program allows (OpenID Connect Core, 4).
    case thirdPartyIssuer

    // Loopback receiver
    /// `Host` is the redirect URI's: a foreign DNS name that resolves to this machine is refused (RFC 8252, 8.10).
    case loopbackHost
    /// A browser arrives by navigation, not by a script or an image of another page (Fetch Metadata, 2.2).
    case loopbackNavigation
    /// A browser arrives with a page of its own, not in a frame of another one (Fetch Metadata, 2.1).
    case loopbackDocument
    /// An answer that is handed over, a fragment or a form, is posted by our own page (RFC 6454, 7).
    case loopbackFormOrigin
    /// The one-time address leads one browser to the provider's page (RFC 8252, 8.3).
    case loopbackEntrance
    /// An answer comes from the browser that opened the one-time address, and has its cookie (RFC 8252, 8.3).
    case loopbackCookie
    /// An answer at the port names the `state` of the request; any other one ends nothing (RFC 8252, 8.9).
    case loopbackState

    // Token responses and access tokens.
    /// Only a 200 brings tokens; no redirect does (RFC 6749, 5.1; RFC 9700, 4.12).
    case tokenResponseStatus
    /// An answer with `error` is an error, whatever else is in it (RFC 6749, 5.2).
    case tokenResponseError
    /// `access_token` is visible ASCII, so that it cannot write a header of its own (RFC 6749, A.12).
    case tokenResponseAccessToken
    /// `token_type` is one that can be used (RFC 6749, 7.1).
    case tokenResponseType
    /// The response to a request with a DPoP key is bound to that key, and is no bearer token (RFC 9449, 5).
    case tokenResponseDowngrade
    /// `refresh_token` is visible ASCII (RFC 6749, A.17).
    case tokenResponseRefreshToken
    /// `expires_in` is a number of seconds; any other value does not mean an unlimited lifetime (RFC 6749, 5.1 and
    /// A.14).
    case tokenResponseLifetime
    /// A bearer token travels over TLS, or on this machine (RFC 6750, 5.3).
    case bearerTransport
    /// A bearer token goes only to the origins that were named, when some were (RFC 9700, 4.9).
    case bearerOrigin

    /// Only the origins that were named, when some were, end a login by refusing its access token.
    case rejectionOrigin

    // Stored states and credentials
    /// The client's credential goes only to origins that the program named, where others can write the stored state.
    case credentialOrigin
    /// A secret is not read when only a stored state that others can write names its place.
    case credentialReference
    /// A stored state, its folder and its lock: no other user can have written them.
    case storeOwnership
    /// A link on the way to a state, in a folder that others can write, is not another user's.
    case storeLink
    /// A file that holds a secret or a private key: no other user can read or write it.
    case secretFile
    /// What is sent as an assertion is one, and not a key or secret in its place (RFC 7523, 3).
    case assertionForm

    /// Whether the check is made: always, unless a test turned it off around this task.
    package var isOn: Bool {
        #if DEBUG
            Self.recorder?(self)
            return Self.turnedOff != self
        #else
            return true
        #endif
    }

    #if DEBUG
        /// The check that the tests have turned off in this task.
        @TaskLocal package static var turnedOff: TrustCheck?
        /// Receives each check that is reached in this task.
        @TaskLocal package static var recorder: (@Sendable (TrustCheck) -> Void)?
    #endif

    /// Whether a condition holds, or need not hold because the check is turned off.
    package func holds(_ condition: @autoclosure () throws -> Bool) rethrows -> Bool {
        try !isOn || condition()
    }
}

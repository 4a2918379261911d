/// A known deviation of a provider from the specifications, accepted only when asked for by name.
public struct Tolerance: RawRepresentable, Sendable, Hashable, Codable {
    /// The name.
    public let rawValue: String
    /// Makes a tolerance.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A token response without `token_type`.
    public static let missingTokenType = Tolerance(rawValue: "missingTokenType")
    /// A `token_type` of `access_token` where `Bearer` is meant (RFC 6749, section 7.1).
    public static let accessTokenType = Tolerance(rawValue: "accessTokenType")
    /// `client_id` stands in the form too where HTTP Basic has it, because the provider demands it.
    public static let clientIDBesideBasic = Tolerance(rawValue: "clientIDBesideBasic")
    /// An ID token without the nonce that was sent, in the code flow alone: PKCE with S256 then ties the code to the login.
    ///
    /// Not where the provider's metadata name no S256, and never in the hybrid flow. A nonce that is there has to be the
    /// request's all the same.
    public static let missingNonce = Tolerance(rawValue: "missingNonce")
    /// The ID token of a renewal has another `aud` or `azp` than the one before (OpenID Connect Core, section 12.2): the provider
    /// adds services that the user may use. This client has to be among them all the same.
    public static let changedAudience = Tolerance(rawValue: "changedAudience")
    /// Client assertions are for the URL of the endpoint that they go to, instead of the issuer (RFC 7523, section 3).
    public static let endpointAudience = Tolerance(rawValue: "endpointAudience")
    /// The `typ` of client assertions is `JWT`, as before RFC 7523 was updated: some providers accept no other.
    public static let plainAssertionType = Tolerance(rawValue: "plainAssertionType")
    /// The provider accepts a refresh token for some seconds after it was exchanged: a renewal whose answer was lost is sent once
    /// more at once. Where the provider does not, the second use of a token may revoke the grant.
    public static let refreshTokenGrace = Tolerance(rawValue: "refreshTokenGrace")
    /// Identifier and secret go into HTTP Basic as they are, where RFC 6749, section 2.3.1, has them form-encoded first.
    public static let unencodedBasic = Tolerance(rawValue: "unencodedBasic")
    /// The client's secret is shorter than the hash that it signs or verifies with (RFC 7518, section 3.2): 32 bytes for HS256.
    ///
    /// Such a secret can be found by trial from a single signature.
    public static let shortSecret = Tolerance(rawValue: "shortSecret")
    /// Scopes are separated by commas in requests, instead of spaces (RFC 6749, section 3.3).
    public static let commaSeparatedScopes = Tolerance(rawValue: "commaSeparatedScopes")
    /// Scopes are separated by commas in answers; they are remembered with spaces.
    public static let commaSeparatedGrants = Tolerance(rawValue: "commaSeparatedGrants")
    /// Answers with tokens or codes are form-encoded, with that `Content-Type`, instead of JSON (RFC 6749, section
    /// 5.1).
    public static let formEncodedTokens = Tolerance(rawValue: "formEncodedTokens")
    /// GitHub's own error codes, which are taken for those of OAuth that mean the same.
    public static let gitHubErrors = Tolerance(rawValue: "gitHubErrors")
    /// `error` is an object with a number, as Facebook's Graph API has it, instead of a code (RFC 6749, section 5.2).
    public static let errorObjects = Tolerance(rawValue: "errorObjects")
    /// Errors are a list of resources, fields and codes, as Strava's API has it, instead of a code.
    public static let errorLists = Tolerance(rawValue: "errorLists")
    /// The metadata's issuer is a template with `{tenantid}`, as Microsoft has it for many tenants.
    ///
    /// An ID token's `iss` then has to be the template filled with the token's own `tid`, which has to be a GUID.
    public static let tenantIssuer = Tolerance(rawValue: "tenantIssuer")
    /// A protected resource's metadata name a path above the resource's, at the same origin, instead of the resource (RFC
    /// 9728, section 3.3): tokens are then requested for that path.
    public static let parentResource = Tolerance(rawValue: "parentResource")
    /// An authorization server that a resource named has its page at another origin than its issuer's, and does not promise
    /// `iss` in its answers (RFC 9207): a client that other servers know too is used there all the same.
    public static let foreignAuthorizationEndpoint = Tolerance(rawValue: "foreignAuthorizationEndpoint")
    /// An authorization server refuses the parameter `resource` (RFC 8707, section 2), as Microsoft's does: requests for a
    /// protected resource go without it.
    ///
    /// The resource gets a token that other resources of the server may take, too.
    public static let unnamedResource = Tolerance(rawValue: "unnamedResource")
    /// A pushed request names the DPoP key (`dpop_jkt`) and goes without a proof (RFC 9449, section 10.1, has both ways):
    /// the provider wants a nonce in the proof there, and does not say which.
    public static let unprovenPush = Tolerance(rawValue: "unprovenPush")
    /// A logout token has no `exp`, as in drafts of Back-Channel Logout 1.0 (glewlwyd): it then ends two minutes after its `iat`.
    public static let missingLogoutExpiry = Tolerance(rawValue: "missingLogoutExpiry")
}

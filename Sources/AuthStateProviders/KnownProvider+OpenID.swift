public import AuthStateOAuth

/// Providers that publish their metadata.
extension KnownProvider {
    /// Google.
    public static let google = KnownProvider(
        "google", title: "Google", .discovery(issuer: "https://accounts.google.com"),
        scopes: [.openID, .profile, .email], tolerances: [.refreshTokenGrace], prompt: [.consent],
        additionalParameters: ["access_type": "offline"],
        redirectRule: .reversedClientID, registration: .google,
        quirks: [
            "A refresh token comes for access_type=offline, not for a scope, and only with a consent.":
                "https://developers.google.com/identity/protocols/oauth2/web-server#offline",
            "A refresh token is not replaced when it is exchanged: a lost answer is asked for again.":
                "https://developers.google.com/identity/protocols/oauth2#expiration",
            "A scheme of an app's own is the client identifier in reverse.":
                "https://developers.google.com/identity/protocols/oauth2/native-app",
            "A device login begins at verification_url, and is pending with status 428.":
                "https://developers.google.com/identity/protocols/oauth2/limited-input-device",
            "Revoking a token that is no longer valid is the error invalid_token.":
                "https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke",
        ])

    /// Apple; the client secret is made by `ClientCredential.appleSecret(teamID:keyID:key:)`.
    public static let apple = KnownProvider(
        "apple", title: "Apple", .discovery(issuer: "https://appleid.apple.com"), scopes: [.openID, "name", .email],
        formPostScopes: ["name", .email], redirectRule: .domainOnly, registration: .apple,
        quirks: [
            "With the scopes name and email the answer comes by form_post only.":
                "https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms",
            "The first login alone brings the user's name, in the unsigned parameter user.":
                "https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms",
            "A user who cancels comes back with the error user_cancelled_authorize.":
                "https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms",
            "The answer goes to https and a domain name only.":
                "https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple",
            "There is no userinfo endpoint: the ID token says all that there is.":
                "https://developer.apple.com/documentation/signinwithapplerestapi/authenticating-users-with-sign-in-with-apple",
            "The client secret is a JWT that the client signs with ES256.":
                "https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret",
        ])

    /// The accounts that may log in at Microsoft.
    public struct Tenant: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The segment of the issuer's path: a word, or the tenant's GUID.
        public let rawValue: String
        /// A tenant by its GUID; the ID tokens' `iss` holds no other name of it.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A tenant by its GUID.
        public init(stringLiteral value: String) { self.init(rawValue: value) }
        /// Accounts of every organization, and personal ones.
        public static let common: Tenant = "common"
        /// Accounts of every organization.
        public static let organizations: Tenant = "organizations"
        /// Personal accounts; they are a tenant of their own.
        public static let consumers: Tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

        /// Whether it stands for many tenants, each of which has its own issuer in ID tokens.
        var isMany: Bool { self == .common || self == .organizations }
    }

    /// Microsoft Entra ID, version 2.0 of its endpoints.
    ///
    /// With `.common` and `.organizations` every organization can log in: check `tid` before you grant access.
    public static func microsoft(tenant: Tenant = .common) -> KnownProvider {
        KnownProvider(
            "microsoft", title: "Microsoft",
            .discovery(issuer: "https://login.microsoftonline.com/\(tenant.rawValue)/v2.0"),
            scopes: [.openID, .profile, .email, .offlineAccess],
            tolerances: tenant.isMany ? [.tenantIssuer, .refreshTokenGrace] : [.refreshTokenGrace],
            redirectRule: .localhostByName, registration: .microsoft,
            quirks: [
                "For many tenants the metadata's issuer is a template, which each ID token's tid fills.":
                    "https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#validate-the-issuer",
                "A key that names an issuer signs the ID tokens of that one alone.":
                    "https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#validate-the-issuer",
                "A port of this machine goes by http://localhost; an empty path comes back as a slash.":
                    "https://learn.microsoft.com/en-us/entra/identity-platform/reply-url",
                "A refresh token stays valid after it was exchanged: a lost answer is asked for again.":
                    "https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens",
                "A declined device login is the error authorization_declined.":
                    "https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-device-code#expected-errors",
            ])
    }

    /// Okta.
    ///
    /// - Parameters:
    ///   - domain: For example `dev-1.okta.com`.
    ///   - authorizationServer: A custom authorization server, for example `default`; nil is the organization's own.
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    public static func okta(domain: String, authorizationServer: String? = nil) throws -> KnownProvider {
        let path = authorizationServer.map { "/oauth2/\(PercentEncoding.uri($0))" } ?? ""
        return KnownProvider(
            "okta", title: "Okta", .discovery(issuer: try base(ofDomain: domain) + path),
            scopes: [.openID, .profile, .email, .offlineAccess], registration: .okta,
            quirks: [
                "Each custom authorization server is an issuer of its own.":
                    "https://developer.okta.com/docs/concepts/auth-servers/"
            ])
    }

    /// Auth0.
    ///
    /// - Parameters:
    ///   - domain: For example `example.eu.auth0.com`.
    ///   - audience: The API that the access token is for; without it the token is opaque, and valid for userinfo only.
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    public static func auth0(domain: String, audience: String? = nil) throws -> KnownProvider {
        var parameters: Parameters = [:]
        parameters["audience"] = audience
        return KnownProvider(
            "auth0", title: "Auth0", .discovery(issuer: try base(ofDomain: domain) + "/"),
            scopes: [.openID, .profile, .email, .offlineAccess], additionalParameters: parameters, registration: .auth0,
            quirks: [
                "The issuer ends in a slash.":
                    "https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery",
                "Which API a token is for is said with audience.":
                    "https://auth0.com/docs/secure/tokens/access-tokens/get-access-tokens",
                "slow_down comes with status 429.":
                    "https://auth0.com/docs/get-started/authentication-and-authorization-flow/device-authorization-flow/call-your-api-using-the-device-authorization-flow",
            ])
    }

    /// Keycloak.
    ///
    /// - Parameters:
    ///   - base: Where it is, for example `https://sso.example`; before version 17 it ends in `/auth`.
    ///   - realm: The realm's name, not percent-encoded.
    /// - Throws: `AuthStateError` with `.invalidIssuer`.
    public static func keycloak(base: String, realm: String) throws -> KnownProvider {
        KnownProvider(
            "keycloak", title: "Keycloak",
            .discovery(issuer: try origin(base) + "/realms/\(PercentEncoding.uri(realm))"),
            scopes: [.openID, .profile, .email], registration: .keycloak,
            quirks: [
                "Each realm is an issuer of its own.": "https://www.keycloak.org/securing-apps/oidc-layers"
            ])
    }

    /// ForgeRock Access Management (Ping Identity).
    ///
    /// - Parameters:
    ///   - base: Where it is, for example `https://tenant.example:443/am`, with a port when its issuer has one.
    ///   - realm: The path of a realm below the root, for example `alpha`; empty is the root itself.
    /// - Throws: `AuthStateError` with `.invalidIssuer`.
    public static func forgeRock(base: String, realm: String = "") throws -> KnownProvider {
        let realms = ["root"] + realm.split(separator: "/").map { PercentEncoding.uri(String($0)) }
        return KnownProvider(
            "forgerock", title: "ForgeRock",
            .discovery(issuer: try origin(base) + "/oauth2" + realms.map { "/realms/\($0)" }.joined()),
            scopes: [.openID, .profile, .email], registration: .forgeRock,
            quirks: [
                "Each realm is an issuer of its own; in the cloud the issuer names port 443.":
                    "https://docs.pingidentity.com/pingam/8/oidc1-guide/rest-api-oidc-discovery.html"
            ])
    }

    /// The origin of a domain that is given without a scheme.
    private static func base(ofDomain domain: String) throws -> String {
        let base = "https://\(domain)"
        guard let issuer = try? Issuer(base), URIReference(issuer.rawValue).path.isEmpty else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "This is not a provider's domain.", expected: "for example op.example",
                received: domain, hint: "Give the host alone, without https:// and without a path.")
        }
        return base
    }

    /// A base URL without a slash at its end.
    private static func origin(_ base: String) throws -> String {
        let issuer = try Issuer(base).rawValue
        return issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }
}

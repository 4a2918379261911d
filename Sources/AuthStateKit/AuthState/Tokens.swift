import AuthStateJOSE
public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens at one moment: immutable, and as cheap to pass around as one reference.
public struct Tokens: Sendable {
    /// The values, shared by all copies.
    final class Storage: Sendable {
        let accessToken: String
        let tokenType: String
        let idToken: String?
        let idTokenTrust: IDTokenTrust?
        let scope: String?
        let expirationDate: Date?
        /// In seconds since 1970.
        let freshUntil: Double
        let policy: BearerPolicy

        init(_ response: TokenResponse, of record: AuthState.Record, leeway: Double, policy: BearerPolicy) {
            freshUntil = response.freshUntil(leeway: leeway)
            accessToken = response.accessToken
            tokenType = response.tokenType
            idToken = record.idToken
            idTokenTrust = record.idTokenTrust
            scope = response.scope ?? record.scope
            expirationDate = response.accessTokenExpirationDate
            self.policy = policy
        }
    }

    let storage: Storage

    /// The access token.
    public var accessToken: String { storage.accessToken }
    /// The last ID token that was verified; for its claims and as `id_token_hint`, not for access.
    public var idToken: String? { storage.idToken }
    /// Why that ID token was believed; nil when it came from outside.
    public var idTokenTrust: IDTokenTrust? { storage.idTokenTrust }
    /// What the access token allows, as far as the provider said it.
    public var scope: String? { storage.scope }
    /// When the access token ends; nil when the provider did not say.
    public var accessTokenExpirationDate: Date? { storage.expirationDate }

    /// The header fields that authorize one request.
    ///
    /// - Throws: `AuthStateError` with `.insecureURL` when the token must not go to this URL.
    public func authorizationHeaders(method: String, url: URL) throws -> TransportHeaders {
        try storage.policy.check(url)
        return ["Authorization": "Bearer \(storage.accessToken)"]
    }
}

extension Tokens: CustomStringConvertible, CustomReflectable {
    /// Scope and expiry, never a token.
    public var description: String {
        "tokens, scope \((scope ?? "unknown").printable()), expiring \(accessTokenExpirationDate.map { "\($0)" } ?? "never")"
    }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description]) }
}

/// Where a bearer token may be sent (RFC 6750, section 5.3).
struct BearerPolicy: Sendable, Hashable {
    /// Whether http to loopback is allowed, which it is when the issuer itself is there.
    var allowsLoopbackHTTP: Bool
    /// Whether http to anywhere is allowed.
    var allowsInsecureHTTP: Bool
    /// Origins such as `https://api.example`; nil allows all.
    var allowedOrigins: Set<String>?

    func check(_ url: URL) throws {
        let parts = URIReference(url.absoluteString)
        let isHTTP = parts.hasScheme("http")
        let isProtected =
            parts.hasScheme("https") || isHTTP && (allowsInsecureHTTP || allowsLoopbackHTTP && parts.isLoopback)
        guard TrustCheck.bearerTransport.holds(isProtected) else {
            throw AuthStateError(
                .insecureURL, stage: .resource, "The access token must not travel over this URL.", expected: "https",
                received: url.redactedDescription,
                hint: "Use https; http is for loopback with a loopback issuer.")
        }
        guard let allowedOrigins else { return }
        let origin = Self.origin(parts)
        guard
            TrustCheck.bearerOrigin.holds(allowedOrigins.contains { Self.origin(URIReference($0)) == origin })
        else {
            throw AuthStateError(
                .insecureURL, stage: .resource, "The access token must not go to this origin.",
                expected: allowedOrigins.sorted().joined(separator: ", "), received: origin)
        }
    }

    /// Scheme, host and port in lower case, the default port left out.
    private static func origin(_ parts: URIReference) -> String {
        let scheme = (parts.scheme ?? "").lowercased()
        let isDefault = parts.port == nil || parts.port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\((parts.host ?? "").lowercased())" + (isDefault ? "" : ":\(parts.port ?? "")")
    }
}

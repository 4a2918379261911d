public import AuthStateFoundation
public import AuthStateJOSE

/// A login that waits for its callback: keep it where only this browser's session reaches it.
///
/// It accepts one callback within ten minutes. It holds the PKCE verifier: treat it as a secret.
public struct PendingAuthorization: Sendable, Hashable, Codable, Redacted {
    /// The request, with its state, nonce and verifier.
    public package(set) var request: AuthorizationRequest
    /// The URL to send the browser to.
    public let url: URL
    /// After this time the callback is refused.
    public let expiresAt: Date
    /// The time until which the browser must have opened `url` of a pushed (RFC 9126, section 2.2) or signed request (RFC 9101), as
    /// far as is known; nil for another one.
    ///
    /// Later steps, such as typing a password, have until `expiresAt`.
    public let urlExpiresAt: Date?

    package init(request: AuthorizationRequest, url: URL, expiresAt: Date, urlExpiresAt: Date?) {
        (self.request, self.url, self.expiresAt, self.urlExpiresAt) = (request, url, expiresAt, urlExpiresAt)
    }

    /// The client that logs in; an archive lacks its credential, which has to be set before the login is completed.
    public var client: Client {
        get { request.client }
        set { request.client = newValue }
    }

    /// The client and the expiry.
    public var description: String { "pending authorization of \(request.client.id), until \(expiresAt)" }
}

extension PendingAuthorization {
    /// Decodes a login; throws `DecodingError` when it lacks its client, as archives of earlier builds do.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.decode(AuthorizationRequest.self, forKey: .request)
        url = try container.decode(URL.self, forKey: .url)
        expiresAt = try container.decode(Date.self, forKey: .expiresAt)
        urlExpiresAt = try container.decodeIfPresent(Date.self, forKey: .urlExpiresAt)
        guard request.hasClient else {
            throw DecodingError.dataCorruptedError(
                forKey: .request, in: container, debugDescription: "without a client")
        }
    }
}

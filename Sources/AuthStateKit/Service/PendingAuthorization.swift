public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// A login that waits for its callback: keep it where only this browser's session reaches it.
///
/// It accepts one callback within ten minutes. It holds the PKCE verifier: treat it as a secret.
public struct PendingAuthorization: Sendable, Hashable, Codable {
    /// The request, with its state, nonce and verifier.
    public internal(set) var request: AuthorizationRequest
    /// The URL to send the browser to.
    public let url: URL
    /// After this time the callback is refused.
    public let expiresAt: Date
    /// The time until which the browser must have opened `url`, for a pushed request (RFC 9126, section 2.2); nil
    /// without such a limit.
    ///
    /// Later steps, such as typing a password, have until `expiresAt`.
    public let urlExpiresAt: Date?

    /// The client that logs in; an archive has it without its credential, which has to be set before the login is
    /// completed.
    public var client: Client {
        get { request.client }
        set { request.client = newValue }
    }
}

extension PendingAuthorization {
    /// Decodes a login.
    ///
    /// - Throws: `DecodingError` when it lacks its client, as archives of earlier builds do.
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

extension PendingAuthorization: Redacted {
    /// The client and the expiry.
    public var description: String { "pending authorization of \(request.client.id), until \(expiresAt)" }
}

/// The states of logins that any service of this process completed, so that a callback is accepted once.
///
/// The provider enforces this as well, because a code is valid once; this check stops a replay before it is sent.
final class UsedStates: Sendable {
    static let shared = UsedStates()

    private let states = Lock<(order: [String], known: Set<String>)>(([], []))

    /// Records the use of a state, and returns whether it is the first.
    func use(_ state: String) -> Bool {
        states.withLock { states in
            guard states.known.insert(state).inserted else { return false }
            states.order.append(state)
            if states.order.count > 4096 {
                states.known.subtract(states.order.prefix(2048))
                states.order.removeFirst(2048)
            }
            return true
        }
    }
}

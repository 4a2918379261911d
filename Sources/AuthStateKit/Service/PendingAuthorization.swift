import AuthStateJOSE
public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A login that has been sent off and not come back: keep it where only this browser's session reaches it.
///
/// It is good for one callback within ten minutes. It holds the PKCE verifier: treat it as a secret.
public struct PendingAuthorization: Sendable, Hashable, Codable {
    /// The request, with its state, nonce and verifier.
    public let request: AuthorizationRequest
    /// Where to send the browser.
    public let url: URL
    /// After this time the callback is refused.
    public let expiresAt: Date
    /// When the browser must have opened `url`, for a pushed request (RFC 9126, section 2.2); nil when that does not matter.
    ///
    /// What comes after the browser's arrival, such as typing a password, has until `expiresAt`.
    public let urlExpiresAt: Date?
}

extension PendingAuthorization: CustomStringConvertible, CustomReflectable {
    /// The client and the expiry.
    public var description: String { "pending authorization of \(request.clientID), until \(expiresAt)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["pending": description]) }
}

/// The states of logins that were completed in this process, whichever service did it, so that a callback counts once.
///
/// The provider enforces it in the end (a code is good once); this stops a replay before it travels.
final class UsedStates: Sendable {
    static let shared = UsedStates()

    private let states = Lock<(order: [String], known: Set<String>)>(([], []))

    /// Whether this is the first use.
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

import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Logouts for which a browser went to the provider, each under the hash of that browser's cookie: until they expire, and
/// once.
///
/// Only a signed-in user can begin one; logins travel sealed in a cookie, see `LoginSeal`. Behind a load balancer a
/// browser has to come back to the same server within its ten minutes, or is told that the provider did not confirm its
/// logout.
actor PendingLogouts {
    private struct Waiting {
        var logout: PendingLogout
        var expiresAt: Date
    }

    private var logouts: [String: Waiting] = [:]
    /// Their keys, the oldest first.
    private var order: [String] = []
    private let capacity: Int
    private let clock: WallClock

    init(capacity: Int = 10_000, clock: WallClock) {
        self.capacity = capacity
        self.clock = clock
    }

    /// Keeps a logout for the browser with this secret, in place of an earlier one of the same browser.
    func keep(_ logout: PendingLogout, until expiresAt: Date, for secret: BrowserSecret) {
        forget { !isLive($0) }
        if order.count >= capacity { forget { key in key == order[0] } }
        logouts[secret.hash] = Waiting(logout: logout, expiresAt: expiresAt)
        order.append(secret.hash)
    }

    /// Removes and returns the logout that a callback answers; nil when none waits in this browser.
    ///
    /// A callback without the logout's `state` removes nothing: any page can make a browser call it.
    func take(answeredBy callback: FormParameters, for secret: BrowserSecret) -> PendingLogout? {
        guard let logout = logouts[secret.hash]?.logout, isLive(secret.hash),
            ConstantTime.equals(callback["state"] ?? "", logout.request.state)
        else { return nil }
        forget { $0 == secret.hash }
        return logout
    }

    private func isLive(_ key: String) -> Bool { logouts[key].map { clock.now < $0.expiresAt } ?? false }

    private func forget(where isOver: (String) -> Bool) {
        for key in order where isOver(key) { logouts[key] = nil }
        order.removeAll { logouts[$0] == nil }
    }
}

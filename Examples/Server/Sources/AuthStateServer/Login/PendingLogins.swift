import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A login that was begun, and where the person wanted to go.
struct PendingLogin: Sendable {
    var authorization: PendingAuthorization
    var returnPath: ReturnPath
}

/// Logins that wait for their callback, each under the hash of one browser's cookie: ten minutes, and once.
///
/// They stay here and do not travel in the cookie: with the provider's metadata they are too large for one. They stay
/// in memory and not in the store: whoever calls `/login` in a loop must not fill the disk. Behind a load balancer a
/// browser therefore has to come back to the same server within its ten minutes (or keep them in a database that both
/// share).
actor PendingLogins {
    private var logins: [String: PendingLogin] = [:]
    /// Their keys, the oldest first.
    private var order: [String] = []
    private let capacity: Int
    private let clock: WallClock

    init(capacity: Int = 10_000, clock: WallClock) {
        self.capacity = capacity
        self.clock = clock
    }

    /// Keeps a login for the browser with this secret; a login of the same browser that waited before is given up.
    func keep(_ login: PendingLogin, for secret: BrowserSecret) {
        forget { !isLive($0) }
        if order.count >= capacity { forget { key in key == order[0] } }
        logins[secret.hash] = login
        order.append(secret.hash)
    }

    /// Takes the login that a callback answers; nil when none waits in this browser.
    ///
    /// A callback that does not show the login's `state` takes nothing: anybody can make a browser call it.
    func take(answeredBy callback: FormParameters, for secret: BrowserSecret) -> PendingLogin? {
        guard let login = logins[secret.hash], isLive(secret.hash),
            ConstantTime.equals(callback["state"] ?? "", login.authorization.request.state)
        else { return nil }
        forget { $0 == secret.hash }
        return login
    }

    private func isLive(_ key: String) -> Bool {
        logins[key].map { clock.now < $0.authorization.expiresAt } ?? false
    }

    private func forget(where isOver: (String) -> Bool) {
        for key in order where isOver(key) { logins[key] = nil }
        order.removeAll { logins[$0] == nil }
    }
}

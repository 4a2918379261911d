import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Something for which a browser went to the provider, and comes back from there.
protocol PendingTrip: Sendable {
    /// What the answer has to show.
    var state: String { get }
    /// When nobody waits for it any more.
    var expiresAt: Date { get }
}

/// Trips that wait for their callback, each under the hash of one browser's cookie: until they expire, and once.
///
/// For logouts, which only a person who is signed in can begin; logins travel sealed in a cookie, see `LoginSeal`. Behind a
/// load balancer a browser has to come back to the same server within its ten minutes, or is told that the provider did not
/// confirm its logout.
actor PendingTrips<Trip: PendingTrip> {
    private var trips: [String: Trip] = [:]
    /// Their keys, the oldest first.
    private var order: [String] = []
    private let capacity: Int
    private let clock: WallClock

    init(capacity: Int = 10_000, clock: WallClock) {
        self.capacity = capacity
        self.clock = clock
    }

    /// Keeps a trip for the browser with this secret; one of the same browser that waited before is given up.
    func keep(_ trip: Trip, for secret: BrowserSecret) {
        forget { !isLive($0) }
        if order.count >= capacity { forget { key in key == order[0] } }
        trips[secret.hash] = trip
        order.append(secret.hash)
    }

    /// Takes the trip that a callback answers; nil when none waits in this browser.
    ///
    /// A callback that does not show the trip's `state` takes nothing: anybody can make a browser call it.
    func take(answeredBy callback: FormParameters, for secret: BrowserSecret) -> Trip? {
        guard let trip = trips[secret.hash], isLive(secret.hash),
            ConstantTime.equals(callback["state"] ?? "", trip.state)
        else { return nil }
        forget { $0 == secret.hash }
        return trip
    }

    private func isLive(_ key: String) -> Bool { trips[key].map { clock.now < $0.expiresAt } ?? false }

    private func forget(where isOver: (String) -> Bool) {
        for key in order where isOver(key) { trips[key] = nil }
        order.removeAll { trips[$0] == nil }
    }
}

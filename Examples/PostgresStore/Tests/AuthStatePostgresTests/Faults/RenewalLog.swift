import AuthStateKit
import AuthStateTesting
import Foundation

/// The renewals that the provider of a fault test received, and the fault of the next one.
// Unchecked: the state is read and written under the lock only.
final class RenewalLog: @unchecked Sendable {
    /// One renewal, as it came in.
    struct Renewal {
        var worker: String
        var refreshToken: String
        var time: ContinuousClock.Instant
    }

    private let lock = NSLock()
    private var renewals: [Renewal] = []
    private var trap: (fault: OpenIDProvider.Fault, caught: Renewal?)?

    /// Takes notes at a provider's token endpoint, whose answers take a twentieth of a second, as a provider's do.
    init(_ provider: OpenIDProvider) {
        provider.injectFaults(at: .token) { [self] request in
            guard let token = request.parameters["refresh_token"] else { return nil }
            return note(Renewal(worker: request.headers["X-Worker"] ?? "", refreshToken: token, time: .now))
        }
    }

    private func note(_ renewal: Renewal) -> OpenIDProvider.Fault {
        lock.withLock {
            renewals.append(renewal)
            guard let trap, trap.caught == nil else { return .delay(.milliseconds(50)) }
            self.trap?.caught = renewal
            return trap.fault
        }
    }

    /// Applies a fault to the next renewal, and returns that renewal: its sender holds the lease now.
    func catchNext(_ fault: OpenIDProvider.Fault) async throws -> Renewal {
        lock.withLock { trap = (fault, nil) }
        defer { lock.withLock { trap = nil } }
        return try await eventually("a renewal", within: .seconds(20)) { lock.withLock { trap?.caught } }
    }

    /// How many there were.
    var count: Int { lock.withLock { renewals.count } }

    /// All of them, in order.
    var all: [Renewal] { lock.withLock { renewals } }

    /// How often a refresh token was presented that had been presented before.
    var repetitions: Int { lock.withLock { renewals.count - Set(renewals.map(\.refreshToken)).count } }

    /// The refresh tokens that were presented again: the first presentation, and the last.
    var repeated: [(first: Renewal, again: Renewal)] {
        lock.withLock {
            Dictionary(grouping: renewals, by: \.refreshToken).values.filter { $0.count > 1 }.map {
                ($0[0], $0[$0.count - 1])
            }
        }
    }

    /// The first one after a moment.
    func first(after time: ContinuousClock.Instant) -> Renewal? { lock.withLock { renewals.first { $0.time > time } } }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// One holder's claim to a key: a random name in the row, valid until a time of the database's clock.
///
/// Every statement may be repeated: the name shows whether an earlier one, whose answer was lost, was executed.
final class LeaseClaim: Sendable {
    let key: KeyHash
    let pool: ConnectionPool
    private let configuration: PostgresAuthStateStore.Configuration
    private let clock: any Clock<Duration>
    let owner = UUID().uuidString
    private let validity: Lock<Deadline>

    init(
        _ key: KeyHash, _ pool: ConnectionPool, _ configuration: PostgresAuthStateStore.Configuration,
        clock: any Clock<Duration>
    ) {
        (self.key, self.pool, self.configuration, self.clock) = (key, pool, configuration, clock)
        validity = Lock(Deadline(after: .zero, on: clock))
    }

    /// How long a step is repeated while the database is away.
    var tolerance: Duration { configuration.outageTolerance }

    /// How long the lease lasts at least; less than zero when it may have expired.
    var remaining: Duration { validity.withLock { $0 }.remaining }

    /// Whether the database has confirmed the lease within the last moment, a tenth of its duration at most.
    var isRecent: Bool {
        let duration = configuration.usableLeaseDuration
        return duration - remaining < min(.seconds(1), duration / 10)
    }

    /// Tries until the deadline, when the lease is free, which is looked at in random intervals of up to half a second and
    /// whenever a listener hears of a change.
    ///
    /// - Parameter look: Called after a change; a result ends the wait without the lease.
    /// - Returns: The content of the row, or the result.
    /// - Throws: `expiry` at the deadline; `AuthStateError`; `CancellationError`.
    nonisolated(nonsending) func acquire<R>(
        until deadline: Deadline, orThrow expiry: @autoclosure () -> AuthStateError, hearing hub: ChangeHub,
        whileWaiting look: nonisolated(nonsending) () async throws -> R?
    ) async throws -> Acquisition<R> {
        var backoff = Backoff(first: 0.02, longest: 0.5)
        var patience: Duration { min(tolerance, max(.zero, deadline.remaining)) }
        var (version, isFree) = (String?.none, true)
        do {
            while true {
                let count = hub.count(of: key)
                if isFree, let row = try await renewing(LeaseStatements.acquire, tryingFor: patience) {
                    return .lease(row)
                }
                guard deadline.remaining > .zero else { throw expiry() }
                let change = hub.change(of: key, after: count)
                let pause = min(backoff.next(), deadline.remaining)
                do {
                    try await withDeadline(pause, clock: clock) { try await change.value() }
                } catch is DeadlineExceeded {}
                let row = try await pool.execute(LeaseStatements.look(key), tryingFor: patience).first
                isFree = row.map { $0.text(1) == "true" } ?? true
                let isChanged = change.isFinished || version != nil && version != row?.text(0)
                version = row?.text(0) ?? ""
                if isChanged, let result = try await look() { return .instead(result) }
            }
        } catch {
            // A try whose answer was lost may have acquired the lease, which no caller would release before it expires.
            if (error as? AuthStateError)?.code != .storeLocked { await release(tryingFor: .zero) }
            throw error
        }
    }

    /// The end of a wait for the lease.
    enum Acquisition<R> {
        /// The lease, with the content of the row.
        case lease(Row)
        /// What the waiting caller found instead.
        case instead(R)
    }

    /// Extends the lease to its whole duration; false when another holder has acquired it.
    func extend(tryingFor tolerance: Duration) async throws -> Bool {
        try await renewing(LeaseStatements.extend, tryingFor: tolerance) != nil
    }

    /// Extends the lease every third of its duration, until the task is cancelled or the lease is lost.
    ///
    /// A lost lease does not end the transaction: see `PostgresLease`.
    func keepAlive() async {
        var pause = configuration.usableLeaseDuration / 3
        while (try? await clock.sleep(for: pause, tolerance: nil)) != nil {
            do {
                guard try await extend(tryingFor: .zero) else { return }
                pause = configuration.usableLeaseDuration / 3
            } catch {
                pause = configuration.usableLeaseDuration / 10
            }
        }
    }

    /// Releases the lease; when that fails it expires by itself. Not interrupted by a cancellation.
    func release(tryingFor tolerance: Duration) async {
        _ = try? await uninterrupted { [self] in
            try await pool.execute(LeaseStatements.release(key, owner: owner), tryingFor: tolerance)
        }
    }

    /// Runs a statement that extends the lease; its duration counts from before the statement was sent.
    private func renewing(
        _ statement: (KeyHash, _ owner: String, _ duration: Duration) -> Statement, tryingFor tolerance: Duration
    ) async throws -> Row? {
        let end = Deadline(after: configuration.usableLeaseDuration, on: clock)
        let statement = statement(key, owner, configuration.usableLeaseDuration)
        guard let row = try await pool.execute(statement, tryingFor: tolerance).first else { return nil }
        validity.withLock { $0 = end }
        return row
    }
}

/// Runs a body to its end even when the caller's task is cancelled; the caller waits for it.
func uninterrupted<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
    try await Task { try await body() }.value
}

public import AuthStateKit
public import AuthStateServer
public import ServiceLifecycle

/// Sweeps a pool's store at intervals: deletes abandoned states and revokes their tokens, see `AuthStatePool.sweep`.
public struct SweepService: Service {
    private let pool: AuthStatePool
    private let age: Duration
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let report: @Sendable (Result<AuthStatePool.SweepOutcome, AuthStateError>) -> Void

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - pool: The pool whose store is swept.
    ///   - age: The age of an abandoned state's last save: longer than a session may last.
    ///   - interval: The time between two sweeps; the first one is at the start.
    ///   - clock: The clock that counts the interval; nil takes the one of the pool's service.
    ///   - report: Receives the result of each sweep, for a log.
    public init(
        _ pool: AuthStatePool, olderThan age: Duration, every interval: Duration = .seconds(3600),
        clock: (any Clock<Duration>)? = nil,
        report: @escaping @Sendable (Result<AuthStatePool.SweepOutcome, AuthStateError>) -> Void = { _ in }
    ) {
        self.pool = pool
        self.age = age
        self.interval = interval
        self.clock = clock ?? pool.service.configuration.clock.waiting
        self.report = report
    }

    /// Sweeps until the graceful shutdown, or until the task is cancelled. A sweep that fails is repeated at the next
    /// interval.
    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            repeat {
                do { report(.success(try await pool.sweep(olderThan: age))) } catch let error as AuthStateError {
                    report(.failure(error))
                }
                try await clock.sleep(for: interval)
            } while true
        }
    }
}

public import AuthStateKit
import Synchronization

/// Cancels work that takes too long, or that the user interrupts, and names the reason.
final class TimeLimit: Sendable {
    private let reason = Mutex<AuthStateError?>(nil)

    private init() {}

    /// Runs work until it is done, the time is over, or the user interrupts it.
    ///
    /// Cancelled work may still return a result, which is then returned.
    ///
    /// - Parameters:
    ///   - seconds: The time; nil for work that ends when the user interrupts it.
    ///   - hint: The advice when the time is over.
    /// - Throws: The error of the work; `.timedOut` or `.cancelled` when it was cancelled.
    static func run<R: Sendable>(
        seconds: Double?, stage: AuthStateError.Stage, hint: String? = nil,
        _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let limit = TimeLimit()
        let work = Task { try await body() }
        let timer = seconds.map { seconds in
            Task {
                try await Task.sleep(for: .seconds(seconds))
                limit.end(work, because: .timedOut(after: seconds, stage: stage, hint: hint))
            }
        }
        let interruption = Interruption {
            limit.end(work, because: AuthStateError(.cancelled, stage: stage, "Interrupted."))
        }
        defer {
            timer?.cancel()
            interruption.stop()
        }
        do { return try await work.value } catch { throw limit.reason.withLock { $0 } ?? error }
    }

    private func end<R>(_ work: Task<R, any Error>, because error: AuthStateError) {
        reason.withLock { $0 = $0 ?? error }
        work.cancel()
    }
}

extension AuthStateError {
    /// The time for some work is over.
    public static func timedOut(after seconds: Double, stage: Stage, hint: String?) -> AuthStateError {
        let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        return AuthStateError(.timedOut, stage: stage, "This was not done within \(time) seconds.", hint: hint)
    }
}

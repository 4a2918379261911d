import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// Renews ahead of expiry until the task is cancelled; for a service lifecycle to own.
    ///
    /// A failed renewal is reported to the observer and tried again; a failed save likewise, once a minute. In error,
    /// and without anything to renew with, it waits for a change, here or by another process.
    ///
    /// Returns when the task is cancelled.
    public nonisolated func run() async {
        // Only the task's cancellation is thrown.
        do { while true { try await renewAheadOfExpiry() } } catch {}
    }

    /// Renews once, when it is time, or waits for that or a change.
    private nonisolated func renewAheadOfExpiry() async throws {
        try Task.checkCancellation()
        try await notice()
        if !hasNoStoreError { try? await save() }
        let now = published.withLock { $0.state }
        guard now.status.canRenew, now.status.authorizationError == nil, now.freshUntil < .infinity else {
            return try await change(since: now.status)
        }
        let wait = now.freshUntil - clock.secondsSince1970
        // In steps, so that a new login with shorter-lived tokens is noticed.
        guard wait <= 0 else { return try await clock.waiting.sleep(for: .seconds(min(wait, 60))) }
        var pause = 5.0
        do { _ = try await tokens(.none, reason: .stale) } catch let error as AuthStateError {
            pause = max(1, error.retryAfter?.inSeconds ?? 5)
        }
        // No fresher tokens came: the provider does not answer, or its tokens are stale when issued. Both are
        // retried after a pause.
        if published.withLock({ $0.state }).freshUntil <= clock.secondsSince1970 {
            try await clock.waiting.sleep(for: .seconds(min(pause, 300) * .random(in: 1...1.5)))
        }
    }

    /// Waits until the state changes, for a minute at most: the store does not report changes by itself.
    private nonisolated func change(since seen: Status) async throws {
        do {
            try await withDeadline(.seconds(60), clock: clock.waiting) {
                for await status in self.stateChanges where status != seen { return }
            }
        } catch is DeadlineExceeded {}
        try Task.checkCancellation()
    }

    /// Waits until no renewal is in progress, then tries once more to save unsaved changes, before a program ends.
    ///
    /// Returns at once when the calling task is cancelled. `status.storeError` says whether something is still unsaved.
    public func drain() async {
        while !Task.isCancelled, let flight = flights.values.first ?? work.overtaken.first {
            _ = try? await flight.result.value()
        }
        if !Task.isCancelled { try? await save() }
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateSystem

extension AuthStatePool {
    /// Renews ahead of expiry and evicts idle states until the task is cancelled; for a service lifecycle to own.
    ///
    /// States in error are left alone. A failure is reported to the observer and tried again, later each time; a
    /// provider that does not answer is left alone for all states at once. When the task is cancelled, it waits for the
    /// renewals in progress and returns.
    public func run() async {
        let clock = service.configuration.clock.waiting
        let crew = Crew()
        defer { contents.withLock { $0.table.clearQueue() } }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                while true {
                    sweep()
                    let jobs = contents.withLock { $0.table.queueCount }
                    let (new, ended) = crew.next(for: jobs, limit: options.concurrentRenewals)
                    for _ in 0..<ended { try await group.next() }
                    for _ in 0..<new {
                        group.addTask {
                            await self.work()
                            crew.leave()
                        }
                    }
                    try await clock.sleep(for: Self.tick)
                }
            }
        } catch {
            // The task is cancelled, which ends every wait in it at once: another task waits, for a bounded time.
            await Task { await drain() }.value
        }
    }

    /// Waits until no renewal is in progress, then tries once more to save unsaved changes, before a program ends: at most for
    /// `Options.drainDeadline`.
    ///
    /// Returns at once when the calling task is cancelled.
    public func drain() async {
        // A renewal in progress refers to its state; an unsaved state may be in the table alone.
        let (states, unsaved) = contents.withLock { contents in
            var states = contents.table.statesInUse { !$0.hasNoStoreError }
            let unsaved = states.partition { $0.hasNoStoreError }
            return (states, unsaved)
        }
        try? await withDeadline(options.drainDeadline, clock: service.configuration.clock.waiting) {
            // Beside each other: one that hangs costs one place. A save may hold an open file; a wait for a renewal holds nothing.
            await withTaskGroup(of: Void.self) { group in
                for (count, state) in states.enumerated() {
                    if count >= 64, count < unsaved { await group.next() }
                    group.addTask { await state.drain() }
                }
            }
        }
    }

    /// The interval at which the pool checks for work.
    static let tick = Duration.seconds(1)

    /// Checks all states once, some at a time, so that no caller waits long for the lock.
    private func sweep() {
        let now = service.configuration.clock.secondsSince1970
        let plan = RenewalPlan(spread: options.renewalSpread)
        let idleTicks = Int(min(options.idleTime / Self.tick, 1e9))
        var evicted: [AuthState]? = contents.withLock { contents in
            contents.table.beginSweep()
            return contents.makeRoom(options)
        }
        while evicted != nil {
            evicted = contents.withLock { contents in
                let evicted = contents.table.sweep(
                    256, idleTicks: idleTicks, now: now, if: { $0.isEvictable },
                    nextLook: {
                        $0.isUnchecked ? now : plan.nextLook($0.state.renewalFacts, jitter: Double($0.jitter), now: now)
                    })
                contents.statistics.evictions += evicted?.count ?? 0
                return evicted
            }
        }
    }

    /// Handles the queued states, one after another.
    private func work() async {
        while !Task.isCancelled, let slot = contents.withLock({ $0.table.dequeue() }) {
            let (due, failures) = await attend(to: slot)
            contents.withLock { $0.table.settle(slot, due: due, failures: failures) }
        }
    }

    /// Saves or renews a state, and returns when to check it again and how often it has failed.
    private func attend(to slot: PoolTable<AuthState>.Slot) async -> (due: Double, failures: Int) {
        let (state, plan) = (slot.state, RenewalPlan(spread: options.renewalSpread))
        let began = service.configuration.clock.secondsSince1970
        let provider = Cooldowns.Place.provider(state.record.client.provider.tokenEndpoint)
        let pause = contents.withLock { contents in
            [provider, .store].compactMap { contents.cooldowns.end($0, now: began) }.max()
        }
        if let pause { return (pause + 5 * jitter(), Int(slot.failures)) }
        do {
            let isLate = !state.renewalFacts.isSaved
            if isLate {
                contents.withLock { $0.table.setUnchecked(store is IndexedAuthStateStore, state) }
                try await state.save()
            }
            if isLate || slot.isUnchecked {
                try await state.checkSession(isNew: false)
                contents.withLock { $0.table.setUnchecked(false, state) }
            }
            // Another caller or process may have renewed the state while it was queued.
            if plan.nextLook(state.renewalFacts, jitter: Double(slot.jitter), now: began) <= began {
                try await state.renewAhead()
                contents.withLock { contents in
                    contents.statistics.renewalsAhead += 1
                    contents.cooldowns.succeeded(provider)
                    contents.cooldowns.succeeded(.store)
                }
            }
            let now = service.configuration.clock.secondsSince1970
            // Tokens that are stale when issued are left alone for a while, too.
            return (max(plan.nextLook(state.renewalFacts, jitter: Double(slot.jitter), now: now), now + 5), 0)
        } catch {
            return fail(slot, provider, began: began, error as? AuthStateError)
        }
    }

    /// Returns the time of the next check and the number of failures; a nil error is a cancellation.
    private func fail(
        _ slot: PoolTable<AuthState>.Slot, _ provider: Cooldowns.Place, began: Double, _ error: AuthStateError?
    ) -> (due: Double, failures: Int) {
        let (now, jitter) = (service.configuration.clock.secondsSince1970, jitter())
        guard let error else { return (now, Int(slot.failures)) }
        let place: Cooldowns.Place? =
            switch (error.kind, error.code) {
            case (.transient, _): provider
            // The store's other errors are about this one state.
            case (_, .storeUnreadable), (_, .storeUnwritable): .store
            default: nil
            }
        let wait = error.retryAfter?.inSeconds
        contents.withLock { contents in
            contents.statistics.failedRenewalsAhead += 1
            guard let place else { return }
            contents.cooldowns.failed(place, began: began, now: now, retryAfter: wait, jitter: jitter)
        }
        let failures = Int(slot.failures) + 1
        return (now + RenewalPlan.pause(after: failures, retryAfter: wait, jitter: jitter), failures)
    }

    /// Counts the tasks that handle the queue.
    private final class Crew: Sendable {
        private let counts = Lock((running: 0, ended: 0))

        func leave() { counts.withLock { $0.ended += 1 } }

        /// Returns how many tasks to start, and how many have ended since the last call.
        func next(for jobs: Int, limit: Int) -> (new: Int, ended: Int) {
            counts.withLock { counts in
                let ended = counts.ended
                let new = max(0, min(jobs, limit - counts.running + ended))
                counts = (counts.running + new - ended, 0)
                return (new, ended)
            }
        }
    }
}

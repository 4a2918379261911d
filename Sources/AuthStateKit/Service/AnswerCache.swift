import AuthStateSystem

/// Providers' answers in memory by key, each kept for its lifetime; concurrent callers share one fetch.
actor AnswerCache<Key: Hashable & Sendable, Value: Equatable & Sendable> {
    struct Answer: Sendable {
        var value: Value
        /// The seconds that it may be kept.
        var lifetime: Double
    }

    private struct Entry {
        var value: Value
        var fetchedAt: Double
        var lifetime: Double
    }

    private var entries: [Key: Entry] = [:]
    private var budgets: [Key: [RefetchBudget.Sender: RefetchBudget]] = [:]
    /// The keys whose last fetch for a stranger failed, at most 256, and when it began.
    private(set) var failed: [Key: Double] = [:]
    private var flights: [Key: SharedResult<Value>] = [:]

    /// Returns the value, fetched when none is cached or it has expired; a failure is not cached.
    ///
    /// - Parameters:
    ///   - stale: A cached value that did not serve: another one is fetched, if the budget allows.
    ///   - sender: The sender of what the stale value did not serve for.
    /// - Throws: The fetch's error; `RefetchBudget.Spent`, also for what a stranger sends within five seconds of a fetch that failed;
    ///   `CancellationError`, which does not disturb other callers.
    func value(
        of key: Key, insteadOf stale: Value? = nil, from sender: RefetchBudget.Sender = .provider, now: Double,
        fetch: @escaping @Sendable () async throws -> Answer
    ) async throws -> Value {
        let entry = entries[key].flatMap { (0..<$0.lifetime).contains(now - $0.fetchedAt) ? $0 : nil }
        if let entry, entry.value != stale { return entry.value }
        // A caller that arrives during a fetch joins it, which costs nothing of the budget.
        if let flight = flights[key] { return try await flight.value() }
        if sender == .stranger, let began = failed[key] {
            // A budget would be empty when the endpoint is well again.
            if (0..<5).contains(now - began) { throw RefetchBudget.Spent() }
        } else if entry != nil {
            try budgets[key, default: [:]][sender, default: RefetchBudget()].spend(now)
        }
        let flight = SharedResult<Value>()
        flights[key] = flight
        // A task of its own: the cancellation of one caller must not cancel the fetch of the others.
        Task {
            let result: Result<Value, any Error>
            do { result = .success(keep(try await fetch(), of: key, now: now)) } catch {
                result = .failure(error)
                if sender == .stranger {
                    if failed.count >= 256 { failed = [:] }
                    failed[key] = now
                }
            }
            flights[key] = nil
            flight.finish(result)
        }
        return try await flight.value()
    }

    /// Caches an answer; an unchanged value stays the same object, with everything that was derived from it.
    private func keep(_ answer: Answer, of key: Key, now: Double) -> Value {
        if entries.count >= 256 { (entries, budgets, failed) = ([:], [:], [:]) }
        failed[key] = nil
        let before = entries[key]
        let value = before.flatMap { $0.value == answer.value ? $0.value : nil } ?? answer.value
        entries[key] = Entry(value: value, fetchedAt: now, lifetime: answer.lifetime)
        return value
    }
}

/// A budget of early refetches: three at once, then one a minute.
struct RefetchBudget: Sendable {
    /// The sender of what causes a refetch. Each has a budget of its own: what anonymous requests spend is not missing when the
    /// provider changes its keys.
    enum Sender {
        /// The provider, which answered a request of this client.
        case provider
        /// A browser, with what may be the answer to a login.
        case browser
        /// An anonymous request, with what may be a logout token.
        case stranger
    }

    struct Spent: Error {}

    private var tokens: Double = 3
    private var filledAt: Double?

    mutating func spend(_ now: Double) throws(Spent) {
        if let filledAt { tokens = min(3, tokens + max(0, now - filledAt) / 60) }
        filledAt = now
        guard tokens >= 1 else { throw Spent() }
        tokens -= 1
    }
}

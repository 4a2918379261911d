/// What providers answered, in memory by key, each for as long as it may be kept; concurrent callers share one fetch.
actor AnswerCache<Key: Hashable & Sendable, Value: Equatable & Sendable> {
    /// What was fetched.
    struct Answer: Sendable {
        var value: Value
        /// For how many seconds it may be kept.
        var lifetime: Double
    }

    private struct Entry {
        var value: Value
        var fetchedAt: Double
        var lifetime: Double
        var budget: RefetchBudget
    }

    private var entries: [Key: Entry] = [:]
    private var flights: [Key: SharedResult<Value>] = [:]

    /// The value, fetched when there is none or it is old; a failure is not kept.
    ///
    /// - Parameter stale: A value that did not serve: another one is fetched, if the budget allows.
    /// - Throws: What the fetch throws; `RefetchBudget.Spent`; `CancellationError`, which disturbs nobody else.
    func value(
        of key: Key, insteadOf stale: Value? = nil, now: Double, fetch: @escaping @Sendable () async throws -> Answer
    ) async throws -> Value {
        let entry = entries[key].flatMap { (0..<$0.lifetime).contains(now - $0.fetchedAt) ? $0 : nil }
        if let entry, entry.value != stale { return entry.value }
        // Whoever comes while a value is fetched takes part in that, and costs nothing.
        if let flight = flights[key] { return try await flight.value() }
        if entry != nil { try entries[key]?.budget.spend(now) }
        let flight = SharedResult<Value>()
        flights[key] = flight
        // A task of its own: a caller that is cancelled must not take the fetch away from the others.
        Task {
            let result: Result<Value, any Error>
            do { result = .success(keep(try await fetch(), of: key, now: now)) } catch { result = .failure(error) }
            flights[key] = nil
            flight.finish(result)
        }
        return try await flight.value()
    }

    /// A value that came again unchanged stays the same object, with what was worked out from it.
    private func keep(_ answer: Answer, of key: Key, now: Double) -> Value {
        if entries.count >= 256 { entries = [:] }
        let before = entries[key]
        let value = before.flatMap { $0.value == answer.value ? $0.value : nil } ?? answer.value
        entries[key] = Entry(
            value: value, fetchedAt: now, lifetime: answer.lifetime, budget: before?.budget ?? RefetchBudget())
        return value
    }
}

/// How often something may be fetched ahead of time: three times at once, then once a minute.
struct RefetchBudget: Sendable {
    /// There is nothing left of it.
    struct Spent: Error {}

    private var tokens: Double = 3
    private var filledAt: Double?

    /// - Throws: `Spent`.
    mutating func spend(_ now: Double) throws(Spent) {
        if let filledAt { tokens = min(3, tokens + max(0, now - filledAt) / 60) }
        filledAt = now
        guard tokens >= 1 else { throw Spent() }
        tokens -= 1
    }
}

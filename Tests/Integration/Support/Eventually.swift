/// Something outside this process did not happen in time.
struct NotInTime: Error, CustomStringConvertible {
    let description: String
}

/// Looks until there is a value: other programs give no sign that could be waited for.
@discardableResult
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(30), _ look: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if let value = try await look() { return value }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw NotInTime(description: "\(what): not within \(limit)")
}

import AuthStateKit

/// The sealing keys that a command has asked for: each place is asked once, and the user with it.
actor SealingKeys {
    private var known: [Seal: Task<[SealingKey], any Error>] = [:]
    private let limit: Duration

    init(limit: Duration) { self.limit = limit }

    /// Returns the keys of a sealed login.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable`, and the reason why there is no key.
    func existing(of seal: Seal) async throws -> [SealingKey] {
        do { return try await keys(of: seal, creates: false) } catch let error as AuthStateError {
            throw AuthStateError(
                .storeUnreadable, stage: .store,
                "The login is sealed with \(seal.title), which cannot be read; it was left as it is. \(error.message)",
                expected: error.expected, received: error.received,
                hint: "Make the key available and try again, or remove the login with 'authstate logout --local'.",
                underlying: error)
        }
    }

    /// Returns the keys for a login that is to be sealed.
    func forSealing(with seal: Seal) async throws -> [SealingKey] { try await keys(of: seal, creates: true) }

    private func keys(of seal: Seal, creates: Bool) async throws -> [SealingKey] {
        let task = known[seal] ?? Task { [limit] in try await seal.keys(creates: creates, within: limit) }
        known[seal] = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

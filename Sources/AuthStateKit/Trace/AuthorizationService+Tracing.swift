extension AuthorizationService {
    /// Tells the trace when a body fails.
    func traced<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }

    /// Tells the trace when a body fails.
    func traced<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }
}

extension AuthorizationService {
    /// Runs a body, and reports its failure to the trace.
    func traced<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }

    /// Runs a body, and reports its failure to the trace.
    package func traced<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }
}

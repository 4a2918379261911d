import AuthStateJOSE

extension AuthorizationService {
    /// Runs a body that reads what a server sent, and reports to the trace what it reads leniently.
    func reading<R>(_ body: () throws -> R) rethrows -> R { try configuration.trace.reading(body) }

    /// Runs a body, and reports its failure to the trace.
    func traced<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }

    package func traced<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            configuration.trace?.note(failure: error)
            throw error
        }
    }
}

extension LoginTrace? {
    /// Runs a body that reads what a server sent, and reports to the trace what it reads leniently.
    func reading<R>(_ body: () throws -> R) rethrows -> R {
        guard let self else { return try body() }
        return try Leniency.reporting(to: { self.noteLeniency($0, $1) }, body)
    }
}

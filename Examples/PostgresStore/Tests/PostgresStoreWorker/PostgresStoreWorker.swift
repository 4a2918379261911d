import AuthStateKit
import AuthStatePostgres
import Foundation

/// One of several processes that share a state: asks for a fresh token again and again until a file says to stop.
///
/// Set by the environment: `CONNECTION`, `KEY`, `NAME`, `STOP` (the file), `LEASE_SECONDS`, and `LEASE=off`. Prints one
/// line of JSON at its end, a `WorkerReport`.
@main
struct PostgresStoreWorker {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String { environment[name] ?? "" }

        var configuration = PostgresAuthStateStore.Configuration()
        configuration.leaseDuration = .seconds(Double(variable("LEASE_SECONDS")) ?? 30)
        let store = try PostgresAuthStateStore(
            connectionString: variable("CONNECTION"), configuration: configuration)
        try await store.checkSchema()

        let state = try await AuthState.restore(
            at: AuthState.Place(
                store: variable("LEASE") == "off" ? UnprotectedStore(store) : store,
                key: AuthStateKey(rawValue: variable("KEY")),
                service: AuthorizationService(transport: NamedTransport(name: variable("NAME")))))

        var report = WorkerReport()
        while !FileManager.default.fileExists(atPath: variable("STOP")) {
            do {
                try await state.withFreshToken { _ in report.served += 1 }
            } catch let error as AuthStateError {
                report.errors[error.code.rawValue, default: 0] += 1
                if report.firstError.isEmpty { report.firstError = "\(error)" }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        await state.drain()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}

/// The report of a worker.
struct WorkerReport: Codable {
    /// How often it had a token.
    var served = 0
    /// How often it had none, by code.
    var errors: [String: Int] = [:]
    /// The first of those in full.
    var firstError = ""
}

/// Names the worker in its requests to the provider.
struct NamedTransport: HTTPTransport {
    let name: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.headers["X-Worker"] = name
        return try await SystemTransport.shared.send(request)
    }
}

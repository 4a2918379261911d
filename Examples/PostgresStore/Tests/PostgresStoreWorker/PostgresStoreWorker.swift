import AuthStateKit
import AuthStatePostgres
import Foundation

/// One of several processes that share a state: asks for a fresh token again and again until a file says to stop.
///
/// Set by the environment: `CONNECTION`, `KEY`, `NAME`, `STOP` (the file), `LEASE_SECONDS`, and `LEASE=off`. With `USERS` it has
/// a pool of so many states, `user-0` and on, and 32 requests at once. Prints one line of JSON at its end, a `WorkerReport`.
@main
struct PostgresStoreWorker {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String { environment[name] ?? "" }

        var configuration = PostgresAuthStateStore.Configuration()
        configuration.leaseDuration = .seconds(Double(variable("LEASE_SECONDS")) ?? 30)
        let store = try PostgresAuthStateStore(connectionString: variable("CONNECTION"), configuration: configuration)
        try await store.checkSchema()

        let shared: any AuthStateStore = variable("LEASE") == "off" ? UnprotectedStore(store) : store

        if let users = Int(variable("USERS")) {
            let report = try await PoolWorker(users: users, store: shared, listening: store, name: variable("NAME"))
                .run(until: variable("STOP"))
            return print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        }
        let state = try await AuthState.restore(
            at: AuthState.Place(
                shared, key: AuthStateKey(rawValue: variable("KEY")),
                service: AuthorizationService(transport: NamedTransport(name: variable("NAME")))))

        var report = WorkerReport()
        while !FileManager.default.fileExists(atPath: variable("STOP")) {
            do {
                try await state.withFreshToken { _ in report.served += 1 }
            } catch let error as AuthStateError {
                report.add(error)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        await state.drain()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}

/// The report of a worker.
struct WorkerReport: Codable, Sendable {
    /// How often it had a token.
    var served = 0
    /// How often it had none, by code.
    var errors: [String: Int] = [:]
    /// The first of those in full.
    var firstError = ""
    /// The longest waits for a token, in seconds: all above a tenth of a second.
    var waits: [Double] = []

    mutating func add(_ error: AuthStateError) {
        errors[error.code.rawValue, default: 0] += 1
        if firstError.isEmpty { firstError = "\(error)" }
    }

    mutating func add(_ other: WorkerReport) {
        served += other.served
        errors.merge(other.errors, uniquingKeysWith: +)
        if firstError.isEmpty { firstError = other.firstError }
        waits += other.waits
    }
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

import AuthStateKit
import AuthStateServer
import AuthStateTesting
import Foundation

/// Several server processes that share the state of one login in one database.
final class Fleet {
    /// The final output of a worker.
    struct Report: Decodable {
        var served: Int
        var errors: [String: Int]
        var firstError: String
        var waits: [Double]
    }

    /// How long an access token lasts, in seconds; a quarter of it is leeway.
    static let lifetime = 1.0

    let server: PostgresServer
    let provider: OpenIDProvider
    let log: RenewalLog
    let state: AuthState
    private let isProtected: Bool
    private let leaseSeconds: Double
    private let users: Int?
    private let libraries: String?
    private let folder: TemporaryFolder
    private var workers: [String: Program] = [:]
    private var started = 0

    /// The worker lies beside the tests.
    private static let program =
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("PostgresStoreWorker").path

    /// Logs a user in, and starts workers on the result.
    ///
    /// - Parameters:
    ///   - leaseSeconds: How long a lease lasts; longer than a restart of the database, where one happens.
    ///   - libraries: A folder in which the workers look for libraries first.
    ///   - users: How many users each worker serves, instead of the one; each is logged in.
    init(
        _ server: PostgresServer, workers: Int = 3, grace: Double = 0, leaseSeconds: Double = 4,
        isProtected: Bool = true, users: Int? = nil, libraries: String? = nil, lifetime: Double = Fleet.lifetime,
        scopes: [Scope] = [.openID]
    ) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.accessTokenLifetime = .seconds(lifetime)
        configuration.refreshTokenGrace = .seconds(grace)
        self.server = server
        self.isProtected = isProtected
        self.leaseSeconds = leaseSeconds
        (self.users, self.libraries) = (users, libraries)
        provider = try await OpenIDProvider(configuration: configuration)
        log = RenewalLog(provider)
        folder = try TemporaryFolder()
        let service = AuthorizationService()
        let request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"), scopes: scopes)
        state = try await AuthState.logIn(
            .browser(request, DirectUserAgent()),
            at: AuthState.Place(try server.store(), key: freshKey(), service: service))
        if let users { try await logIn(users, request, service) }
        for _ in 0..<workers { try start() }
    }

    private func logIn(_ users: Int, _ request: AuthorizationRequest, _ service: AuthorizationService) async throws {
        let pool = AuthStatePool(store: try server.store(), service: service)
        for user in 0..<users {
            try await pool.logIn(
                .browser(AuthorizationRequest(request.client, scopes: [.openID]), DirectUserAgent()),
                for: AuthStateKey("user-\(user)"))
        }
    }

    /// Starts one more worker.
    func start() throws {
        started += 1
        let name = "worker-\(started)"
        var environment = [
            "CONNECTION": "\(server.connection) application_name=\(name)", "KEY": state.key.rawValue, "NAME": name,
            "STOP": folder("stop"), "LEASE_SECONDS": "\(leaseSeconds)", "LEASE": isProtected ? "on" : "off",
        ]
        environment["LD_LIBRARY_PATH"] = libraries
        environment["USERS"] = users.map { "\($0)" }
        workers[name] = try Program.start([Self.program], environment: environment)
    }

    /// The workers that run.
    var names: [String] { workers.keys.sorted() }

    /// Lets a frozen worker continue.
    func thaw(_ name: String) { workers[name]?.send(SIGCONT) }

    /// Stops a worker between two instructions.
    func freeze(_ name: String) { workers[name]?.send(SIGSTOP) }

    /// Kills a worker, and waits for its end.
    func kill(_ name: String) async throws {
        let worker = workers.removeValue(forKey: name)
        worker?.send(SIGKILL)
        _ = try await worker?.result(within: .seconds(10))
    }

    /// Tells all remaining workers to stop, and collects their reports.
    func stop() async throws -> [Report] {
        try folder.file("stop")
        var reports: [Report] = []
        for worker in workers.values {
            let result = try await worker.result(within: .seconds(40))
            guard result.status == 0 else { throw NotInTime(description: "a worker failed: \(result.errors)") }
            reports.append(try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)))
        }
        workers = [:]
        return reports
    }

    deinit { for worker in workers.values { worker.send(SIGKILL) } }
}

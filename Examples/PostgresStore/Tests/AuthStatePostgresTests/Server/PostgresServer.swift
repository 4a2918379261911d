import AuthStatePostgres
import Foundation

/// A PostgreSQL server of the tests' own, on a loopback port, with the table of `schema.sql`.
struct PostgresServer: Sendable {
    /// The connection string of the role that owns the table.
    let connection: String
    /// The connection string of a superuser.
    let admin: String
    private let control: [String]
    private let standby: Standby
    private let folder: String
    private let program: Program

    /// The line that the start script prints.
    private struct Announcement: Decodable {
        var connection: String
        var admin: String
        var control: [String]
        var state: String
        var standby: Standby
    }

    /// A second server that follows this one.
    private struct Standby: Decodable {
        var port: Int
        var control: [String]
    }

    static let script = "\(Provider.scripts)/postgresql/start.sh"

    /// Whether Debian's package is there.
    static let isInstalled: Bool = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return versions.contains { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)/bin/initdb") }
    }()

    /// Starts a server, and returns when it takes connections.
    ///
    /// - Parameter hasStandby: Whether a second server follows, which the connection string names too.
    static func start(hasStandby: Bool = false) async throws -> PostgresServer {
        let program = try Program.start([script], environment: hasStandby ? ["STANDBY": "1"] : [:])
        do {
            guard let line = try await program.firstLine() else {
                throw Trouble(description: "PostgreSQL did not start: \(program.errors)")
            }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            var connection = announcement.connection
            if hasStandby, let port = connection.firstMatch(of: /port=(\d+)/)?.output.1 {
                connection += " host=127.0.0.1,127.0.0.1 port=\(port),\(announcement.standby.port)"
                connection += " target_session_attrs=read-write"
            }
            return PostgresServer(
                connection: connection, admin: announcement.admin, control: announcement.control,
                standby: announcement.standby, folder: announcement.state, program: program)
        } catch {
            program.send(SIGTERM)
            throw error
        }
    }

    /// Ends the server, and returns when it is gone.
    func end() async throws {
        program.send(SIGTERM)
        _ = try await program.result(within: .seconds(20))
    }

    /// Runs `pg_ctl`: `start`, `stop` or `restart`.
    func control(_ words: String...) async throws { try await run(control + words) }

    /// Kills the server, and lets the standby take its place.
    func failOver() async throws {
        try await control("stop", "--mode", "immediate")
        try await run(standby.control + ["promote"])
    }

    private func run(_ words: [String]) async throws {
        let result = try await Program.run(words, within: .seconds(30))
        guard result.status == 0 else {
            throw Trouble(description: "pg_ctl \(words): \(result.output)\(result.errors)")
        }
    }

    /// Runs SQL as the superuser, in the database of the table, and returns the result's text.
    @discardableResult
    func sql(_ statement: String, database: String = "authstate") async throws -> String {
        let result = try await Program.run(
            [
                "psql", "\(admin) dbname=\(database)", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                "-v", "ON_ERROR_STOP=1", "-c", statement,
            ], within: .seconds(30))
        guard result.status == 0 else { throw Trouble(description: "\(statement): \(result.errors)") }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Ends the connections of a store, and returns when they are gone.
    ///
    /// - Parameter application: The name of its connections.
    func end(_ application: String) async throws {
        let sessions = "FROM pg_stat_activity WHERE application_name = '\(application)'"
        try await sql("SELECT pg_terminate_backend(pid) \(sessions)")
        try await eventually("the connections are gone") {
            try await sql("SELECT pid \(sessions)").isEmpty ? true : nil
        }
    }

    /// The server's log.
    func log() throws -> String { try String(contentsOfFile: "\(folder)/log", encoding: .utf8) }

    /// The first process of the server.
    func processID() throws -> pid_t {
        let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let id = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw Trouble(description: "postmaster.pid: \(text)")
        }
        return id
    }

    private struct Trouble: Error, CustomStringConvertible {
        let description: String
    }
}

extension PostgresServer {
    /// A store in it.
    ///
    /// - Parameter application: The name of its connections in `pg_stat_activity`.
    func store(
        _ application: String = "tests", settings: String = "", clock: any Clock<Duration> = ContinuousClock(),
        configure: (inout PostgresAuthStateStore.Configuration) -> Void = { _ in }
    ) throws -> PostgresAuthStateStore {
        var configuration = PostgresAuthStateStore.Configuration()
        configure(&configuration)
        return try PostgresAuthStateStore(
            connectionString: "\(connection) application_name=\(application) \(settings)",
            configuration: configuration, clock: clock)
    }
}

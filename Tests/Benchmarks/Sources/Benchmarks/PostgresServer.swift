import Foundation

/// A PostgreSQL server of the benchmark's own, which writes to the disk, as the tests' does.
final class PostgresServer {
    let connection: String
    /// The connection string of a superuser.
    let admin: String
    /// The words that begin a command of `pg_ctl`.
    private let control: [String]
    /// The shell that ends the server when its input ends. It is released before the folder.
    private let process: Peer
    private let folder: TemporaryFolder
    private let data: TemporaryFolder

    private struct Announcement: Decodable {
        var connection: String
        var admin: String
        var control: [String]
    }

    private init(
        _ announcement: Announcement, _ process: Peer, _ folder: TemporaryFolder, _ data: TemporaryFolder
    ) {
        (connection, admin, control) = (announcement.connection, announcement.admin, announcement.control)
        (self.process, self.folder, self.data) = (process, folder, data)
    }

    /// Starts the server; nil when it is not installed.
    static func start() throws -> PostgresServer? {
        let (folder, data) = (try TemporaryFolder(), try TemporaryFolder())
        let script = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../Integration/Providers/postgresql/start.sh").standardizedFileURL.path
        let process = try Peer(["/bin/sh", "-c", Self.script, "sh", script, data.path])
        guard let line = process.line() else { return nil }
        let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
        return PostgresServer(announcement, process, folder, data)
    }

    /// The start script ends the server when its parent is gone. A signal would not reach it: a child process begins with those
    /// blocked that its parent's thread has blocked.
    private static let script = #"""
        exec 3<&0
        sh -c '"$1" 0 "$2" & read -r end <&3' sh "$1" "$2"
        while test -e "$2/data/postmaster.pid"; do sleep 0.1; done
        """#

    /// Starts what delays connections to the server; the port, and the process, which ends when it is released.
    func relay(milliseconds: Double) throws -> (Peer, port: String) {
        let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../relay.py").standardizedFileURL
            .path
        let port = try #/port=([0-9]+)/#.firstMatch(in: connection).map { String($0.output.1) }
        let relay = try Peer(["/usr/bin/python3", script, port ?? "", "\(milliseconds)"])
        guard let port = relay.line() else { throw CocoaError(.executableLoad) }
        return (relay, port)
    }

    /// Makes a table with a row for each client.
    func makeFloor(_ rows: Int, _ archive: Data) throws {
        try Peer.output(of: [
            "psql", connection, "--quiet", "--command",
            "CREATE TABLE floor (key int PRIMARY KEY, archive bytea) WITH (fillfactor = 70);"
                + " INSERT INTO floor SELECT generate_series(0, \(rows - 1)), ''",
        ])
        let bytes = archive.map { String(format: "%02x", $0) }.joined()
        _ = try folder.write(
            Data("UPDATE floor SET archive = '\\x\(bytes)' WHERE key = :client_id;\n".utf8), as: "floor.sql")
        let key = "sha256(int4send(:client_id))"
        _ = try folder.write(
            Data(
                """
                INSERT INTO auth_states AS held (key, lease_owner, lease_expires_at) VALUES (\(key), gen_random_uuid(), \
                clock_timestamp() + interval '30 s') ON CONFLICT (key) DO UPDATE SET lease_owner = excluded.lease_owner, \
                lease_expires_at = clock_timestamp() + interval '30 s' WHERE held.lease_owner IS NULL \
                RETURNING archive, version::text;
                UPDATE auth_states SET archive = '\\x\(bytes)', version = DEFAULT, updated_at = clock_timestamp(), \
                lease_owner = NULL, lease_expires_at = NULL WHERE key = \(key) RETURNING version::text;
                SELECT pg_notify('auth_states', encode(\(key), 'hex'));

                """.utf8), as: "statements.sql")
    }

    /// Returns the nanoseconds that an update takes, without the time of connecting.
    func floor(tasks: Int, calls: Int) throws -> Double { try bench("floor.sql", tasks: tasks, calls: calls) }

    /// Returns the nanoseconds that the statements of a renewal take, prepared as the store's are.
    func statements(tasks: Int, calls: Int) throws -> Double {
        try bench("statements.sql", ["--protocol=prepared"], tasks: tasks, calls: calls)
    }

    /// Starts the server again with other settings.
    func restart(_ settings: [String]) throws {
        for setting in settings { try sql("ALTER SYSTEM SET \(setting)", as: admin) }
        _ = try wholeProcess(control + ["restart"])
    }

    /// Runs SQL, by default as the role of the stores, and returns the result's text.
    @discardableResult
    func sql(_ statement: String, as connection: String? = nil) throws -> String {
        try Peer.output(of: [
            "psql", connection ?? self.connection, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
            "--set=ON_ERROR_STOP=1", "--command", statement,
        ]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes a file for pgbench, or for `\\copy`, and returns its path.
    func write(_ text: String, as name: String) throws -> String { try folder.write(Data(text.utf8), as: name) }

    /// Runs a script of `write`, and returns the nanoseconds of one run.
    func bench(_ file: String, _ options: [String] = [], tasks: Int, calls: Int) throws -> Double {
        let output = try Peer.output(
            of: ["env"] + ["PATH=\(Self.programs)"]
                + [
                    "pgbench", connection, "--no-vacuum", "--client=\(tasks)", "--jobs=\(min(2, tasks))",
                    "--transactions=\(calls / tasks)", "--file=\(folder.path)/\(file)",
                ] + options)
        let rate = try #/tps = ([0-9.]+)/#.firstMatch(in: output).flatMap { Double($0.output.1) }
        return 1e9 / (rate ?? .nan)
    }

    /// PATH with the folder in which Debian keeps the server's programs.
    private static let programs: String = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return (versions.sorted().map { "\(folder)/\($0)/bin" } + [ProcessInfo.processInfo.environment["PATH"] ?? ""])
            .joined(separator: ":")
    }()
}

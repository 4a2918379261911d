import AuthStateKit
import AuthStatePostgres
import Foundation
import Synchronization
import Testing

/// What listens at the database's address answers as no database does.
@Suite(.wherePostgresIsInstalled, .timeLimit(.minutes(2)))
struct HostileDatabaseTests {
    private func store(_ server: HostileDatabase, tolerance: Duration = .zero) throws -> PostgresAuthStateStore {
        var configuration = PostgresAuthStateStore.Configuration()
        configuration.outageTolerance = tolerance
        configuration.statementTimeout = .seconds(30)
        return try PostgresAuthStateStore(
            connectionString: "host=127.0.0.1 port=\(server.port) user=a dbname=a sslmode=disable gssencmode=disable",
            configuration: configuration)
    }

    @Test("rows with fewer or more columns than those of the statement are an error", arguments: [0, 1, 4])
    func columns(_ count: Int) async throws {
        let server = try HostileDatabase { $0.rows(1, columns: count) }
        let store = try store(server)
        let errors = [
            try await expectStoreError(.storeUnreadable) { _ = try await store.load("a") },
            try await expectStoreError(.storeUnreadable) { _ = try await store.entries(savedBefore: .distantFuture) },
            try await expectStoreError(.storeUnwritable) {
                try await store.withLease("a", deadline: .seconds(5)) { _ in }
            },
            try await expectStoreError(.storeUnreadable) { try await store.checkSchema() },
        ]
        for error in errors { #expect(error.message.contains("answered with \(count) columns"), "\(error)") }
        #expect(server.sent > 0)
    }

    @Test(
        "a statement that the server no longer has prepared is prepared again, on another connection",
        arguments: ["26000", "0A000"])
    func forgotten(_ state: String) async throws {
        let answers = Mutex(0)
        let server = try HostileDatabase { connection in
            let number = answers.withLock { count in
                count += 1
                return count
            }
            if number == 2 { connection.refuse(state) } else { connection.rows(1, columns: 3) }
        }
        let store = try store(server)
        for _ in 0..<3 { #expect(try await store.load("a")?.archive == Data("1".utf8)) }
        #expect(server.connections == 2 && answers.withLock { $0 } == 4)
    }

    @Test("a pooler that refuses connections while it has no server is asked again")
    func pooler() async throws {
        let server = try HostileDatabase(refusing: 8) { $0.rows(1, columns: 4) }
        let late = try await expectStoreError(.storeUnwritable) {
            try await store(server, tolerance: .seconds(20)).withLease("a", deadline: .seconds(5)) { _ in }
        }
        #expect(late.message.contains("answered with") && server.connections > 8, "\(late)")
        let other = try HostileDatabase(refusing: .max) { _ in }
        let error = try await expectStoreError(.storeUnreadable) { _ = try await store(other).load("a") }
        #expect(error.received == "SQLSTATE 08P01", "\(error)")
    }

    @Test("a server that wants to copy ends the statement at once", arguments: ["G", "H", "W"] as [Character])
    func copying(_ type: Character) async throws {
        let server = try HostileDatabase { $0.send(type, [0, 0, 0]) }
        let store = try store(server)
        let start = ContinuousClock.now
        for _ in 0..<6 { try await expectStoreError(.storeUnreadable) { _ = try await store.load("a") } }
        #expect(ContinuousClock.now - start < .seconds(30) && server.sent > 0)
    }

    @Test("endless rows are read up to a bound", arguments: [0, 100_000])
    func endless(_ length: Int) async throws {
        let server = try HostileDatabase { connection in
            guard connection.rows(1, columns: 3, length: length, isLast: false) else { return }
            while connection.rows(100, columns: 3, length: length, isLast: false, isFirst: false) {}
        }
        let store = try store(server)
        let error = try await expectStoreError(.storeUnreadable) { _ = try await store.load("a") }
        #expect(error.message.contains("sent more than"), "\(error)")
        // On two connections, with what was on its way.
        #expect(server.sent < 64 << 20)
    }
}

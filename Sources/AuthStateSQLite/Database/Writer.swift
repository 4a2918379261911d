import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// Brings changes to the disk: those that come while one transaction is synchronised share the next one.
///
/// A change is finished and its caller told, also when the caller's task is cancelled.
final class Writer: Sendable {
    private struct Change: Sendable {
        /// Whether it only takes the space that a later one needs, and is undone.
        let isTrial: Bool
        let perform: @Sendable (Connection) throws -> Void
        /// Called once the change is on the disk.
        let note: @Sendable () -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private let database: Database
    private let work: BlockingWork
    private let patience: Duration
    private let queue = Lock((changes: [Change](), isServed: false))

    init(_ database: Database, _ work: BlockingWork, patience: Duration) {
        (self.database, self.work, self.patience) = (database, work, patience)
    }

    /// Runs a change, and returns its result when it is on the disk.
    ///
    /// - Parameter note: Called then by the thread that wrote it, before any caller is told.
    /// - Throws: `AuthStateError`.
    nonisolated(nonsending) func run<R: Sendable>(
        isTrial: Bool = false, note: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
        let result = Lock<Result<R, any Error>>(.failure(CancellationError()))
        await withCheckedContinuation { continuation in
            let perform = { @Sendable (connection: Connection) in
                let value = try body(connection)
                result.withLock { $0 = .success(value) }
            }
            let change = Change(isTrial: isTrial, perform: perform, note: note) { error in
                if let error { result.withLock { $0 = .failure(error) } }
                continuation.resume()
            }
            let isServed = queue.withLock { queue in
                queue.changes.append(change)
                defer { queue.isServed = true }
                return queue.isServed
            }
            if !isServed { Task { await serve() } }
        }
        return try result.withLock { $0 }.get()
    }

    /// Writes what waits, until nothing does.
    private func serve() async {
        while true {
            let changes = queue.withLock { queue in
                defer { queue.changes = [] }
                queue.isServed = !queue.changes.isEmpty
                return queue.changes
            }
            if changes.isEmpty { return }
            do {
                let errors = try await work.run(
                    within: patience, orThrow: .storeSilent(.storeUnwritable, self.database.path, isChange: true)
                ) { [database] in
                    try database.write { connection in
                        var errors = [(any Error)?](repeating: nil, count: changes.count)
                        for isTrial in [true, false] {
                            Self.perform(
                                changes.indices.filter { changes[$0].isTrial == isTrial }, of: changes, connection,
                                &errors)
                        }
                        return errors.map { $0.map { ($0 as? SQLiteFailure)?.error(.writing, database.path) ?? $0 } }
                    }
                }
                for (change, error) in zip(changes, errors) { change.finish(error) }
            } catch {
                for change in changes { change.finish(error) }
            }
        }
    }

    /// Performs changes of one kind in one transaction; when one of them fails, each in its own, so that it fails alone, but for
    /// failures of the database, which each of them would wait for.
    private static func perform(
        _ chosen: [Int], of changes: [Change], _ connection: Connection, _ errors: inout [(any Error)?]
    ) {
        guard let first = chosen.first else { return }
        do {
            try connection.transaction(isTrial: changes[first].isTrial) {
                for index in chosen { try changes[index].perform(connection) }
            }
            for index in chosen { changes[index].note() }
        } catch {
            if chosen.count == 1 { return errors[first] = error }
            if let failure = error as? SQLiteFailure, failure.isOfDatabase {
                for index in chosen { errors[index] = failure }
                return
            }
            for index in chosen { perform([index], of: changes, connection, &errors) }
        }
    }
}

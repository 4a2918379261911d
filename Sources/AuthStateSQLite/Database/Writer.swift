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
        // Apart: a change that was given up, and is made later all the same, stays a failure for its caller.
        let outcome = Lock<(value: R?, error: (any Error)?)>((nil, nil))
        await withCheckedContinuation { continuation in
            let perform = { @Sendable (connection: Connection) in
                let value = try body(connection)
                outcome.withLock { $0.value = value }
            }
            let change = Change(isTrial: isTrial, perform: perform, note: note) { error in
                outcome.withLock { $0.error = error }
                continuation.resume()
            }
            let isServed = queue.withLock { queue in
                queue.changes.append(change)
                defer { queue.isServed = true }
                return queue.isServed
            }
            if !isServed { serve() }
        }
        let (value, error) = outcome.withLock { $0 }
        guard let value, error == nil else { throw error ?? CancellationError() }
        return value
    }

    /// Writes what waits, until nothing does; the thread that wrote it tells the callers.
    private func serve() {
        let changes = queue.withLock { queue in
            defer { queue.changes = [] }
            queue.isServed = !queue.changes.isEmpty
            return queue.changes
        }
        if changes.isEmpty { return }
        work.start(
            within: patience, orThrow: .storeSilent(.storeUnwritable, self.database.path, isChange: true)
        ) { [database] in
            try database.write { Self.perform(changes, $0).map { $0.map { Self.error($0, database) } } }
        } then: { [self] result in
            switch result {
            case .success(let errors): for (change, error) in zip(changes, errors) { change.finish(error) }
            case .failure(let error): for change in changes { change.finish(error) }
            }
            serve()
        }
    }

    private static func error(_ error: any Error, _ database: Database) -> any Error {
        (error as? SQLiteFailure)?.error(.writing, database.path) ?? error
    }

    /// Performs changes, trials first; returns the errors of those that fail.
    private static func perform(_ changes: [Change], _ connection: Connection) -> [(any Error)?] {
        var errors = [(any Error)?](repeating: nil, count: changes.count)
        for isTrial in [true, false] {
            perform(changes.indices.filter { changes[$0].isTrial == isTrial }, of: changes, connection, &errors)
        }
        return errors
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

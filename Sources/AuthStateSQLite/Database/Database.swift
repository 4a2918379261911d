import AuthStateJOSE
import AuthStateLibc
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem
import CAuthStateSQLite
import Dispatch

/// The database by its path: connections that are lent to a thread, and the lock file beside it. Its functions block.
final class Database: Sendable {
    private struct State {
        /// The file of the connections; another one may take its name.
        var file: FileStatus?
        var idle: [Connection] = []
        var locks: LockFile?
    }

    let path: String
    private let warnings: FileWarnings
    private let state = Lock(State())

    init(_ path: String, _ warnings: FileWarnings) { (self.path, self.warnings) = (path, warnings) }

    /// Closes the connections on a thread that may block: the last one copies the log into the database.
    deinit {
        let idle = state.withLock { $0.idle }
        DispatchQueue(label: "AuthStateKit.Database").async { withExtendedLifetime(idle) {} }
    }

    /// Returns the lock file; makes it, and the folder, if they shall be there.
    func locks(creating: Bool) throws -> LockFile {
        if let locks = state.withLock({ $0.locks }), locks.isCurrent { return locks }
        // No folder is made where another user's link leads; other obstacles show below.
        if creating {
            do { _ = try FilePath.resolved(path) } catch is SystemCallError {}
            try FilePath.createFolders(to: FilePath.folder(of: path))
        }
        let real = try resolved()
        try checkFolder(of: real)
        let locks = try LockFile(real + ".lock", creating: creating)
        return state.withLock { state in
            // One for all threads: a lock is of the opening of the file.
            if let first = state.locks, first.isCurrent { return first }
            state.locks = locks
            return locks
        }
    }

    /// Reads from the database; nil where there is none, or nothing was ever saved in it. Creates nothing.
    func read<R>(_ body: (Connection) throws -> R) throws -> R? { try use(.reading, creating: false, body) }

    /// Runs a body with a connection to a database that is ready; makes the database if it is not there.
    func write<R>(_ body: (Connection) throws -> R) throws -> R {
        guard let result = try use(.writing, creating: true, body) else {
            throw SQLiteFailure(Int32(AuthStateSQLite_CORRUPT)).error(.writing, path)
        }
        return result
    }

    private func use<R>(
        _ purpose: SQLiteFailure.Purpose, creating: Bool, _ body: (Connection) throws -> R
    ) throws -> R? {
        do {
            let real = try resolved()
            guard let connection = try borrow(real, creating: creating) else { return nil }
            defer { giveBack(connection) }
            var isReady = try DatabaseFormat.isReady(connection, real)
            if creating, try !isReady || !DatabaseFormat.hasLog(connection) {
                try DatabaseFormat.make(connection, real)
                isReady = true
            }
            return isReady ? try body(connection) : nil
        } catch let failure as SQLiteFailure {
            throw failure.error(purpose, path)
        } catch let failure as SystemCallError {
            throw AuthStateError.store(
                purpose == .reading ? .storeUnreadable : .storeUnwritable, "The database cannot be opened:", path,
                failure)
        }
    }

    /// Takes a connection to the file that has the name now; nil where there is none.
    private func borrow(_ real: String, creating: Bool) throws -> Connection? {
        let found = try status(of: real)
        guard found != nil || creating else { return nil }
        let idle = state.withLock { state -> (connection: Connection?, isReplaced: Bool) in
            if let file = state.file, let found, file.isSameFile(as: found) { return (state.idle.popLast(), false) }
            defer { (state.file, state.idle) = (found, []) }
            return (nil, state.file != nil)
        }
        // Every state may be another one.
        if idle.isReplaced { try? locks(creating: false).count(nil) }
        if let connection = idle.connection { return connection }
        let model = try creating ? locks(creating: true).path : nil
        return try Connection(real, permissionsOf: model)
    }

    private func giveBack(_ connection: Connection) {
        // One that cannot end its transaction would keep the others from writing: it is closed.
        guard connection.rollBack() else { return }
        state.withLock { state in
            if state.file == nil { state.file = connection.file }
            if let file = state.file, file.isSameFile(as: connection.file) { state.idle.append(connection) }
        }
    }

    private func resolved() throws -> String {
        do { return try FilePath.resolved(path) } catch let error as SystemCallError {
            throw AuthStateError.store(.storeUnreadable, "The database cannot be found at", path, error)
        }
    }

    /// Checks the file, its folder and its log before SQLite opens it; nil where there is no file.
    private func status(of real: String) throws -> FileStatus? {
        let found: FileStatus?
        do { found = try FileStatus(ofFileAt: real) } catch {
            guard error.code == ENOENT else { throw error }
            found = nil
        }
        // SQLite would remove the log of an empty database, and with it what was saved last.
        if found?.size ?? 0 == 0, let log = try? FileStatus(ofFileAt: real + "-wal"), log.size > 0 {
            throw AuthStateError(
                .storeCorrupt, stage: .store,
                "The database is \(found == nil ? "missing" : "empty"), its log is there: \(real).",
                expected: "both, or neither", received: "the log \(real)-wal",
                hint: "Put the database back; to begin anew end all programs that use it and remove the log too.")
        }
        // In a folder that others can write, too, another user may have made a file that SQLite would write to or read.
        for suffix in ["-wal", "-shm", "-journal"] {
            if let file = try FileStatus.withoutFollowing(real + suffix) {
                try StateFile.checkOwnership(file, real + suffix)
            }
        }
        guard let found else { return nil }
        guard found.isRegular else {
            throw AuthStateError(
                .storeUnreadable, stage: .store, "The database is not a file: \(real).", expected: "a regular file",
                received: found.isFolder ? "a folder" : "a device, a pipe or a socket", hint: "Choose another path.")
        }
        try StateFile.checkOwnership(found, real)
        try checkFolder(of: real)
        if found.isOpenToOthers { warnings.reportExposed(real) }
        return found
    }

    private func checkFolder(of real: String) throws {
        let folder = FilePath.folder(of: real)
        guard let status = try? FileStatus(ofFileAt: folder) else { return }
        try StateFile.checkOwnership(status, folder)
    }
}

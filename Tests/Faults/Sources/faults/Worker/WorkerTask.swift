import AuthStateKit
import AuthStateSQLite
import CFaults
import Foundation

/// The task of a worker: a process of its own that holds a stored state, uses it, and reports what happened.
struct WorkerTask: Codable {
    /// The state's file, or the database that it is in.
    var file: String
    /// The kind of store that the file is of.
    var kind = StoreKind.file
    /// The seconds for which it asks for tokens again and again; 0 is once.
    var seconds = 0.0
    /// The protection that it leaves out.
    var without: Protection?
    /// The provider's port, for `killAt` and the times of the phases.
    var port: UInt16 = 0
    /// The phase in which it dies.
    var killAt: Phase?
    /// The call on a database's files that it dies before.
    var killAtCall = 0
    /// The system calls that fail.
    var failure: SystemFailure?
    /// A file with the seconds that its clock is ahead; none is the right time.
    var clock: String?
    /// The resource that it asks with each token, to learn whether the token is valid.
    var resource: URL?

    /// The plan of the worker's system calls.
    var plan: FaultsPlan {
        var plan = FaultsPlan()
        plan.killAt = killAt?.code ?? FaultsPhaseNone
        plan.port = Int32(port)
        plan.killAtCall = Int32(killAtCall)
        plan.lockIsAlwaysFree = without == .lease ? 1 : 0
        plan.renamesInPlace = without == .replacement ? 1 : 0
        plan.neverSynchronizes = without == .synchronizing ? 1 : 0
        if let failure {
            plan.failingCalls = failure.calls
            plan.errorNumber = failure.code
            plan.failures = failure.times
        }
        return plan
    }
}

/// The stores of this machine.
enum StoreKind: String, Codable {
    case file, sqlite

    /// The name of the file in its folder; `CFaults` knows the database by it.
    var name: String { self == .file ? "state.json" : "states.db" }

    func store(_ path: String) throws -> any AuthStateStore {
        switch self {
        case .file: FileAuthStateStore(file: path)
        case .sqlite: try SQLiteAuthStateStore(file: path)
        }
    }
}

/// System calls on the store's temporary files, or on a database's log, that fail.
struct SystemFailure: Codable {
    /// Of `FaultsCall`, one bit each.
    var calls: Int32
    /// The `errno`.
    var code: Int32
    /// The number of failures before they work again.
    var times: Int32 = .max

    static let noSpace = SystemFailure(
        calls: Int32((FaultsCallAllocate.rawValue | FaultsCallWrite.rawValue)), code: ENOSPC)
    static let readOnly = SystemFailure(calls: Int32(FaultsCallCreate.rawValue), code: EROFS)
    static let brokenDisk = SystemFailure(calls: Int32(FaultsCallSynchronize.rawValue), code: EIO, times: 1)
}

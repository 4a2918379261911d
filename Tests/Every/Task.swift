import AuthStateStorage
import AuthStateSystem

@testable import AuthStateKit

/// One call in a process: a machine, and the outcome of its last step, which it has not taken in yet.
struct Task {
    var work: Work
    var pending = Pending.nothing
    /// Whether the task holds a lease, and whether that is lost.
    var lease = Lease.none
    /// The number of operations on the store that failed in this task.
    var faults = 0
    /// Whether the machine has not been asked yet.
    var isFresh = true
    /// The decision that the task makes.
    var decision: Int?
    /// The decisions that count for a call: those that were done before it began, and an end by its own process.
    var knows: Set<Int> = []
    /// How often tokens had expired when a call began.
    var expiries = 0

    /// Whether a rotated refresh token is lost when the process, or the lease, is lost now.
    var maySpend: Bool {
        guard case .renewal(let renewal) = work else { return false }
        switch renewal.state {
        case .ready, .reading, .over, .saving(_, then: .decide), .saving(_, then: .fail), .saving(_, then: .refuse):
            return false
        case .reserving: if case .done = pending { return true } else { return false }
        // Saved already, before the ID token beside it is verified.
        case .verifying(let response, _, _): return response.idToken == nil
        default: return true
        }
    }

    enum Lease { case none, held, lost }

    enum Work {
        /// A call for tokens looks at the store: first, or after its renewal failed.
        case look(afterFailure: Bool)
        case wait(Waiting)
        case renewal(AuthState.Renewal)
        case storing(AuthState.Storing, login: String?)
    }

    /// What a task does when it gets the lease.
    enum Waiting { case renewal(grantID: String), storing(endOf: String?, login: String?) }

    /// An effect has happened already; its outcome comes later.
    enum Pending {
        case nothing
        case found(AuthState.Ledger.Reading, Box<AuthState.Record>?, StoredAuthState.Version?, isLeased: Bool)
        case saved(AuthState.Ledger.Writing, StoredAuthState.Version)
        case deleted(AuthState.Ledger.Writing)
        case done
        case failed(AuthStateError)
        case answer(AuthorizationService.Redemption, asked: AuthState.Stamp)
        case verified(Result<TokenResponse, AuthStateError>)
    }
}

enum Slot: Int, CaseIterable { case call, login, logout }

/// One thing that can come next.
enum Move: Hashable {
    case begin(Int, Slot)
    case go(Int, Slot, Chance?)
    case crash(Int)
    case loseLease
    case remove
    case expire
}

extension Slot {
    var chance: Chance {
        switch self {
        case .call: .call
        case .login: .login
        case .logout: .logout
        }
    }
}

/// What happens in a run, as values: the shrinker takes parts of it away.
struct Plan: Hashable {
    /// How many processes there are at first.
    var processes = 2
    /// How the provider treats refresh tokens.
    var provider = ProviderRules()
    /// Whether the store tells of changes, or has to be read from time to time.
    var isWatched = true
    /// What the processes and their users do; begun in this order, each at a moment that the schedule chooses.
    var actions: [Step] = []
    /// What goes wrong, by the number of the call.
    var faults: [Fault] = []
    /// Whether the schedule has slow calls: time passes although there is work.
    var isSlow = false
}

/// One action of one process.
struct Step: Hashable {
    /// Which process, counted from 1.
    var process: Int
    /// What it does.
    var action: Action

    /// Makes a step, for example `Step(1, .login)`.
    init(_ process: Int, _ action: Action) { (self.process, self.action) = (process, action) }
}

/// What processes, their users and their surroundings do.
enum Action: String, Hashable, CaseIterable {
    /// `freshTokens()`.
    case freshTokens
    /// `freshTokens()` with parameters, whose tokens are kept beside the default ones.
    case sideTokens
    /// `refresh()`.
    case refresh
    /// `withFreshToken`, whose body is refused the first token.
    case refusedToken
    /// A login of another user: tokens by `update(with:)`.
    case login
    /// A login by a page: `AuthState.authorize`, whose state takes the place of the process's.
    case authorize
    /// `clear()`.
    case clear
    /// `logOut()`.
    case logOut
    /// `revoke()`.
    case revoke
    /// `reload()`.
    case reload
    /// `save()`.
    case save
    /// `drain()`.
    case drain
    /// `setNeedsTokenRefresh()`.
    case needsRefresh
    /// The newest call of the process is cancelled.
    case cancel
    /// The process dies where it stands, and a new one takes its place by `AuthState.restore`.
    case crash
    /// The holder of the lease loses it: another process may acquire it.
    case loseLease
    /// The provider ends all grants of the user whom the process serves.
    case withdraw
    /// A quarter of a minute passes.
    case quarterMinute
    /// A minute passes.
    case minute
    /// The process's clock is set an hour ahead, or back to the right time.
    case setClock
}

/// How the provider treats refresh tokens.
struct ProviderRules: Hashable {
    /// Whether each renewal brings another refresh token.
    var rotates = true
    /// For how long a spent refresh token is still good, in seconds.
    var grace = 0.0
    /// Whether a spent refresh token ends the grant.
    var detectsReuse = true
    /// How long access tokens live, in seconds.
    var lifetime = 300
}

/// One thing that goes wrong: at the n-th call of its kind.
struct Fault: Hashable {
    /// What goes wrong.
    var kind: Kind
    /// At which call, counted from 1 over all processes.
    var number: Int

    /// Makes a fault, for example `Fault(.saveHangs, at: 1)`.
    init(_ kind: Kind, at number: Int) { (self.kind, self.number) = (kind, number) }

    /// Calls that can go wrong.
    enum Site: String, Hashable { case load, lease, reserve, save, delete, send }

    /// What can go wrong, and where.
    enum Kind: String, Hashable, CaseIterable {
        case loadFails, loadHangs, loadIsOld, loadIsEmpty
        case leaseFails
        case reserveFails
        case saveFailsBefore, saveFailsAfter, saveHangs
        case deleteFailsBefore, deleteFailsAfter
        case unreachable, requestLost, answerLost, answerHangs, busy, serverError, doubled

        /// The kind of call.
        var site: Site {
            switch self {
            case .loadFails, .loadHangs, .loadIsOld, .loadIsEmpty: .load
            case .leaseFails: .lease
            case .reserveFails: .reserve
            case .saveFailsBefore, .saveFailsAfter, .saveHangs: .save
            case .deleteFailsBefore, .deleteFailsAfter: .delete
            case .unreachable, .requestLost, .answerLost, .answerHangs, .busy, .serverError, .doubled: .send
            }
        }
    }
}

import AuthStateKit

/// The events of a run, as values: the shrinker takes parts of it away.
struct Plan: Hashable {
    /// The number of processes at first.
    var processes = 2
    /// The way in which each of them holds its states.
    var holding = Holding.state
    /// The kind of grant that users get.
    var grants = GrantKind.plain
    /// Whether both servers of a resource know the client beforehand; else it registers.
    var clientIsKnown = false
    /// The provider's rules for tokens.
    var provider = ProviderRules()
    /// Whether the store tells of changes, or has to be read from time to time.
    var isWatched = true
    /// The actions before anything goes wrong, in the first process.
    var first: [Action] = [.login]
    /// The actions of the processes and their users; begun in this order, each at a moment that the schedule chooses.
    var actions: [Step] = []
    /// The faults, by the number of the call.
    var faults: [Fault] = []
    /// Whether the schedule has slow calls: time passes although there is work.
    var isSlow = false
    /// Whether an action begins only when the calls before it have returned.
    var isInTurn = false
    /// The part that is broken on purpose, for a self-check.
    var breakage: Breakage?

    /// The keys under which the processes keep their states.
    var keys: [AuthStateKey] { holding == .pool ? ["first", "second"] : [.default] }
}

/// A way in which a process holds its states.
enum Holding: String, Hashable {
    /// One `AuthState`, which a login replaces.
    case state
    /// An `AuthStatePool` with room for one state, and two keys.
    case pool
    /// An `AuthSessionCore`.
    case session
    /// A `ResourceAccess`, which logs in by itself.
    case resource
}

/// The kind of grant that a login asks for.
enum GrantKind: String, Hashable {
    /// OAuth alone.
    case plain
    /// OpenID Connect, with signed ID tokens.
    case openID
    /// OAuth with tokens that are bound to a key (RFC 9449).
    case bound
    /// Both.
    case boundOpenID

    var isOpenID: Bool { self == .openID || self == .boundOpenID }
    var isBound: Bool { self == .bound || self == .boundOpenID }
}

/// A provider's rules for tokens.
struct ProviderRules: Hashable {
    /// Whether each renewal brings another refresh token.
    var rotates = true
    /// The seconds for which a spent refresh token is still accepted.
    var grace = 0.0
    /// Whether a spent refresh token ends the grant.
    var detectsReuse = true
    /// The lifetime of access tokens, in seconds.
    var lifetime = 300
    /// Whether each answer about a registration brings another registration access token, and each change another secret.
    var rotatesRegistrations = true
    /// Whether proofs have to repeat a nonce of the provider's.
    var wantsNonces = false
    /// Whether the scope for writing is never granted.
    var withholdsWriting = false
}

/// One action of one process.
struct Step: Hashable {
    /// The process, counted from 1.
    var process: Int
    /// The action.
    var action: Action
    /// The key of the state, counted from 0.
    var key: Int

    /// Makes a step, for example `Step(1, .login)`.
    init(_ process: Int, _ action: Action, key: Int = 0) {
        (self.process, self.action, self.key) = (process, action, key)
    }
}

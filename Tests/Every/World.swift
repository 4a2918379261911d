import AuthStateFoundation
import AuthStateStorage
import AuthStateSystem

@testable import AuthStateKit

/// Two processes that share a store and a provider, at one moment. The ledgers and the machines are those that ship.
struct World {
    var processes: [Process]
    var store = Store()
    var provider = Provider()
    /// What may still happen.
    var chances: Chances
    var ghost = Ghost()
    /// How often all access tokens have expired.
    var expiries = 0

    /// The stored record and its version.
    struct Store {
        var record: Box<AuthState.Record>?
        var version: StoredAuthState.Version?
        var saves = 0
        /// The process that holds the lease.
        var holder: Int?
        /// Whether a holder died, and nothing was saved since.
        var followsCrash = false
    }

    struct Process {
        var ledger: AuthState.Ledger
        /// The call for tokens, the login, the logout.
        var tasks: [Task?] = [nil, nil, nil]
        /// Whether there is a state. A process that starts again and finds no login has none.
        var hasState = true
        /// What the last call returned.
        var outcome = ""
    }

    /// A provider that rotates refresh tokens, and ends a grant whose old token is presented.
    struct Provider {
        /// The number of the newest token of each grant.
        var newest = [0]
        /// Whether an ID token comes with each answer, whose check may fail.
        var issuesIDTokens = false
        /// Whether an old token is refused and the grant stays.
        var isLenient = false
        /// How often tokens had expired when the grant was renewed last.
        var renewedAt = [0: 0]
        var dead: Set<Int> = []
    }

    /// What happened, as far as the promises need it.
    struct Ghost {
        /// The grants of which a refresh token may be sent twice: an answer, or a process between answer and save, was lost.
        var mayReuse: Set<Int> = []
        /// The access tokens that were saved.
        var stored: Set<String> = []
        var decisions: [Decision] = []
        /// The first promise that was broken.
        var broken: String?
    }

    /// A login, a logout or a removal.
    struct Decision {
        /// The grant that the login began; nil for an end.
        let grant: Int?
        /// Nil, too, after a crash, which leaves what was not stored nowhere.
        var process: Int?
        var state = State.running
        /// The decisions that were done when this one began.
        let after: Set<Int>
        enum State { case running, done, failed }
    }

    /// Makes a world with one login, which both processes have read.
    init(_ chances: Chances, clockBehind: Bool, isLenient: Bool) {
        self.chances = chances
        let provider = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: Self.endpoint)
        let record = AuthState.Record(Client(provider, id: "c")).applying(
            .loggedIn(nil, Self.response(grant: 0, number: 0, expiries: 0)), at: .init(time: Self.start, name: 1),
            grantID: Self.name(grant: 0))
        let box = Box(record)
        store.record = box
        store.version = Self.version(0)
        processes = (0..<2).map { _ in Process(ledger: AuthState.Ledger(box, version: Self.version(0))) }
        ghost.stored = ["a0.0"]
        behind = clockBehind ? 1 : 0
        self.provider.isLenient = isLenient
        self.provider.issuesIDTokens = chances[.badToken] > 0
    }

    /// Whether the second process's clock is behind: 1 or 0.
    let behind: Int

    // MARK: - Names, times

    static let endpoint = URL(string: "https://op.example/token")!
    /// The time of the first login, in microseconds.
    static let start: Int64 = 1_000_000_000
    static let lifetime = 3600.0

    static func version(_ number: Int) -> StoredAuthState.Version { .init(rawValue: "v\(number)") }
    static func name(grant: Int) -> String { "g\(grant)" }

    static func response(grant: Int, number: Int, expiries: Int, idToken: Bool = false) -> TokenResponse {
        let now = date(expiries)
        return TokenResponse(
            accessToken: "a\(grant).\(number)", issuedAt: now,
            accessTokenExpirationDate: now.addingTimeInterval(lifetime), refreshToken: "r\(grant).\(number)",
            idToken: idToken ? "i" : nil)
    }

    static func date(_ expiries: Int) -> Date {
        Date(timeIntervalSince1970: Double(start) / 1_000_000 + Double(expiries) * 2 * lifetime)
    }

    /// The time that a process's clock shows: a second later after each decision. A clock that is behind is behind by less than
    /// a token lasts.
    func now(_ process: Int) -> Date {
        Self.date(expiries).addingTimeInterval(Double(ghost.decisions.count - (process == 1 ? 600 * behind : 0)))
    }

    /// The stamp of a decision that a process makes now; its name is the process.
    func stamp(_ process: Int) -> AuthState.Stamp {
        let stamp = processes[process].ledger.newest.value.nextStamp(at: now(process))
        return AuthState.Stamp(time: stamp.time, name: UInt32(process + 1))
    }

    /// Replaces the random names that a process's last decision got.
    mutating func nameDecisions(of process: Int) {
        let name = UInt32(process + 1)
        let record = processes[process].ledger.newest.value
        var stamps = record.stamps
        for path in AuthState.Stamps.all where stamps[keyPath: path].name > 2 { stamps[keyPath: path].name = name }
        let grantID = record.grantID.count == 15 ? "removed\(process)" : record.grantID
        guard stamps != record.stamps || grantID != record.grantID else { return }
        var renamed = record
        (renamed.stamps, renamed.grantID) = (stamps, grantID)
        _ = processes[process].ledger.share { _ in renamed }
    }

    mutating func breaks(_ promise: String) { if ghost.broken == nil { ghost.broken = promise } }

    // MARK: - The provider

    mutating func redeem(_ token: String) -> AuthorizationService.Redemption {
        let parts = token.dropFirst().split(separator: ".").compactMap { Int($0) }
        let (grant, number) = (parts[0], parts[1])
        if number < provider.newest[grant] {
            if !ghost.mayReuse.contains(grant) { breaks("no refresh token is spent twice") }
            if !provider.isLenient { provider.dead.insert(grant) }
        }
        guard !provider.dead.contains(grant), number == provider.newest[grant] else {
            return .failed(AuthStateError(.invalidGrant, stage: .refresh, "Refused."), isUnconfirmed: false)
        }
        // A token that failed its check was withheld.
        let isWithheld = provider.issuesIDTokens && chances[.badToken] == 0
        if provider.renewedAt.updateValue(expiries, forKey: grant) == expiries, !isWithheld,
            !ghost.mayReuse.contains(grant)
        {
            breaks("tokens are renewed once in their lifetime")
        }
        provider.newest[grant] = number + 1
        return .tokens(
            Self.response(grant: grant, number: number + 1, expiries: expiries, idToken: provider.issuesIDTokens))
    }
}

/// What may happen, and how often.
enum Chance: Int, CaseIterable, Hashable {
    case login, logout, call, expiry, removal
    case crash, lostAnswer, failedWrite, ghostWrite, failedRead, lostLease, leaseTimeout, badToken
}

struct Chances: Hashable {
    private var left = [UInt8](repeating: 0, count: Chance.allCases.count)

    subscript(_ chance: Chance) -> Int {
        get { Int(left[chance.rawValue]) }
        set { left[chance.rawValue] = UInt8(newValue) }
    }

    /// Uses a chance up.
    mutating func take(_ chance: Chance) -> Bool {
        guard self[chance] > 0 else { return false }
        self[chance] -= 1
        return true
    }
}

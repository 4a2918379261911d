import AuthStateFoundation
import AuthStateSystem
import Testing

@testable import AuthStateKit

/// What a renewal does, step by step, without an actor, a store or a provider.
///
/// `>` stands before what happens in between; a step that fails has a `!`.
struct RenewalStepTests {
    /// What comes of the steps that can end in several ways; every other step succeeds.
    struct World: Sendable {
        var hasFreshTokens = false
        var issuesIDTokens = false
        var idTokenIsBad = false
        var failing: [String: [Int]] = [:]
        var answer: Answer = .tokens
        /// The step at which a user logs in, in this process.
        var loginAt: String?

        enum Answer: Sendable { case tokens, lost, refused, busy }
    }

    @Test(
        "each situation has its steps",
        arguments: [
            ("load, reserve, redeem, verify, last save, tokens 1", World()),
            ("load, tokens 0", World(hasFreshTokens: true)),
            // A refresh token is saved before the ID token beside it is verified.
            ("load, reserve, redeem, save, verify, last save, tokens 1", World(issuesIDTokens: true)),
            (
                "load, reserve, redeem, save, verify, save, invalidIDToken",
                World(issuesIDTokens: true, idTokenIsBad: true)
            ),
            ("load!, storeUnreadable", World(failing: ["load": [1]])),
            ("load, reserve!, storeUnreadable", World(failing: ["reserve": [1]])),
            ("load, reserve, redeem, verify, last save!, load, last save, tokens 1", World(failing: ["save": [1]])),
            (
                "load, reserve, redeem, verify, last save!, load, last save!, tokens 1",
                World(failing: ["save": [1, 2]])
            ),
            ("load, reserve, redeem, verify, last save!, load!, tokens 1", World(failing: ["save": [1], "load": [2]])),
            ("load, reserve, redeem, save, connectionLost", World(answer: .lost)),
            ("load, reserve, redeem, load, save, invalidGrant", World(answer: .refused)),
            ("load, reserve, redeem, load!, storeUnreadable", World(failing: ["load": [2]], answer: .refused)),
            ("load, reserve, redeem, save, temporarilyUnavailable", World(answer: .busy)),
            ("load, reserve, redeem, >login, save, superseded with 1", World(loginAt: "redeem")),
            ("load, reserve, redeem, verify, >login, save, superseded with 1", World(loginAt: "verify")),
            ("load, reserve, redeem, verify, last save, >login, save, superseded with 1", World(loginAt: "save")),
            ("load, >login, save, superseded", World(loginAt: "load")),
        ])
    func steps(_ expected: String, _ world: World) throws { #expect(try Self.play(world) == expected) }

    // MARK: -

    private static let now = Date(timeIntervalSince1970: 10_000)

    private static func tokens(_ name: String, at date: Date = now, idToken: Bool = false) -> TokenResponse {
        TokenResponse(
            accessToken: name, issuedAt: date, accessTokenExpirationDate: date.addingTimeInterval(3600),
            refreshToken: "refresh \(name)", idToken: idToken ? "id \(name)" : nil)
    }

    private static func play(_ world: World) throws -> String {
        let endpoint = try #require(URL(string: "https://op.example/token"))
        let client = Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: endpoint), id: "client")
        let issued = world.hasFreshTokens ? now : now.addingTimeInterval(-5000)
        let first = AuthState.Record(client).applying(.loggedIn(nil, tokens("0", at: issued)))
        var ledger = AuthState.Ledger(Box(first), version: .init(rawValue: "v0"))
        var options = AuthState.Options()
        options.renewalRetries = 0
        var renewal = AuthState.Renewal(.none, reason: .stale, grantID: first.grantID, options: options)
        let moment = AuthState.Renewal.Moment(now: now, remaining: .seconds(60), jitter: 1)
        let failure = AuthStateError(.storeUnreadable, stage: .store, "Failed.")
        var (steps, input, counts) = ([String](), AuthState.Renewal.Input.begin, [String: Int]())
        while steps.count < 20 {
            let step = renewal.next(input, &ledger, at: moment)
            let name: String
            var prefix = ""
            input = .done
            switch step {
            case .load: name = "load"
            case .save(let isLast): (name, prefix) = ("save", isLast ? "last " : "")
            case .reserve: name = "reserve"
            case .pause: name = "pause"
            case .redeem:
                name = "redeem"
                input = .answer(redemption(world), asked: ledger.newest.value.nextStamp(at: now))
            case .verify(let response):
                name = "verify"
                let error = AuthStateError(.invalidIDToken, stage: .refresh, "Bad.")
                input = .verified(world.idTokenIsBad ? .failure(error) : .success(response))
            case .finish(.tokens(let response)):
                return (steps + ["tokens \(response.accessToken)"]).joined(separator: ", ")
            case .finish(.superseded(let late)):
                let end = late.map { "superseded with \($0.accessToken)" } ?? "superseded"
                return (steps + [end]).joined(separator: ", ")
            case .finish(.failed(let error)):
                let code = (error as? AuthStateError)?.code.rawValue ?? "\(error)"
                return (steps + [code]).joined(separator: ", ")
            }
            counts[name, default: 0] += 1
            let count = counts[name] ?? 0
            if world.failing[name]?.contains(count) == true {
                (input, steps) = (.failed(failure), steps + ["\(prefix)\(name)!"])
                continue
            }
            steps.append(prefix + name)
            if name == "save" { _ = try ledger.saved(ledger.writing, as: .init(rawValue: "v\(count)")) }
            if name == world.loginAt, count == 1 {
                steps.append(">login")
                _ = ledger.apply(.loggedIn(nil, tokens("login")), at: ledger.newest.value.nextStamp(at: now))
            }
        }
        return (steps + ["no end"]).joined(separator: ", ")
    }

    private static func redemption(_ world: World) -> AuthorizationService.Redemption {
        switch world.answer {
        case .tokens: return .tokens(tokens("1", idToken: world.issuesIDTokens))
        case .lost:
            return .failed(AuthStateError(.connectionLost, stage: .refresh, "Lost."), isUnconfirmed: true)
        case .refused:
            return .failed(AuthStateError(.invalidGrant, stage: .refresh, "Refused."), isUnconfirmed: false)
        case .busy:
            var error = AuthStateError(.temporarilyUnavailable, stage: .refresh, "Busy.")
            error.retryAfter = .seconds(120)
            return .failed(error, isUnconfirmed: false)
        }
    }
}

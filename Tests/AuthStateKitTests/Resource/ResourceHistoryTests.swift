import AuthStateFoundation
import AuthStateOAuth
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// The rules of `ResourceAccess.History`, one row each.
struct ResourceHistoryTests {
    typealias History = ResourceAccess.History
    private let issuer: Issuer
    private let other: Issuer

    init() throws { (issuer, other) = (try Issuer("https://op.example"), try Issuer("https://other.example")) }

    @Test("a call shares the failure of a login that ended after the call had begun")
    func failures() {
        var history = History()
        let before = history.ended
        history.loginEnded(AuthStateError.noLogin)
        #expect(history.failure(since: before) != nil)
        #expect(history.failure(since: history.ended) == nil, "a call that begins now tries again")
        history.loginEnded(nil)
        #expect(history.failure(since: before) == nil, "a later login succeeded")
    }

    @Test("a cancelled login ends, and is no failure of other calls")
    func cancelled() {
        var history = History()
        history.loginEnded(CancellationError())
        #expect(history.ended == 1 && history.failure(since: 0) == nil)
    }

    struct StepUpRow: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The logins for more rights of this operation, and of this call.
        var operation = 0, call = 0
        /// The missing scopes, and those among them that a login was not granted.
        var missing: [Scope] = []
        var notGranted: [Scope] = []
        var next: History.StepUp
    }

    @Test(
        "a login for more rights is made where a scope is missing, twice at most",
        arguments: [
            StepUpRow(testDescription: "the first", missing: ["a"], next: .login(number: 1)),
            StepUpRow(testDescription: "nothing is missing", next: .inVain(after: 0)),
            StepUpRow(testDescription: "nothing is missing after a login", operation: 1, next: .inVain(after: 1)),
            StepUpRow(
                testDescription: "the second of an operation", operation: 1, missing: ["a"], next: .login(number: 2)),
            StepUpRow(
                testDescription: "the third of an operation", operation: 2, missing: ["a"], next: .inVain(after: 2)),
            StepUpRow(testDescription: "the third of a call", call: 2, missing: ["a"], next: .inVain(after: 2)),
            StepUpRow(
                testDescription: "a scope that was not granted", missing: ["a"], notGranted: ["a"],
                next: .notGranted(["a"])),
            StepUpRow(
                testDescription: "one of two scopes that was not granted", missing: ["a", "b"], notGranted: ["a"],
                next: .login(number: 1)),
        ])
    func stepUp(_ row: StepUpRow) {
        var history = History()
        if row.operation > 0 { history.steppedUp(for: "read", number: row.operation) }
        history.granted([], of: row.notGranted)
        let next = history.stepUp(for: "read", call: row.call, missing: row.missing, limit: 2)
        #expect(next == row.next)
    }

    /// Returns what comes after two logins for "a" in vain, and something that happened then.
    private func afterTwo(_ change: (inout History) -> Void) -> History.StepUp {
        var history = History()
        history.steppedUp(for: "read", number: 2)
        history.granted([], of: ["a"])
        change(&history)
        return history.stepUp(for: "read", call: 0, missing: ["a"], limit: 2)
    }

    @Test(
        "a login by the program resets the count; an allowed operation or a granted scope alone does not"
    )
    func countedAnew() {
        #expect(afterTwo { _ in } == .inVain(after: 2))
        #expect(afterTwo { $0.loginWanted() } == .login(number: 1))
        #expect(afterTwo { $0.allowed("read") } == .notGranted(["a"]), "the scope was never granted")
        #expect(afterTwo { $0.granted(["a"], of: ["a"]) } == .inVain(after: 2), "the operation was never allowed")
        #expect(
            afterTwo {
                $0.allowed("read"); $0.granted(["a"], of: ["a"])
            } == .login(number: 1))
        #expect(
            afterTwo {
                $0.allowed("write"); $0.granted(["a"], of: ["a"])
            } == .inVain(after: 2))
    }

    @Test("offline_access is never asked for in vain: servers grant it as a refresh token")
    func offlineAccess() {
        var history = History()
        history.granted([], of: [.offlineAccess])
        #expect(history.stepUp(for: nil, call: 0, missing: [.offlineAccess], limit: 2) == .login(number: 1))
    }

    @Test("operations beyond 256 are forgotten, however many paths a program asks for")
    func bounded() {
        var history = History()
        for number in 0..<257 { history.steppedUp(for: "GET /\(number)", number: 2) }
        #expect(history.stepUp(for: "GET /0", call: 0, missing: ["a"], limit: 2) == .login(number: 1))
        #expect(history.stepUp(for: "GET /256", call: 0, missing: ["a"], limit: 2) == .inVain(after: 2))
    }

    @Test(
        "a second refused grant stops further logins until the resource allows an operation")
    func refusals() {
        var history = History()
        let answers = ["first", "first", "second", "third"].map { history.refused($0) }
        #expect(answers == [false, false, true, true])
        history.allowed("read")
        let next = history.refused("fourth")
        #expect(!next)
    }

    @Test("a forgotten client is forgotten at its server, until it is registered again")
    func forgotten() {
        var history = History()
        let news = [history.forget("id", at: issuer), history.forget("id", at: issuer)]
        #expect(news == [true, false])
        #expect(history.isForgotten("id", at: issuer) && !history.isForgotten("id", at: other))
        history.registered("id", at: issuer)
        #expect(!history.isForgotten("id", at: issuer))
    }

    @Test("a program that registers anew does so once: the kept registration is forgotten, the next one is used")
    func registersAnew() throws {
        let kept = try RegistrationResponse(
            TransportResponse(
                status: 201, headers: ["Content-Type": "application/json"], body: Data(#"{"client_id":"old"}"#.utf8)))
        var history = History(distrustsRegistration: true)
        let registrations = [history.trusted(kept, at: issuer), history.trusted(kept, at: issuer)]
        #expect(registrations == [nil, kept] && history.isForgotten("old", at: issuer))
    }

    @Test("scopes that a server refuses a login without, too, were not the reason")
    func wronglyRetired() {
        var history = History()
        history.unlisted = ["admin"]
        #expect(history.scopesRefused() && history.retired == ["admin"])
        history.unlisted = []
        #expect(!history.scopesRefused() && history.retired.isEmpty)
    }
}

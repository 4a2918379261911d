import AuthStateFoundation
import AuthStateSystem
import Testing

@testable import AuthStateKit

/// The ledger after each history, without an actor, a store or a clock.
///
/// The second page to read, after `RecordTests`: each row is a history of one state and what is known at its end.
struct LedgerTests {
    /// What can happen. Another process's record is told by what happened to the login that both began with.
    enum Step: Sendable {
        case event(AuthState.Event, at: Int64)
        /// A login is the first grant of a state over what is stored.
        case begins(AuthState.Event, at: Int64, over: [Elsewhere]?)
        case readingBegins
        case finds([Elsewhere], version: String)
        case findsNothing
        /// A reading without the lease.
        case sees([Elsewhere], version: String)
        case writingBegins
        case saved(version: String)
        case deleted
        case saveFails
        case ownSaveFails
        /// Tokens came for parameters with this number, which is also the time of their issue.
        case tookSideTokens(Int)
        case renewedRejected
        /// The end of this process's grant is known elsewhere, and stored there.
        case findsOwnLoginEnded(at: Int64, version: String)
    }

    struct Elsewhere: Sendable {
        let event: AuthState.Event
        let time: Int64

        init(_ event: AuthState.Event, _ time: Int64) { (self.event, self.time) = (event, time) }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let expected: String

        init(_ name: String, _ steps: [Step], _ expected: String) {
            (testDescription, self.steps, self.expected) = (name, steps, expected)
        }
    }

    static let error = AuthStateError(.storeUnwritable, stage: .store, "Full.")

    static func login(_ name: String) -> AuthState.Event { .loggedIn(nil, tokens(name)) }
    static func renewed(_ name: String) -> AuthState.Event { .renewed(tokens(name)) }

    private static func tokens(_ name: String, at time: Int = 0) -> TokenResponse {
        TokenResponse(
            accessToken: "access \(name)", issuedAt: Date(timeIntervalSince1970: Double(time)),
            refreshToken: "refresh \(name)")
    }

    private static func stamp(_ time: Int64) -> AuthState.Stamp { AuthState.Stamp(time: time, name: 1) }

    @Test(
        "readers see what is stored, an end at once, and what could not be saved",
        arguments: [
            Row("at the beginning all three are the same", [], "0 | shown 0 | stored v1 0"),
            Row(
                "a renewal is not shown before it is saved", [.event(renewed("1"), at: 20)], "1 | shown 0 | stored v1 0"
            ),
            Row(
                "it is shown once it is saved", [.event(renewed("1"), at: 20), .writingBegins, .saved(version: "v2")],
                "1 | shown 1 | stored v2 1"),
            Row(
                "what changed during a save is not in it",
                [
                    .event(renewed("1"), at: 20), .writingBegins, .event(renewed("2"), at: 30), .saved(version: "v2"),
                ], "2 | shown 1 | stored v2 1"),
            Row(
                "what could not be saved is shown with the reason", [.event(renewed("1"), at: 20), .saveFails],
                "1 | shown 1 | stored v1 0 | unsaved"),
            Row(
                "a later save takes the reason away",
                [.event(renewed("1"), at: 20), .saveFails, .writingBegins, .saved(version: "v2")],
                "1 | shown 1 | stored v2 1"),
            Row(
                "what was shown as unsaved stays shown beside a save that does not have it",
                [
                    .event(renewed("1"), at: 20), .writingBegins, .event(renewed("2"), at: 30), .saveFails,
                    .saved(version: "v2"),
                ], "2 | shown 2 | stored v2 1 | unsaved"),
            Row("a failure is forgotten when nothing is unsaved", [.saveFails], "0 | shown 0 | stored v1 0"),
            Row("an end is shown at once", [.event(.loggedOut, at: 20)], "ended | shown ended | stored v1 0"),
        ])
    func shows(_ row: Row) throws { try check(row) }

    @Test(
        "what another process stored is taken in",
        arguments: [
            Row(
                "its renewal", [.readingBegins, .finds([.init(renewed("2"), 20)], version: "v2")],
                "2 | shown 2 | stored v2 2"),
            Row(
                "beside an unsaved renewal, the later of the two",
                [
                    .event(renewed("1"), at: 30), .readingBegins, .finds([.init(renewed("2"), 20)], version: "v2"),
                ], "1 | shown 2 | stored v2 2"),
            Row(
                "its login, over an unsaved renewal",
                [.event(renewed("1"), at: 20), .readingBegins, .finds([.init(login("2"), 30)], version: "v2")],
                "2 | shown 2 | stored v2 2"),
            Row(
                "a reading of the known version changes nothing",
                [.readingBegins, .finds([.init(login("2"), 30)], version: "v1")], "0 | shown 0 | stored v1 0"),
            Row(
                "a removal ends what was stored", [.readingBegins, .findsNothing],
                "ended | shown ended | stored - ended"),
            Row(
                "a login that is found after a removal is later, also when the clocks disagree",
                [
                    .readingBegins, .findsNothing, .readingBegins, .finds([.init(login("2"), 8)], version: "v2"),
                ], "2 | shown 2 | stored v2 2"),
            Row(
                "a removal does not end a login that was never stored",
                [.event(login("1"), at: 30), .readingBegins, .findsNothing],
                "1 | shown ended | stored - nothing | undecided"),
            Row(
                "a removal ends what was stored at the last reading, also what was decided after it was first stored",
                [
                    .readingBegins, .finds([.init(renewed("2"), 50)], version: "v2"), .readingBegins, .findsNothing,
                ], "ended | shown ended | stored - ended"),
            Row(
                "the end of a login needs no saving when nothing is stored under the lease",
                [.readingBegins, .findsNothing, .event(.loggedOut, at: 90), .readingBegins, .findsNothing],
                "ended | shown ended | stored - ended"),
        ])
    func takesIn(_ row: Row) throws { try check(row) }

    @Test(
        "an outcome that comes after a later one has no effect",
        arguments: [
            Row(
                "a look that began before a save",
                [
                    .readingBegins, .event(renewed("1"), at: 20), .writingBegins, .saved(version: "v3"),
                    .sees([.init(renewed("2"), 15)], version: "v2"),
                ], "1 | shown 1 | stored v3 1"),
            Row(
                "a look that began before a deletion brings no deleted version back",
                [
                    .event(.loggedOut, at: 20), .writingBegins, .saved(version: "v2"), .readingBegins, .writingBegins,
                    .deleted, .sees([.init(.loggedOut, 20)], version: "v2"),
                ], "ended | shown ended | stored - ended"),
            Row(
                "a save whose lease was lost does not set the version back",
                [
                    .event(renewed("1"), at: 20), .writingBegins, .readingBegins,
                    .finds([.init(login("2"), 30)], version: "v3"), .saved(version: "v2"),
                ], "2 | shown 2 | stored v3 2 | conflict"),
            Row(
                "a deletion whose lease was lost does not hide a later login",
                [
                    .event(.loggedOut, at: 20), .writingBegins, .readingBegins,
                    .finds([.init(login("2"), 30)], version: "v3"), .deleted,
                ], "2 | shown 2 | stored v3 2"),
            Row(
                "a save that a look has seen already counts",
                [
                    .event(renewed("1"), at: 20), .writingBegins, .readingBegins,
                    .sees([.init(renewed("1"), 20)], version: "v2"), .saved(version: "v2"),
                ], "1 | shown 1 | stored v2 1"),
        ])
    func order(_ row: Row) throws { try check(row) }

    @Test(
        "a login is later than the stored state that it finds, until it is stored or its own save has failed",
        arguments: [
            Row(
                "over a login elsewhere with a clock ahead",
                [.event(login("1"), at: 20), .readingBegins, .finds([.init(login("2"), 500)], version: "v2")],
                "1 | shown 2 | stored v2 2 | undecided"),
            Row(
                "over a logout elsewhere with a clock ahead",
                [.event(login("1"), at: 20), .readingBegins, .finds([.init(.loggedOut, 500)], version: "v2")],
                "1 | shown ended | stored v2 ended | undecided"),
            Row(
                "not over the end of this very login",
                [.event(login("1"), at: 20), .readingBegins, .findsOwnLoginEnded(at: 30, version: "v3")],
                "ended | shown ended | stored v3 ended"),
            Row(
                "another failed save does not decide it",
                [
                    .event(login("1"), at: 20), .saveFails, .readingBegins,
                    .finds([.init(.loggedOut, 500)], version: "v2"),
                ], "1 | shown 1 | stored v2 ended | unsaved | undecided"),
            Row(
                "its own failed save does",
                [
                    .event(login("1"), at: 20), .ownSaveFails, .readingBegins,
                    .finds([.init(.loggedOut, 500)], version: "v2"),
                ], "ended | shown ended | stored v2 ended | unsaved"),
            Row(
                "once it is stored, a later logout ends it",
                [
                    .event(login("1"), at: 20), .writingBegins, .saved(version: "v2"), .readingBegins,
                    .findsOwnLoginEnded(at: 30, version: "v3"),
                ], "ended | shown ended | stored v3 ended"),
            Row(
                "as the first grant, over what is stored, and shown when it is saved",
                [.begins(login("1"), at: 20, over: [.init(login("2"), 500)])], "1 | shown 0 | stored v2 2 | undecided"),
            Row(
                "as the first grant, with nothing stored", [.begins(login("1"), at: 20, over: nil)],
                "1 | shown 0 | stored - nothing | undecided"),
        ])
    func logins(_ row: Row) throws { try check(row) }

    @Test(
        "what belongs to a grant goes with it",
        arguments: [
            Row(
                "it stays with a renewal", [.tookSideTokens(1), .renewedRejected, .event(renewed("1"), at: 20)],
                "1, rejected"),
            Row("it goes with a login", [.tookSideTokens(1), .renewedRejected, .event(login("1"), at: 20)], "0"),
            Row("it goes with an end", [.tookSideTokens(1), .renewedRejected, .event(.loggedOut, at: 20)], "0"),
        ])
    func companions(_ row: Row) throws {
        let ledger = try play(row.steps).ledger
        let rejected = ledger.lastRejected.map { _ in ", rejected" } ?? ""
        #expect("\(ledger.sideTokens.count)\(rejected)" == row.expected)
    }

    @Test("sixteen tokens for parameters are kept: a new one replaces the oldest, a renewed one none other")
    func sixteenSideTokens() throws {
        func kept(_ last: Int) throws -> Set<String> {
            let steps = ((1...16) + [last]).map(Step.tookSideTokens)
            return Set(try play(steps).ledger.sideTokens.values.map(\.accessToken))
        }
        #expect(try kept(9) == Set((1...16).map { "access \($0)" }))
        #expect(try kept(17) == Set((2...17).map { "access \($0)" }))
    }

    // MARK: -

    private func check(_ row: Row) throws {
        let (ledger, isConflict) = try play(row.steps)
        let parts = [
            summary(ledger.newest), "shown \(summary(ledger.shown))",
            "stored \(ledger.version?.rawValue ?? "-") \(summary(ledger.stored))",
            isConflict ? "conflict" : nil, ledger.storeError == nil ? nil : "unsaved",
            ledger.undecided == nil ? nil : "undecided",
        ]
        #expect(parts.compactMap(\.self).joined(separator: " | ") == row.expected)
    }

    private func summary(_ box: Box<AuthState.Record>?) -> String {
        guard let record = box?.value else { return "nothing" }
        if record.isLoggedOut { return "ended" }
        let names = [record.lastTokenResponse?.accessToken, record.refreshToken]
        return Set(names.compactMap { $0?.split(separator: " ").last.map(String.init) }).sorted().joined(separator: "+")
    }

    private func play(_ steps: [Step]) throws -> (ledger: AuthState.Ledger, isConflict: Bool) {
        let token = try #require(URL(string: "https://op.example/token"))
        let client = Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: token), id: "client")
        let first = AuthState.Record(client).applying(Self.login("0"), at: Self.stamp(10))
        var ledger = AuthState.Ledger(Box(first), version: .init(rawValue: "v1"))
        let now = Date(timeIntervalSince1970: 0.00004)
        var (reading, writing) = (ledger.reading(at: now), ledger.writing)
        var isConflict = false
        func record(_ elsewhere: [Elsewhere]) -> AuthState.Record {
            elsewhere.reduce(first) { $0.applying($1.event, at: Self.stamp($1.time)) }
        }
        for step in steps {
            switch step {
            case .event(let event, let time): _ = ledger.apply(event, at: Self.stamp(time))
            case .begins(let event, let time, let over):
                let date = Date(timeIntervalSince1970: Double(time) / 1_000_000)
                _ = ledger.begin(with: event, at: date, over: over.map(record), over.map { _ in .init(rawValue: "v2") })
            case .readingBegins: reading = ledger.reading(at: now)
            case .finds(let elsewhere, let version):
                _ = ledger.found(.init(rawValue: version), by: reading, isLeased: true) { _ in record(elsewhere) }
            case .findsNothing: _ = ledger.found(nil, by: reading, isLeased: true) { _ in nil }
            case .sees(let elsewhere, let version):
                _ = ledger.found(.init(rawValue: version), by: reading) { _ in record(elsewhere) }
            case .findsOwnLoginEnded(let time, let version):
                let ended = ledger.newest.value.applying(.loggedOut, at: Self.stamp(time))
                _ = ledger.found(.init(rawValue: version), by: reading, isLeased: true) { _ in ended }
            case .writingBegins: writing = ledger.writing
            case .saved(let version):
                do { _ = try ledger.saved(writing, as: .init(rawValue: version)) } catch {
                    #expect((error as? AuthStateError)?.code == .storeConflict)
                    isConflict = true
                }
            case .deleted: _ = ledger.deleted(writing)
            case .saveFails: _ = ledger.saveFailed(Self.error)
            case .ownSaveFails: _ = ledger.saveFailed(Self.error, of: ledger.newest.value.grantID)
            case .tookSideTokens(let number):
                let parameters = RenewalParameters(scopes: [Scope("\(number)")])
                _ = ledger.renewed(Self.tokens("\(number)", at: number), for: parameters)
            case .renewedRejected: _ = ledger.renewed(Self.tokens("1"), for: .none, rejected: "access 0")
            }
        }
        return (ledger, isConflict)
    }
}

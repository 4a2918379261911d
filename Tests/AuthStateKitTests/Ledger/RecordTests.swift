import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// The whole behaviour of a state, without an actor, a store or a provider: what an event does to it, and how two merge.
///
/// Begin here: the other tests are about when these two functions are called, and what is saved and shown in between.
struct RecordTests {
    /// A state with tokens, a refresh token and an ID token, all given at the time 1,000.
    private let login: AuthState.Record
    private static let error = AuthStateError(.invalidGrant, stage: .refresh, "Refused.")
    private static let pause = AuthState.RenewalPause(until: Date(timeIntervalSince1970: 60), error: error)

    init() throws {
        login = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: URL(string: "https://op.example/authorize"),
                    tokenEndpoint: try #require(URL(string: "https://op.example/token"))), id: "client")
        ).applying(.loggedIn(nil, Self.tokens("0", idToken: "ID 0"), requestedScope: "mail"), at: Self.stamp(1000))
    }

    private static func stamp(_ time: Int64) -> AuthState.Stamp { AuthState.Stamp(time: time, name: 1) }

    private static func tokens(_ name: String, refresh: Bool = true, idToken: String? = nil) -> TokenResponse {
        TokenResponse(
            accessToken: "access \(name)", issuedAt: Date(timeIntervalSince1970: 0),
            refreshToken: refresh ? "refresh \(name)" : nil, idToken: idToken)
    }

    private static func summary(_ record: AuthState.Record) -> String {
        let parts = [
            record.isLoggedOut ? "logged out" : nil, record.lastTokenResponse?.accessToken, record.refreshToken,
            record.idToken, record.authorizationError.map { "error \($0.code.rawValue)" },
            record.needsTokenRefresh ? "wish" : nil, record.unconfirmedRenewal.map { _ in "unconfirmed" },
            record.renewalPause.map { _ in "pause" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    // MARK: What an event does

    private static let whole = "access 0, refresh 0, ID 0"

    @Test(
        "an event changes exactly its part",
        arguments: [
            (AuthState.Event.tokens(tokens("1")), "access 1, refresh 1, ID 0"),
            (.tokens(tokens("1", refresh: false)), "access 1, refresh 0, ID 0"),
            (.loggedIn(nil, tokens("1", refresh: false)), "access 1"),
            (.failed(error), "\(whole), error invalidGrant"),
            (.tokenRefused("access 0", error), "\(whole), error invalidGrant"),
            (.tokenRefused("refresh 0", error), "\(whole), error invalidGrant"),
            (.tokenRefused("an older one", error), whole),
            (.refreshRequested, "\(whole), wish"),
            (.renewed(tokens("1", idToken: "ID 1")), "access 1, refresh 1, ID 1"),
            (.renewed(tokens("1", refresh: false)), "access 1, refresh 0, ID 0"),
            (.rotated(refreshToken: "refresh 1"), "access 0, refresh 1, ID 0"),
            (.renewalRefused(refreshToken: "refresh 1", pause: pause), "access 0, refresh 1, ID 0, pause"),
            (.renewalRefused(refreshToken: nil, pause: pause), "\(whole), pause"),
            (.renewalUnconfirmed, "\(whole), unconfirmed"),
            (.loggedOut, "logged out"),
            (.registrationDeleted(clientID: "client"), "logged out"),
            (.registrationDeleted(clientID: "another"), whole),
        ] as [(AuthState.Event, String)])
    func transition(_ event: AuthState.Event, _ expected: String) {
        #expect(Self.summary(login.applying(event)) == expected)
    }

    @Test(
        "newer tokens end an error, a pause, an unconfirmed renewal and the wish to renew",
        arguments: [
            .failed(error), .tokenRefused("access 0", error), .refreshRequested, .renewalUnconfirmed,
            .renewalRefused(refreshToken: nil, pause: pause),
        ] as [AuthState.Event])
    func answered(_ event: AuthState.Event) {
        #expect(Self.summary(login.applying(event).applying(.renewed(Self.tokens("1")))) == "access 1, refresh 1, ID 0")
    }

    @Test func `a newer refresh token ends the refusal of the one before, and no other error`() {
        let refused = login.applying(.tokenRefused("refresh 0", Self.error))
        #expect(Self.summary(refused.applying(.rotated(refreshToken: "refresh 1"))) == "access 0, refresh 1, ID 0")
        let denied = login.applying(.tokenRefused("access 0", AuthStateError(.accessDenied, stage: .resource, "No.")))
        let rotated = denied.applying(.rotated(refreshToken: "refresh 1"))
        #expect(Self.summary(rotated) == "access 0, refresh 1, ID 0, error accessDenied")
        #expect(Self.summary(rotated.applying(.renewed(Self.tokens("2")))) == "access 2, refresh 2, ID 0")
    }

    @Test func `a renewal does not end a wish to renew that was made after it was sent`() {
        let wished = login.applying(.refreshRequested, at: Self.stamp(3000))
        let renewed = wished.applying(.renewed(Self.tokens("1")), at: Self.stamp(2000))
        #expect(Self.summary(renewed) == "access 1, refresh 1, ID 0, wish")
    }

    // MARK: How two merge

    /// Two processes know the same login; each sees something happen at its time.
    @Test(
        "the later value of each part stands",
        arguments: [
            (.renewed(tokens("1")), .renewed(tokens("2")), "access 2, refresh 2, ID 0"),
            (.renewed(tokens("1")), .rotated(refreshToken: "refresh 2"), "access 1, refresh 2, ID 0"),
            (.renewed(tokens("1")), .refreshRequested, "access 1, refresh 1, ID 0, wish"),
            (.refreshRequested, .renewed(tokens("1")), "access 1, refresh 1, ID 0"),
            (.renewed(tokens("1")), .tokenRefused("access 0", error), "access 1, refresh 1, ID 0"),
            (.renewed(tokens("1")), .tokenRefused("refresh 0", error), "access 1, refresh 1, ID 0"),
            (.rotated(refreshToken: "refresh 1"), .tokenRefused("refresh 0", error), "access 0, refresh 1, ID 0"),
            (.renewed(tokens("1")), .failed(error), "access 1, refresh 1, ID 0, error invalidGrant"),
            (.renewed(tokens("1")), .loggedOut, "logged out"),
            (.loggedOut, .renewed(tokens("1")), "logged out"),
            (.loggedOut, .loggedIn(nil, tokens("1")), "access 1, refresh 1"),
            (.loggedIn(nil, tokens("1")), .loggedOut, "logged out"),
            (.loggedIn(nil, tokens("1")), .loggedIn(nil, tokens("2", refresh: false)), "access 2"),
            (.loggedIn(nil, tokens("1")), .renewed(tokens("2")), "access 1, refresh 1"),
            (.renewalUnconfirmed, .refreshRequested, "\(whole), wish, unconfirmed"),
        ] as [(AuthState.Event, AuthState.Event, String)])
    func merge(_ earlier: AuthState.Event, _ later: AuthState.Event, _ expected: String) {
        let (one, two) = (login.applying(earlier, at: Self.stamp(2000)), login.applying(later, at: Self.stamp(3000)))
        #expect(Self.summary(one.merged(with: two)) == expected)
    }

    /// One state for each event, and for each that follows another; no two stamps are equal.
    private func states() throws -> [AuthState.Record] {
        let answer = TransportResponse(
            status: 201, headers: ["Content-Type": "application/json"], body: Data(#"{"client_id":"client"}"#.utf8))
        var another = answer
        another.body = Data(#"{"client_id":"another"}"#.utf8)
        let events: [AuthState.Event] = [
            .tokens(Self.tokens("1")), .loggedIn(nil, Self.tokens("2", idToken: "ID 2")), .failed(Self.error),
            .tokenRefused("access 0", Self.error), .refreshRequested, .renewed(Self.tokens("3")),
            .rotated(refreshToken: "refresh 4"), .renewalRefused(refreshToken: nil, pause: Self.pause),
            .renewalUnconfirmed, .loggedOut, .registrationChanged(try RegistrationResponse(answer)),
            .registered(try RegistrationResponse(another)), .registrationDeleted(clientID: "client"),
        ]
        var time: Int64 = 1000
        func next() -> AuthState.Stamp {
            time += 1
            return Self.stamp(time)
        }
        let once = events.map { login.applying($0, at: next()) }
        let twice = [5, 1, 9, 10, 6].flatMap { first in events.map { once[first].applying($0, at: next()) } }
        // Of all pairs a third: every triple of them is merged.
        return [login] + once + twice.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
    }

    @Test func `merging two states gives one result, whichever is asked, and merging again changes nothing`() throws {
        let states = try states()
        for one in states {
            #expect(one.merged(with: one) == one)
            for two in states {
                let merged = one.merged(with: two)
                #expect(merged == two.merged(with: one))
                #expect(merged == merged.merged(with: two))
            }
        }
    }

    /// The same without what is registered of the client.
    private static func unregistered(_ record: AuthState.Record) -> AuthState.Record {
        var record = record
        (record.lastRegistrationResponse, record.client.credential) = (nil, .none)
        record.stamps.registration = .never
        return record
    }

    @Test(
        "three processes that hear of each other in any order agree, but on a registration where one changed the client"
    )
    func triples() throws {
        let states = try states()
        let pairs = states.map { one in states.map { one.merged(with: $0) } }
        var disagreements = 0
        for (one, both) in zip(states, pairs) {
            for (two, (first, others)) in zip(states, zip(both, pairs)) {
                for (three, last) in zip(states, others) {
                    let (left, right) = (first.merged(with: three), one.merged(with: last))
                    guard left != right else { continue }
                    let clients = Set([one, two, three].map(\.client.id))
                    let isKnown = clients.count == 2 && Self.unregistered(left) == Self.unregistered(right)
                    if !isKnown { disagreements += 1 }
                }
            }
        }
        #expect(disagreements == 0)
    }

    /// A state with a registration that has a secret, and the same client at another token endpoint.
    private func registered() throws -> (ours: AuthState.Record, theirs: AuthState.Record) {
        let answer = TransportResponse(
            status: 201, headers: ["Content-Type": "application/json"],
            body: Data(
                """
                {"client_id":"client","client_secret":"SECRET","client_secret_expires_at":0,\
                "registration_access_token":"SECRET","registration_client_uri":"https://op.example/client"}
                """.utf8))
        let ours = login.applying(.registrationChanged(try RegistrationResponse(answer)), at: Self.stamp(5000))
        var theirs = AuthState.Record(Client(login.client.provider, id: "client"))
        theirs.client.provider.tokenEndpoint = try #require(URL(string: "https://evil.example/token"))
        return (ours, theirs)
    }

    @Test func `endpoints of another process get no registration of ours, before and after a logout`() throws {
        var (ours, theirs) = try registered()
        (theirs.stamps.grant, theirs.stamps.client) = (Self.stamp(9000), Self.stamp(9000))
        let adopted = ours.merged(with: theirs)
        #expect(adopted.client.provider == theirs.client.provider && adopted.refreshToken == nil)
        #expect(adopted.lastRegistrationResponse == nil && adopted.client.credential == .none)
        let ended = ours.applying(.loggedOut, at: Self.stamp(10_000))
        #expect(ended.lastRegistrationResponse != nil)
        #expect(ended.merged(with: theirs).lastRegistrationResponse == nil)
    }

    @Test func `a login keeps what is registered, also where the provider has moved its endpoints`() throws {
        let (ours, moved) = try registered()
        var login = moved.applying(.loggedIn(nil, Self.tokens("1")), at: Self.stamp(500))
        login.decide(after: ours)
        #expect(login.lastRegistrationResponse == ours.lastRegistrationResponse)
        #expect(login.merged(with: ours) == ours.merged(with: login))
        #expect(Self.summary(login.merged(with: ours)) == "access 1, refresh 1")
    }

    @Test func `a decision that knows of another one is later, although the clock was set back`() {
        let ahead = login.applying(.loggedOut, at: AuthState.Stamp(at: Date(timeIntervalSince1970: 4e9), after: 0))
        let stamp = ahead.nextStamp(at: Date(timeIntervalSince1970: 1))
        let again = ahead.applying(.loggedIn(nil, Self.tokens("1")), at: stamp)
        #expect(again.merged(with: ahead).lastTokenResponse?.accessToken == "access 1")
    }

    // MARK: Archives

    @Test("the system's clock orders two decisions within a millisecond, made without knowledge of each other")
    func clockSteps() throws {
        let times = (0..<10_000).map { _ in AuthState.Stamp(at: WallClock.system.now, after: 0).time }
        let steps = zip(times.dropFirst(), times).map { $0 - $1 }.filter { $0 > 0 }
        #expect(try #require(steps.min(), "the clock moved") < 500)
    }

    @Test func `stamps survive an archive; a login's stamps are one stamp`() throws {
        for record in try states() {
            let data = try AuthStateArchive(record).data()
            #expect(try AuthStateArchive(data: data).record == record)
        }
        let text = String(decoding: try AuthStateArchive(login).data(), as: UTF8.self)
        #expect(text.contains(#""stamps":{"grant":"AAAAAAAAA-gAAAAB"}"#))
    }

    @Test("a malformed stamp is a corrupt archive", arguments: ["", "AAAA", "EAAAAAAAA-gAAAAB", "no base64!!"])
    func corrupt(_ stamp: String) throws {
        let text = String(decoding: try AuthStateArchive(login).data(), as: UTF8.self)
            .replacing("AAAAAAAAA-gAAAAB", with: stamp)
        let error = #expect(throws: AuthStateError.self) { try AuthStateArchive(data: Data(text.utf8)) }
        #expect(error?.code == .storeCorrupt)
    }

    @Test("an archive whose client came after its grant is refused: it joins a client to another one's tokens")
    func clientAfterGrant() throws {
        var record = login
        record.stamps.client = Self.stamp(2000)
        let data = try AuthStateArchive(record).data()
        #expect(throws: AuthStateError.self) { try AuthStateArchive(data: data) }
    }

    @Test func `archives can still be read after the last of all times`() throws {
        let last = login.applying(.refreshRequested, at: Self.stamp(1 << 60 - 1))
        var ended = last.applying(.loggedOut)
        #expect(try AuthStateArchive(data: AuthStateArchive(ended).data()).record == ended)
        ended.decide(after: last)
        #expect(try AuthStateArchive(data: AuthStateArchive(ended).data()).record == ended)
    }

    @Test("a clock beyond all times leaves room for later decisions", arguments: [1e300, -1e300, .nan])
    func lastMoment(_ seconds: Double) throws {
        let stamp = AuthState.Stamp(at: Date(timeIntervalSince1970: seconds), after: login.stamps.newest)
        let ended = login.applying(.loggedOut, at: stamp)
        #expect(ended.merged(with: login).isLoggedOut)
        let again = ended.applying(.loggedIn(nil, Self.tokens("1")))
        #expect(again.merged(with: ended).lastTokenResponse?.accessToken == "access 1")
        #expect(try AuthStateArchive(data: AuthStateArchive(again).data()).record == again)
    }
}

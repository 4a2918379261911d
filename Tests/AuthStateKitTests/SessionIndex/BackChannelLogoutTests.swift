import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(2))) struct BackChannelLogoutTests {
    private let site: Site
    private let clock = ManualClock()

    init() async throws { site = try await Site() }

    /// Two servers, one store, one provider.
    private struct Site {
        let fixture: ProviderFixture
        let base = InMemoryAuthStateStore()
        let servers: [AuthStatePool]

        init(clock: ManualClock? = nil) async throws {
            fixture = try await ProviderFixture(clock: clock)
            let (service, store) = (fixture.service, IndexedAuthStateStore(base))
            servers = (0..<2).map { _ in AuthStatePool(store: store, service: service) }
        }

        /// Logs in at the first server, and has the second one load the state.
        @discardableResult
        func logIn(_ key: AuthStateKey) async throws -> IDToken {
            let state = try await servers[0].logIn(.browser(fixture.request(), DirectUserAgent()), for: key)
            _ = try await servers[1].withFreshToken(for: key) { $0 }
            return try IDToken(parsing: try #require(state.record.idToken))
        }

        /// The token that the provider posts, verified.
        func token(subject: String? = nil, sessionID: String? = nil) async throws -> LogoutToken {
            try await fixture.service.logoutToken(
                fixture.provider.logoutToken(for: "app", subject: subject, sessionID: sessionID),
                configuration: fixture.configuration, clientID: "app")
        }

        /// Whether a session continues, at each server.
        func continues(_ key: AuthStateKey) async -> [Bool] {
            var answers: [Bool] = []
            for server in servers {
                let error = await authError { try await server.withFreshToken(for: key) { _ in } }
                #expect(error == nil || error?.code == .notLoggedIn)
                answers.append(error == nil)
            }
            return answers
        }
    }

    @Test("a token for a session ends that session at every server, revokes its tokens, and leaves the user's others")
    func session() async throws {
        let ended = try await site.logIn("a")
        try await site.logIn("b")
        let token = try await site.token(sessionID: ended.sessionID)
        let outcome = try await site.servers[1].logOut(token)
        #expect(outcome.ended == ["a"] && outcome.warnings.isEmpty)
        #expect(await site.continues("a") == [false, false])
        #expect(await site.continues("b") == [true, true])
        #expect(site.fixture.provider.requests(at: .revocation).count == 2)
        #expect(site.fixture.provider.requests(at: .endSession).isEmpty)
        #expect(try await site.servers[0].logOut(token).ended == [], "the token that is posted again ends nothing more")
    }

    @Test func `a token for a user ends all sessions of the user`() async throws {
        let first = try await site.logIn("a")
        try await site.logIn("b")
        #expect(try await site.servers[0].logOut(try await site.token(subject: first.subject)).ended == ["a", "b"])
        #expect(await site.continues("a") == [false, false])
        #expect(await site.continues("b") == [false, false])
        #expect(try await site.servers[0].logOut(try await site.token(subject: "another")).ended == [])
    }

    @Test func `a repeated token ends no session that began after it, by the provider's clock`() async throws {
        let site = try await Site(clock: clock)
        let token = try await site.token(subject: try await site.logIn("a").subject)
        clock.advance(by: .seconds(30))
        try await site.logIn("b")
        // Another login under the same key is another session.
        try await site.logIn("a")
        #expect(try await site.servers[0].logOut(token).ended == [])
        #expect(await site.continues("a") == [true, true])
        // A renewal begins no session.
        let later = try await site.token(subject: try await site.logIn("c").subject)
        clock.advance(by: .seconds(30))
        try await site.servers[1].state(for: "c").refresh()
        #expect(try await site.servers[0].logOut(later).ended == ["a", "b", "c"])
    }

    @Test func `a token of another issuer ends nothing`() async throws {
        let (site, other) = (try await Site(), try await Site())
        let session = try await site.logIn("a")
        let token = try await other.token(subject: session.subject, sessionID: session.sessionID)
        #expect(try await site.servers[0].logOut(token).ended == [])
        #expect(await site.continues("a") == [true, true])
    }

    @Test("a session that has ended leaves no entry; an entry without a state is removed by a sweep")
    func entries() async throws {
        let site = try await Site(clock: clock)
        let session = try await site.logIn("a")
        let (later, store) = (clock.date.addingTimeInterval(10), IndexedAuthStateStore(site.base))
        #expect(try await site.base.entries(savedBefore: later).count == 3, "the state, its session and its user")
        #expect(try await store.entries(savedBefore: later).map(\.key) == ["a"])
        try await site.servers[0].remove("a")
        try await site.servers[0].forgetLogout("a")
        #expect(try await site.base.entries(savedBefore: later).isEmpty)

        // A crash after the session was added: its state was never stored.
        let name = try #require(SessionName.all(of: session).first)
        try await store.index.add("lost", .init(grant: "g", begun: 0), to: name)
        #expect(try await site.base.entries(savedBefore: later).count == 1)
        #expect(try await store.entries(savedBefore: later).isEmpty)
        #expect(try await site.base.entries(savedBefore: later).isEmpty)
    }

    @Test func `a save whose caller is cancelled under the lease stores the state with its entries`() async throws {
        let session = try await site.logIn("a")
        let archive = try #require(try await site.base.load("a")).archive
        let (base, gate) = (InMemoryAuthStateStore(), ScriptedTransport.Gate())
        let store = IndexedAuthStateStore(base)
        let saving = Task {
            try await store.withLease("a", deadline: .seconds(10)) { lease in
                _ = try await lease.load()
                try? await gate.pass()
                #expect(Task.isCancelled)
                _ = try await lease.save(archive, expecting: nil)
            }
        }
        await gate.arrivals()
        saving.cancel()
        try await bounded { try await saving.value }
        #expect(try await base.load("a")?.archive == archive)
        for name in SessionName.all(of: session) {
            #expect(try await store.index.sessions(of: name).keys.sorted() == ["a"])
        }
    }

    @Test func `an archive that cannot be read is not saved, as it would have no entries`() async throws {
        try await IndexedAuthStateStore(site.base).withLease("a", deadline: .seconds(10)) { lease in
            _ = try await expectStoreError(.storeCorrupt) {
                _ = try await lease.save(Data(#"{"format":3,"state":7}"#.utf8), expecting: nil)
            }
        }
        #expect(try await site.base.load("a") == nil)
    }

    @Test("a sweep keeps the entries of sessions that continue, and deletes abandoned states with theirs")
    func sweep() async throws {
        let site = try await Site(clock: clock)
        let token = try await site.token(sessionID: try await site.logIn("a").sessionID)
        _ = try await IndexedAuthStateStore(site.base).entries(savedBefore: .distantFuture)
        #expect(try await site.servers[0].logOut(token).ended == ["a"])
        try await site.logIn("b")
        // As long as a login of an ended session may still be completed.
        clock.advance(by: .seconds(1100))
        let outcome = try await site.servers[1].sweep(olderThan: .seconds(-1))
        #expect(outcome.failures == 0 && outcome.deleted >= 1)
        #expect(try await site.base.entries(savedBefore: .distantFuture).isEmpty)
    }

    @Test func `a state that cannot be read stops no sweep, and its entries stay`() async throws {
        let site = try await Site(clock: clock)
        try await site.logIn("a")
        let later = clock.date.addingTimeInterval(10)
        let sealed = try SealedAuthStateStore(site.base, keys: [SealingKey.random()], opensUnsealed: true)
        let foreign = try SealedAuthStateStore(site.base, keys: [SealingKey.random()], opensUnsealed: true)
        try await foreign.reseal("a")
        let entries = try await IndexedAuthStateStore(sealed).entries(savedBefore: later)
        #expect(entries.map(\.key) == ["a"])
        #expect(try await site.base.entries(savedBefore: later).count == 3)
    }

    @Test func `a login that was stored without the index is in it after its next renewal`() async throws {
        let plain = AuthStatePool(store: site.base, service: site.fixture.service)
        let state = try await plain.logIn(.browser(site.fixture.request(), DirectUserAgent()), for: "a")
        let subject = try IDToken(parsing: try #require(state.record.idToken)).subject
        #expect(try await site.servers[0].logOut(try await site.token(subject: subject)).ended == [])
        try await site.servers[0].state(for: "a").refresh()
        #expect(try await site.servers[0].logOut(try await site.token(subject: subject)).ended == ["a"])
    }

    @Test("under a key that has another login by now, a token ends that login alone which it names")
    func anotherLogin() async throws {
        let first = try await site.logIn("a")
        let early = try await site.token(sessionID: first.sessionID)
        // At the first server; the second one still has the former state in memory.
        let state = try await site.servers[0].logIn(.browser(site.fixture.request(), DirectUserAgent()), for: "a")
        let second = try IDToken(parsing: try #require(state.record.idToken))
        // A crash left the former session in its entry.
        let name = try #require(SessionName(early))
        let store = IndexedAuthStateStore(site.base)
        try await store.index.add("a", .init(grant: "former", begun: 0), to: name)
        #expect(try await site.servers[1].logOut(early).ended == [])
        #expect(await site.continues("a") == [true, true])
        #expect(try await site.servers[1].logOut(try await site.token(sessionID: second.sessionID)).ended == ["a"])
    }

    @Test("two users whose names Unicode calls equivalent have entries of their own")
    func equivalentNames() throws {
        let issuer = try Issuer("https://op.example")
        let names = ["Zo\u{EB}", "Zoe\u{308}"].map { SessionName(user: $0, at: issuer) }
        #expect(names[0] != names[1])
        #expect(try names[0].key != names[1].key)
    }

    @Test("a session that another login was to replace, and did not, ends with the user's", arguments: [true, false])
    func interruptedLogin(_ isPosted: Bool) async throws {
        let session = try await site.logIn("a")
        let (subject, issuer) = (try #require(session.subject), try Issuer(try #require(session.issuer)))
        // A crash came between the entry and the state.
        let store = IndexedAuthStateStore(site.base)
        try await store.index.add(
            "a", .init(grant: "interrupted", begun: 0), to: SessionName(user: subject, at: issuer))
        let ended =
            isPosted
            ? try await site.servers[1].logOut(try await site.token(subject: subject)).ended
            : try await site.servers[1].logOut(user: subject, at: issuer).ended
        #expect(ended == ["a"])
        #expect(await site.continues("a") == [false, false])
    }

    @Test func `a token that comes while a login is being stored waits for it`() async throws {
        let session = try await site.logIn("a")
        let stored = try #require(try await site.base.load("a"))
        let store = IndexedAuthStateStore(site.base)
        let gate = ScriptedTransport.Gate()
        // A login at another server: its session is in the index, and its state is not stored yet.
        let login = Task {
            try await site.base.withLease("a", deadline: .seconds(10)) { lease in
                try await lease.delete(expecting: stored.version)
                try await gate.pass()
                _ = try await lease.save(stored.archive, expecting: nil)
            }
        }
        await gate.arrivals()
        let pool = AuthStatePool(store: store, service: site.fixture.service)
        let logout = Task { try await pool.logOut(try await site.token(sessionID: session.sessionID)) }
        try await eventually { pool.statistics.loads > 0 }
        gate.open()
        try await login.value
        #expect(try await bounded { try await logout.value }.ended == ["a"])
    }

    @Test func `a sweep of a store that keeps digests of its keys leaves no entries`() async throws {
        let scratch = try ScratchFolder()
        // Files have the times of the system's clock.
        let (clock, files) = (ManualClock(startingAt: .now), FileAuthStateStore(folder: scratch.path))
        let fixture = try await ProviderFixture(clock: clock)
        let pool = AuthStatePool(store: IndexedAuthStateStore(files), service: fixture.service)
        try await pool.logIn(.browser(fixture.request(), DirectUserAgent()), for: "a")
        clock.advance(by: .seconds(100))
        let outcome = try await pool.sweep(olderThan: .seconds(1))
        #expect(outcome.failures == 0 && outcome.deleted == 1)
        #expect(try await files.entries(savedBefore: .distantFuture).isEmpty)
    }

    @Test func `sessions whose end cannot be stored are an error, and a repeated token ends them`() async throws {
        let session = try await site.logIn("a")
        try await site.logIn("b")
        let store = IndexedAuthStateStore(ReadOnlyAuthStateStore(site.base))
        let pool = AuthStatePool(store: store, service: site.fixture.service)
        let token = try await site.token(subject: session.subject)
        #expect(await authError { try await pool.logOut(token) }?.code == .storeReadOnly)
        #expect(site.fixture.provider.requests(at: .revocation).count == 4, "their tokens are revoked all the same")
        #expect(try await site.servers[0].logOut(token).ended == ["a", "b"], "posted again, the token ends them")
    }

    @Test("a login beyond the number of sessions that a user may have ends the oldest, and removes one that is gone")
    func surplus() async throws {
        let site = try await Site(clock: clock)
        let session = try await site.logIn("oldest")
        let begun = clock.date.timeIntervalSince1970
        clock.advance(by: .seconds(1))
        let user = try #require(SessionName(try await site.token(subject: session.subject)))
        let count = IndexedAuthStateStore.maximumSessions
        try await site.base.withLease(user.key, deadline: .seconds(10)) { lease in
            let stored = try #require(try await lease.load())
            var entry = try #require(SessionIndexEntry(data: stored.archive))
            for number in 1..<count { entry.sessions["s\(number)"] = .init(grant: "g", begun: begun + 1) }
            _ = try await lease.save(try entry.data(), expecting: stored.version)
        }
        let index = IndexedAuthStateStore(site.base).index
        clock.advance(by: .seconds(1))
        try await site.logIn("b")
        #expect(await site.continues("oldest") == [false, false])
        #expect(await site.continues("b") == [true, true])
        #expect(site.fixture.provider.requests(at: .revocation).count == 2)
        try await site.logIn("c")
        let kept = try await index.sessions(of: user)
        #expect(kept.count == count && kept["s1"] == nil && kept["b"] != nil && kept["c"] != nil)
    }

    @Test(
        "a key that is an entry's is refused, and one that only begins like one is not",
        arguments: [("index-", 43, true), ("index-", 42, false), ("index-page", 0, false), ("Index-", 43, false)])
    func keys(_ prefix: String, _ length: Int, _ isRefused: Bool) async throws {
        let store = IndexedAuthStateStore(InMemoryAuthStateStore())
        let key = AuthStateKey(prefix + String(repeating: "A", count: length))
        #expect(await authError { try await store.load(key) }?.code == (isRefused ? .invalidArgument : nil))
        #expect(try await store.base.load(key) == nil)
        // A key that stands for another one is that of a listed state.
        _ = try await store.load(AuthStateKey(digest: key.rawValue))
    }

    @Test("junk that anyone may post as a logout token keeps no login waiting when the provider changes its keys")
    func junk() async throws {
        try await site.logIn("a")
        for name in ["x", "y", "z", "w"] {
            let junk = try LogoutTokenForger.token(by: try .generate(.es256, keyID: name))
            let error = await authError {
                _ = try await site.fixture.service.logoutToken(
                    junk, configuration: site.fixture.configuration, clientID: "app")
            }
            #expect(error?.code == (name == "w" ? .temporarilyUnavailable : .invalidSignature))
        }
        try site.fixture.provider.rotateKeys(keepsOld: false)
        try await site.logIn("b")
        #expect(await site.continues("b") == [true, true])
    }

    @Test("junk as a logout token has unavailable keys asked for every five seconds, and spends no later request")
    func junkWithoutKeys() async throws {
        let site = try await Site(clock: clock)
        let fixture = site.fixture
        fixture.provider.injectFaults(at: .keySet) { _ in .status(503) }
        for _ in 0..<4 {
            for _ in 0..<5 {
                let error = await authError {
                    _ = try await fixture.service.logoutToken(
                        "x", configuration: fixture.configuration, clientID: "app")
                }
                #expect(error?.kind == .transient)
            }
            clock.advance(by: .seconds(5))
        }
        #expect(fixture.provider.requestCount(.keySet) == 4)
        fixture.provider.removeFaults()
        _ = try await site.token(subject: "user")
    }

    @Test func `a pool whose store has no index says so`() async throws {
        let token = try await site.token(subject: "user")
        let pool = AuthStatePool(store: site.base, service: site.fixture.service)
        let error = await authError { try await pool.logOut(token) }
        #expect(error?.code == .invalidArgument && error?.expected?.contains("IndexedAuthStateStore") == true)
    }
}

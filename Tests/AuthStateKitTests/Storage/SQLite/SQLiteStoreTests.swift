import AuthStateJOSE
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateSQLite
@testable import AuthStateServer
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreTests {
    let scratch: ScratchFolder
    let path: String
    let store: SQLiteAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        path = scratch["deep/states.db"]
        store = try SQLiteAuthStateStore(file: path)
    }

    /// A store as another process has it.
    private func another() throws -> SQLiteAuthStateStore { try SQLiteAuthStateStore(file: path) }

    @Test("a store in SQLite keeps every promise", arguments: Contract.checks)
    func promise(_ check: Contract.Check) async throws { try await check.run(on: store, and: another()) }

    @Test("sealed and with an index it keeps every promise", arguments: Contract.checks)
    func sealed(_ check: Contract.Check) async throws {
        let keys = [try SealingKey(id: "key", bytes: SecureRandom.bytes(32))]
        let both = try [store, another()].map { IndexedAuthStateStore(try SealedAuthStateStore($0, keys: keys)) }
        try await check.run(on: both[0], and: both[1])
    }

    @Test func `four files for any number of states, for the user alone`() async throws {
        for number in 0..<50 { try await store.put("state", AuthStateKey("\(number)")) }
        let names = try scratch.names(in: "deep")
        #expect(names == ["states.db", "states.db-shm", "states.db-wal", "states.db.lock"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch["deep/\(name)"])
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try FileManager.default.attributesOfItem(atPath: scratch["deep"])[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a load makes nothing`() async throws {
        #expect(try await store.load("a") == nil)
        #expect(try await store.entries(savedBefore: .distantFuture).isEmpty)
        #expect(await store.watch("a") == nil)
        #expect(try scratch.names() == [])
    }

    @Test func `two hundred saves at once are all kept, and one that is refused fails alone`() async throws {
        let old = try await store.put("one", "refused")
        try await store.put("two", "refused")
        try await together(200) { number in
            guard number == 100 else { return _ = try await store.put("\(number)", AuthStateKey("\(number)")) }
            try await expectStoreError(.storeConflict) {
                try await store.withLease("refused", deadline: .seconds(10)) { lease in
                    _ = try await lease.save(Data("three".utf8), expecting: old)
                }
            }
        }
        for number in 0..<200 where number != 100 {
            #expect(try await another().text(AuthStateKey("\(number)")) == "\(number)")
        }
        #expect(try await store.text("refused") == "two")
    }

    @Test func `the same content again is no conflict, and no version comes back`() async throws {
        let old = try await store.put("one")
        let new = try await store.put("two")
        let again = try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.save(Data("two".utf8), expecting: old)
        }
        #expect(again == new)
        try await store.withLease(.default, deadline: .seconds(1)) { try await $0.delete(expecting: new) }
        #expect(try await store.put("one") != old)
    }

    @Test func `a held lease is refused at the deadline, with the path of the database`() async throws {
        let clock = JumpingClock()
        let waiting = try SQLiteAuthStateStore(file: path, clock: clock)
        try await store.withLease("a", deadline: .seconds(1)) { _ in
            let error = try await expectStoreError(.storeLocked) {
                try await waiting.withLease("a", deadline: .seconds(60)) { _ in }
            }
            #expect(error.message.contains(path))
        }
        try await waiting.put("free again", "a")
    }

    @Test func `a saved time is listed, and a digest leads to its state`() async throws {
        let before = Date()
        let version = try await store.put("listed", "a")
        let entry = try #require(try await store.entries(savedBefore: Date(timeIntervalSinceNow: 60)).first)
        #expect(entry.version == version && entry.key.isDigest && entry.savedAt >= before.addingTimeInterval(-1))
        #expect(try await another().text(entry.key) == "listed")
        #expect(try await store.entries(savedBefore: before.addingTimeInterval(-60)).isEmpty)
        try await expectStoreError(.invalidArgument) { _ = try await store.load(AuthStateKey(digest: "no digest")) }
    }

    @Test("what was replaced or deleted is not left in the files once the store is closed")
    func replaced() async throws {
        let secret = String(repeating: "SECRET-refresh-token.", count: 400)
        do {
            let store = try another()
            for number in 0..<20 { try await store.put(secret + "\(number)", AuthStateKey("\(number)")) }
            for number in 0..<20 {
                let key = AuthStateKey("\(number)")
                if number.isMultiple(of: 2) {
                    try await store.put("short", key)
                } else {
                    try await store.withLease(key, deadline: .seconds(1)) { try await $0.discard() }
                }
            }
        }
        try await eventually {
            try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty
        }
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("SECRET".utf8)) == nil)
        #expect(try await store.entries(savedBefore: .distantFuture).count == 10)
    }

    @Test func `logins, renewals, the index of sessions and a logout of all: in one file, sealed, at two servers`()
        async throws
    {
        let fixture = try await ProviderFixture()
        let keys = [try SealingKey(id: "key", bytes: SecureRandom.bytes(32))]
        func server() throws -> AuthStatePool {
            AuthStatePool(
                NamedClient(.issuer(fixture.provider.issuer), id: "service", credential: .secret("service-secret")),
                store: IndexedAuthStateStore(try SealedAuthStateStore(another(), keys: keys)),
                service: fixture.service)
        }
        let (pool, other) = (try server(), try server())
        let issuer = try Issuer(fixture.provider.issuer)
        var subject = ""
        for key in ["a", "b"] as [AuthStateKey] {
            let pending = try await pool.beginLogin(
                redirectURI: try RedirectURI("http://127.0.0.1:49152/callback"), scopes: [.openID, .offlineAccess])
            let state = try await pool.completeLogin(pending, callback: DirectUserAgent().visit(pending), for: key)
            subject = try #require(state.user?.subject)
        }
        let before = try await other.withFreshToken(for: "a") { $0.accessToken }
        try await pool.state(for: "a").refresh()
        #expect(try await other.withFreshToken(for: "a") { $0.accessToken } != before)
        #expect(try await other.keys(of: subject, at: issuer) == ["a", "b"])
        #expect(try await other.logOut(user: subject, at: issuer).ended == ["a", "b"])
        #expect(await authError { try await pool.freshTokens(for: "a") }?.code == .notLoggedIn)
        #expect(try scratch.names(in: "deep").count == 4)
    }

    #if os(Linux)
        @Test func `a closed store leaves nothing open`() async throws {
            do { try await SQLiteAuthStateStore(file: scratch["other.db"]).put("one") }
            try await eventually { try scratch.openDescriptors() == 0 }
        }

        @Test func `a change of another key is seldom an alarm, a database put in its place always`() async throws {
            try await store.put("one", "a")
            let watch = try #require(await store.watch("a"))
            var alarms = 0
            for number in 0..<20 {
                let before = watch.generation
                try await store.withLease("a", deadline: .seconds(1)) { lease in
                    _ = try await lease.load()
                    try await lease.reserve()
                }
                try await another().put("one", AuthStateKey("\(number)"))
                if watch.generation != before { alarms += 1 }
            }
            #expect(alarms <= 1)
            let before = watch.generation
            let other = try SQLiteAuthStateStore(file: scratch["other.db"])
            try await other.put("other", "a")
            #expect(rename(scratch["other.db"], path) == 0 && rename(scratch["other.db-wal"], path + "-wal") == 0)
            #expect(unlink(path + "-shm") == 0)
            #expect(try await store.text("a") == "other")
            #expect(watch.generation != before)
        }

        @Test func `the lock of a removed file alarms in each second, and another one excludes`() async throws {
            try await store.put("one", "a")
            let watch = try #require(await store.watch("a"))
            try FileManager.default.removeItem(atPath: path + ".lock")
            try await store.withLease("a", deadline: .seconds(1)) { _ in
                let other = try SQLiteAuthStateStore(file: path, clock: JumpingClock())
                try await expectStoreError(.storeLocked) { try await other.put("two", "a") }
            }
            let lost = watch.generation
            try await eventually { watch.generation != lost }
        }
    #endif
}

/// Processes that share a database. A process of a test finds the path by the number of its parent.
///
/// One at a time: an exit test keeps a thread of the tasks until its process ends, and here that waits for tasks of this one.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteProcessTests {
    private static func path(_ name: String, _ process: pid_t) -> String {
        FileManager.default.temporaryDirectory.appending(path: "authstate-\(process)-\(name)/states.db").path
    }

    private func withStore(
        _ name: String, _ body: (SQLiteAuthStateStore) async throws -> Void
    ) async throws {
        let path = Self.path(name, getpid())
        defer { try? FileManager.default.removeItem(atPath: FilePath.folder(of: path)) }
        try await body(SQLiteAuthStateStore(file: path))
    }

    /// Looks until it is so: another process gives no sign that could be waited for.
    private static func until(_ look: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !look() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test func `transactions of two processes count together`() async throws {
        try await withStore("counting") { store in
            async let other = #expect(processExitsWith: .success) {
                let store = try SQLiteAuthStateStore(file: Self.path("counting", getppid()))
                for number in 0..<50 {
                    try await store.increment("shared")
                    try await store.put("own", AuthStateKey("\(number)"))
                }
            }
            try await together(50) { _ in try await store.increment("shared") }
            _ = await other
            #expect(try await store.text("shared") == "100")
            #expect(try await store.entries(savedBefore: .distantFuture).count == 51)
        }
    }

    @Test func `a key that another process holds is locked, others are not`() async throws {
        try await withStore("held") { store in
            try await store.withLease("a", deadline: .seconds(1)) { _ in
                _ = await #expect(processExitsWith: .success) {
                    let store = try SQLiteAuthStateStore(file: Self.path("held", getppid()))
                    try await expectStoreError(.storeLocked) {
                        try await store.withLease("a", deadline: .milliseconds(20)) { _ in }
                    }
                    try await store.put("one", "b")
                }
            }
            #expect(try await store.text("b") == "one")
        }
    }

    @Test func `the lease of a process that is killed is free, and what it saved is there`() async throws {
        try await withStore("killed") { store in
            try await store.put("old", "a")
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let store = try SQLiteAuthStateStore(file: Self.path("killed", getppid()))
                try await store.withLease("a", deadline: .seconds(1)) { lease in
                    try await lease.reserve()
                    _ = try await lease.save(Data("new".utf8), expecting: try await lease.load()?.version)
                    kill(getpid(), SIGKILL)
                }
            }
            let found = try await store.withLease("a", deadline: .zero) { try await $0.load() }
            #expect(found.map { text($0.archive) } == "new")
        }
    }

    #if os(Linux)
        @Test func `a change by another process is seen, also while it holds the lease`() async throws {
            try await withStore("seen") { store in
                try await store.put("old", "a")
                let watch = try #require(await store.watch("a"))
                let before = watch.generation
                async let other = #expect(processExitsWith: .signal(SIGKILL)) {
                    let store = try SQLiteAuthStateStore(file: Self.path("seen", getppid()))
                    try await store.withLease("a", deadline: .seconds(1)) { lease in
                        try await store.put("yes", "held")
                        // The other process waits for this lease when it has found it taken.
                        try await Self.until { try await store.text("waiting") != nil }
                        _ = try await lease.save(Data("new".utf8), expecting: try await lease.load()?.version)
                        try await Self.until { try await store.text("seen") != nil }
                        kill(getpid(), SIGKILL)
                    }
                }
                try await Self.until { try await store.text("held") != nil }
                async let signal = store.put("yes", "waiting")
                let seen = try await store.withLease(
                    "a", deadline: .seconds(60), whileWaiting: { try await store.text("a") == "new" }
                ) { _ in false }
                #expect(seen)
                #expect(watch.generation != before)
                try await store.put("yes", "seen")
                _ = try await signal
                _ = await other
            }
        }
    #endif
}

import AuthStateJOSE
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateSQLite
@testable import AuthStateStorage

/// Databases that cannot be used, and are left as they are.
@Suite(.timeLimit(.minutes(5))) struct SQLiteTroubleTests {
    let scratch: ScratchFolder
    let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch["states.db"]
        // A test that comes first uses a connection without a store.
        try SQLiteLibrary.open()
    }

    private func store() throws -> SQLiteAuthStateStore { try SQLiteAuthStateStore(file: path) }

    /// A database with states, closed.
    private func fill() async throws {
        try await put(200)
        try await eventually { try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty }
    }

    private func put(_ count: Int) async throws {
        let store = try store()
        for number in 0..<count {
            try await store.put(String(repeating: "SECRET", count: 500), AuthStateKey("\(number)"))
        }
    }

    /// Runs a script as another program of the user does.
    private func sql(_ script: String) throws {
        let connection = try Connection(path, permissionsOf: nil)
        for statement in script.split(separator: ";") { try connection.run(String(statement)) }
    }

    /// Expects that neither a load nor a save uses the database, and that it is left as it is.
    private func refused(_ code: AuthStateError.Code, _ words: String) async throws {
        let before = try? Data(contentsOf: URL(filePath: path))
        let store = try store()
        for use in [{ _ = try await store.load("0") }, { try await store.put("new", "0") }] {
            let error = try await expectStoreError(code, use)
            #expect(error.message.contains(path) && "\(error)".contains(words), "\(error)")
            #expect(!"\(error)".contains("SECRET"))
        }
        let reserving = try await expectStoreError(code) {
            try await store.withLease("0", deadline: .seconds(1)) { try await $0.reserve() }
        }
        #expect(reserving.hint != nil)
        #expect((try? Data(contentsOf: URL(filePath: path))) == before)
    }

    @Test(
        arguments: [
            (3_030_001, 1, "too old: 3.30"), (2_999_999, 1, "too old: 2.999"), (3_031_000, 1, nil), (4_000_000, 2, nil),
            (3_031_000, 0, "one thread"),
        ] as [(Int32, Int32, String?)])
    func `a library that is too old, or built for one thread, is refused`(
        _ version: Int32, _ threads: Int32, _ reason: String?
    ) {
        let refusal = SQLiteLibrary.refusal(version: version, threads: threads)
        #expect(reason.map { refusal?.contains($0) == true } ?? (refusal == nil), "\(refusal ?? "none")")
    }

    @Test func `a file that is no database is refused`() async throws {
        try Data(String(repeating: "SECRET, and no database. ", count: 400).utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
        try await refused(.storeCorrupt, "not a database")
    }

    @Test func `another program's database is refused`() async throws {
        _ = try Connection(path, permissionsOf: "/bin/sh")
        chmod(path, 0o600)
        try sql("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('SECRET')")
        try await refused(.storeCorrupt, "another program's")
    }

    @Test("a newer format is refused, by a store that has the database open too", arguments: [true, false])
    func newer(isOpen: Bool) async throws {
        try await fill()
        let open = try store()
        if isOpen { _ = try await open.load("0") }
        try sql("PRAGMA user_version=2")
        let error = try await expectStoreError(.storeTooNew) { _ = try await open.load("0") }
        #expect(error.expected == "format 1" && error.received == "format 2")
        try await refused(.storeTooNew, "Update this program")
    }

    @Test("a database that was cut off is refused where its states are needed", arguments: [1, 2, 50])
    func cut(_ pages: Int) async throws {
        try await fill()
        #expect(truncate(path, off_t(pages * 4096)) == 0)
        let store = try store()
        let error = try await expectStoreError(.storeCorrupt) {
            for number in 0..<200 { _ = try await store.load(AuthStateKey("\(number)")) }
        }
        #expect(error.message.contains(path) && !"\(error)".contains("SECRET"))
        #expect(error.hint?.contains("backup") == true)
    }

    @Test("a missing or empty database beside its log is refused, and the log is kept", arguments: [true, false])
    func log(isMissing: Bool) async throws {
        try await fill()
        // A holder that was killed leaves a log.
        let open = try store()
        try await open.put("newest", "0")
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        #expect(!log.isEmpty)
        let saved = try Data(contentsOf: URL(filePath: path))
        if isMissing { #expect(unlink(path) == 0) } else { #expect(truncate(path, 0) == 0) }
        try await refused(.storeCorrupt, "its log is there")
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
        if isMissing { try saved.write(to: URL(filePath: path)) }
    }

    @Test(
        "a file beside the database that another user can change is refused", arguments: ["-wal", "-shm", "-journal"])
    func planted(_ suffix: String) async throws {
        #expect(FileManager.default.createFile(atPath: path + suffix, contents: nil))
        chmod(path + suffix, 0o666)
        let store = try store()
        _ = try await expectStoreError(.storeUntrusted) { try await store.put("SECRET", "0") }
        #expect(try Data(contentsOf: URL(filePath: path + suffix)).isEmpty)
    }

    @Test func `a database that was copied without a log gets one with the next save`() async throws {
        try await fill()
        try sql("PRAGMA journal_mode=DELETE")
        #expect(try await store().load("0") != nil)
        try await store().put("new", "0")
        let connection = try Connection(path, permissionsOf: nil)
        let mode = try connection.run("PRAGMA journal_mode") { String(decoding: $0.data(0), as: UTF8.self) }
        #expect(mode == ["wal"])
    }

    @Test("a path that is empty, or below a home folder that is not known, is refused", arguments: ["", "~bob/s.db"])
    func places(_ path: String) {
        #expect(throws: AuthStateError.self) { try SQLiteAuthStateStore(file: path) }
    }

    @Test func `an empty file without a log becomes a database`() async throws {
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        #expect(try await store().load("0") == nil)
        try await put(1)
        #expect(try await store().text("0") != nil)
    }

    @Test func `all four files removed under a running store: it begins anew, and so does another`() async throws {
        let store = try store()
        try await store.put("one", "a")
        for name in try scratch.names() { try FileManager.default.removeItem(atPath: scratch[name]) }
        #expect(try await store.load("a") == nil)
        try await store.put("two", "a")
        #expect(try await self.store().text("a") == "two")
        try await self.store().put("three", "a")
        #expect(try await store.text("a") == "three")
    }

    @Test func `an archive whose row is missing is refused, and can be discarded`() async throws {
        try await put(2)
        try sql("DELETE FROM archives WHERE id = 1")
        let store = try store()
        try await expectStoreError(.storeCorrupt) { _ = try await store.load("0") }
        #expect(try await store.text("1") != nil)
        try await AuthState.remove(from: store, key: "0")
        #expect(try await store.load("0") == nil)
        try await store.put("anew", "0")
    }

    @Test func `a database that another program has for itself is reported as locked, and used when it is free`()
        async throws
    {
        try await put(1)
        let store = try store()
        do {
            let other = try Connection(path, permissionsOf: nil)
            try other.run("BEGIN IMMEDIATE")
            // Readers do not wait.
            #expect(try await store.load("0") != nil)
            let error = try await expectStoreError(.storeLocked) { try await store.put("new", "0") }
            #expect(error.hint?.contains("lsof") == true)
        }
        try await store.put("new", "0")
    }

    @Test func `a foreign file in the lock's place is neither used nor changed`() async throws {
        try Data("my notes".utf8).write(to: URL(filePath: path + ".lock"))
        let error = try await expectStoreError(.storeUnwritable) { try await store().put("one") }
        #expect(error.message.contains(path + ".lock"))
        #expect(try Data(contentsOf: URL(filePath: path + ".lock")) == Data("my notes".utf8))
        #expect(try scratch.names() == ["states.db.lock"])
    }

    @Test func `a lock file that was cut off, or whose maker was killed, is completed`() async throws {
        try Data("AuthStateKit lo".utf8).write(to: URL(filePath: path + ".lock"))
        try await put(1)
        #expect(try FileManager.default.attributesOfItem(atPath: path + ".lock")[.size] as? Int == 266_244)
    }

    @Test func `what other users can change is refused, what they can read is reported once`() async throws {
        let warnings = Lock([AuthStateError]())
        let store = try SQLiteAuthStateStore(file: path) { warning in warnings.withLock { $0.append(warning) } }
        try await store.put("one")
        chmod(path, 0o644)
        for _ in 0..<3 { _ = try await store.load(.default) }
        #expect(warnings.withLock { $0 }.map(\.code) == [.storeExposed])
        for (name, mode) in [(path, 0o666), (scratch.path, 0o777), (path + ".lock", 0o622)] {
            let before = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            chmod(name, mode_t(mode))
            let error = try await expectStoreError(.storeUntrusted) { try await self.store().put("two") }
            #expect(error.hint?.contains("chmod go-w") == true)
            chmod(name, mode_t(before ?? 0o600))
        }
        #expect(try await store.text() == "one")
    }

    @Test func `a folder or a pipe in the database's place is refused`() async throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await expectStoreError(.storeUnreadable) { _ = try await store().load(.default) }
        #expect(rmdir(path) == 0 && mkfifo(path, 0o600) == 0)
        try await expectStoreError(.storeUnreadable) { _ = try await store().load(.default) }
    }

    @Test func `a path with any character leads to its file`() async throws {
        let name = "a b?c=d&e#f%41é'.db"
        let store = try SQLiteAuthStateStore(file: scratch[name])
        try await store.put("one")
        #expect(try scratch.names().contains(name))
        #expect(throws: AuthStateError.self) { try SQLiteAuthStateStore(file: "a\0b") }
    }
}

import AuthStateJOSE
import AuthStateSystem
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateServer
@testable import AuthStateStorage

/// Lock files go with their states, and no process ever holds one that another one holds too.
@Suite(.timeLimit(.minutes(5))) struct LockFileTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("transactions on thirty keys that save nothing leave no file")
    func nothingSaved() async throws {
        let store = FileAuthStateStore(folder: scratch["states"])
        for number in 0..<30 {
            try await store.withLease(AuthStateKey(rawValue: "\(number)"), deadline: .seconds(1)) {
                try await $0.reserve()
            }
        }
        #expect(try scratch.names(in: "states") == [])
    }

    @Test("forged callbacks leave no file", arguments: ["code=x&state=y", "error=access_denied&state=y", ""])
    func madeUpCallbacks(_ query: String) async throws {
        let provider = try await OpenIDProvider()
        let service = AuthorizationService()
        let pool = AuthStatePool(store: FileAuthStateStore(folder: scratch["states"]), service: service)
        let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
        let pending = try await service.begin(
            AuthorizationRequest(
                Client(configuration, id: "app"), redirectURI: try RedirectURI("http://127.0.0.1/callback")))
        let callback = AuthorizationCallback(url: try #require(URL(string: "http://127.0.0.1/callback?\(query)")))
        for number in 0..<30 {
            await #expect(throws: AuthStateError.self) {
                try await pool.logIn(.callback(callback, of: pending), for: AuthStateKey(rawValue: "\(number)"))
            }
        }
        #expect((try? scratch.names(in: "states")) ?? [] == [])
    }

    @Test("a login, a renewal and a logout leave no file")
    func life() async throws {
        let store = FileAuthStateStore(file: scratch["state"])
        for content in ["one", "two"] { try await store.put(content) }
        #expect(try scratch.names() == ["state", "state.lock"])
        try await store.withLease(.default, deadline: .seconds(1)) { try await $0.discard() }
        #expect(try scratch.names() == [])
    }

    @Test("a file that is no state gets no lock beside it")
    func foreignFile() async throws {
        try Data("127.0.0.1 localhost".utf8).write(to: URL(filePath: scratch["hosts"]))
        let fixture = try Fixture([Fixture.tokens(1)])
        let error = await authError {
            _ = try await AuthState.logIn(
                .clientCredentials(Client(fixture.record.client.provider, id: "client")),
                at: AuthState.Place(FileAuthStateStore(file: scratch["hosts"]), service: fixture.service))
        }
        #expect(error?.code == .storeCorrupt)
        #expect(try scratch.names() == ["hosts"])
    }

    @Test("a file of another program that has the lock's name is neither overwritten nor removed")
    func foreignLock() async throws {
        let content = "[[package]]\nname = \"serde\"\n"
        try Data(content.utf8).write(to: URL(filePath: scratch["Cargo.lock"]))
        let store = FileAuthStateStore(file: scratch["Cargo"])
        let error = try await expectStoreError(.storeUnwritable) { try await store.put("one") }
        #expect(error.message.contains(scratch["Cargo.lock"]))
        #expect(try String(contentsOfFile: scratch["Cargo.lock"], encoding: .utf8) == content)
        #expect(try scratch.names() == ["Cargo.lock"])
    }

    @Test func `the last save releases the lock, and what follows takes it again`() async throws {
        let store = FileAuthStateStore(file: scratch["state"])
        let lock = scratch["state.lock"]
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            #expect(try FileLock.attempt(lock) == nil)
            let version = try await lease.saveLast(Data("one".utf8), expecting: nil)
            do {
                let held = try #require(try FileLock.attempt(lock))
                _ = try await expectStoreError(.storeLocked) {
                    _ = try await lease.save(Data("two".utf8), expecting: version)
                }
                withExtendedLifetime(held) {}
            }
            // Another process saves meanwhile.
            try Data("three".utf8).write(to: URL(filePath: scratch["state"]))
            _ = try await expectStoreError(.storeConflict) {
                _ = try await lease.save(Data("four".utf8), expecting: version)
            }
            let theirs = try #require(try await lease.load())
            #expect(theirs.archive == Data("three".utf8))
            #expect(try FileLock.attempt(lock) == nil)
            _ = try await lease.saveLast(Data("five".utf8), expecting: theirs.version)
        }
        #expect(try await store.text() == "five")
        #expect(try scratch.names() == ["state", "state.lock"])
        _ = try #require(try FileLock.attempt(lock))
    }

    @Test func `a lock file of zeros, as a power failure may leave it, is a lock`() async throws {
        let path = scratch["state.lock"]
        try Data(count: 40).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let store = FileAuthStateStore(file: scratch["state"])
        try await store.put("one")
        #expect(try await store.text() == "one")
    }

    @Test func `a waiter whose lock file is removed with the state takes the next one`() throws {
        let state = try StateFile(resolving: scratch["state"], warnings: FileWarnings(report: nil))
        let path = state.lockPath
        let first = try #require(try FileLock.attempt(path))
        // Another process opened the file before it was removed.
        let waiter = try OpenFile(path, O_RDWR)
        first.release(for: state)
        #expect(try waiter.tryLock())
        #expect(try scratch.names() == [])
        let second = try #require(try FileLock.attempt(path))
        #expect(try FileLock.attempt(path) == nil)
        second.release(for: state)
        #expect(try scratch.names() == [])
    }

    @Test("two of many holders that save, delete and do nothing never hold the key together, and no save is lost")
    func storm() async throws {
        // Names of one file: within a process the tasks of one name queue up, those of different names meet at the lock.
        let names = (0..<12).map { String(repeating: "./", count: $0) + "state" }
        let stores = names.map { FileAuthStateStore(file: scratch[$0]) }
        let saved = Saved()
        try await together(stores.count) { number in
            for round in 0..<60 { try await self.hold(stores[number], "\(number) \(round)", saved) }
        }
        try await stores[0].withLease(.default, deadline: .seconds(60)) { try await $0.discard() }
        #expect(try scratch.names() == [])
    }

    /// The content that the last holder left.
    private final class Saved: Sendable { let content = Lock<String?>(nil) }

    /// One transaction, which shows itself by a file that only one holder can make.
    private func hold(_ store: FileAuthStateStore, _ content: String, _ saved: Saved) async throws {
        try await store.withLease(.default, deadline: .seconds(240)) { lease in
            let mark = open(scratch["held"], O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            #expect(mark >= 0, "two holders")
            defer {
                close(mark)
                unlink(scratch["held"])
            }
            let stored = try await lease.load()
            #expect(stored.map { text($0.archive) } == saved.content.withLock { $0 })
            switch Int.random(in: 0..<4) {
            case 0: try await lease.reserve()
            case 1:
                try await lease.delete(expecting: stored?.version)
                saved.content.withLock { $0 = nil }
            case 2:
                _ = try await lease.save(Data(content.utf8), expecting: stored?.version)
                saved.content.withLock { $0 = content }
            default: break
            }
        }
    }
}

import AuthStateJOSE
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

#if os(Linux)
    import Glibc

    /// Gives the calling thread a umask and a current folder of its own (unshare(2), `CLONE_FS`).
    private func unshareFileSystem() -> Int32 {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "unshare") else { return -1 }
        return unsafeBitCast(symbol, to: Unshare.self)(0x200)
    }
#endif

@Suite(.timeLimit(.minutes(5))) struct FileAuthStateStoreTests {
    let scratch: ScratchFolder
    let store: FileAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(folder: scratch["deep/states"])
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `loading creates nothing`() async throws {
        #expect(try await store.load(.default) == nil)
        #expect(try scratch.names().isEmpty)
    }

    @Test("files are 0600 and new folders 0700")
    func modes() async throws {
        try await store.put("one")
        #expect(try permissions(scratch["deep"]) == 0o700)
        #expect(try permissions(scratch["deep/states"]) == 0o700)
        let names = try scratch.names(in: "deep/states")
        #expect(names.count == 2)
        for name in names { #expect(try permissions(scratch["deep/states/\(name)"]) == 0o600) }
    }

    #if os(Linux)
        @Test("the umask changes nothing about that", arguments: [0, 0o077])
        func umask(_ mask: Int) async throws {
            let path = scratch["deep/state"]
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            // A mask of the thread's own: other tests create files at the same time.
                            try #require(unshareFileSystem() == 0)
                            _ = Glibc.umask(mode_t(mask))
                            try FilePath.createFolders(to: FilePath.folder(of: path))
                            let file = try StateFile(resolving: path, warnings: FileWarnings(report: nil))
                            let lock = try #require(try FileLock.attempt(file.lockPath))
                            let note = SaveNote(base: nil, version: try StateFile.version(of: [1]), count: 1)
                            try TemporaryFile(for: file, under: lock, size: 1).commit([1], note, under: lock)
                        })
                }
            }
            #expect(try permissions(scratch["deep"]) == 0o700)
            #expect(try permissions(path) == 0o600 && permissions(path + ".lock") == 0o600)
        }
    #endif

    @Test(
        "keys are hashed into names, so that none leaves the folder",
        arguments: ["../x", "/etc/x", "a/b", "", "é\n", "a\0b", "👩‍💻", String(repeating: "long", count: 25_000)])
    func names(key: String) async throws {
        try await store.put(key, AuthStateKey(rawValue: key))
        #expect(try await store.text(AuthStateKey(rawValue: key)) == key)
        #expect(try scratch.names() == ["deep"])
        #expect(try scratch.names(in: "deep") == ["states"])
        let name = try SHA2.sha256(Array(key.utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(try scratch.names(in: "deep/states") == ["\(name).json", "\(name).json.lock"])
    }

    @Test func `a store of one file keeps it where the user said, for its own key only`() async throws {
        let store = FileAuthStateStore(file: scratch["new/state.json"], key: "work")
        try await store.put("one", "work")
        #expect(try String(contentsOfFile: scratch["new/state.json"], encoding: .utf8) == "one")
        try await expectStoreError(.invalidArgument) { _ = try await store.load(.default) }
        try await expectStoreError(.invalidArgument) { try await store.put("two") }
    }

    @Test("a link to a file stays a link; its target is locked and replaced", arguments: [true, false])
    func linkedFile(exists: Bool) async throws {
        try FileManager.default.createDirectory(atPath: scratch["real"], withIntermediateDirectories: false)
        if exists { try Data("old".utf8).write(to: URL(fileURLWithPath: scratch["real/state"])) }
        try FileManager.default.createSymbolicLink(atPath: scratch["link"], withDestinationPath: "real/state")
        let linked = FileAuthStateStore(file: scratch["link"])
        let direct = FileAuthStateStore(file: scratch["real/state"], clock: JumpingClock())
        #expect(try await linked.text() == (exists ? "old" : nil))
        try await linked.put("new")
        #expect(try await direct.text() == "new")
        #expect(try scratch.names() == ["link", "real"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch["link"]) == "real/state")
        try await linked.withLease(.default, deadline: .seconds(1)) { _ in
            _ = try await expectStoreError(.storeLocked) { try await direct.put("no") }
        }
    }

    @Test func `a link to a folder is followed`() async throws {
        try FileManager.default.createSymbolicLink(atPath: scratch["link"], withDestinationPath: "deep/states")
        try await store.put("one")
        #expect(try await FileAuthStateStore(folder: scratch["link"]).text() == "one")
    }

    @Test func `a delete leaves nothing behind`() async throws {
        let version = try await store.put("one")
        try await store.withLease(.default, deadline: .seconds(1)) { try await $0.delete(expecting: version) }
        #expect(try scratch.names(in: "deep/states").isEmpty)
    }

    @Test("a state that others can read is loaded, with one warning; the next save mends it")
    func exposed() async throws {
        let warnings = Lock([AuthStateError]())
        let store = FileAuthStateStore(file: scratch["state"]) { warning in warnings.withLock { $0.append(warning) } }
        try await store.put("one")
        #expect(warnings.withLock { $0 }.isEmpty)
        #expect(chmod(scratch["state"], 0o644) == 0)
        #expect(try await store.text() == "one")
        #expect(try await store.text() == "one")
        #expect(warnings.withLock { $0.map(\.code) } == [.storeExposed])
        #expect(warnings.withLock { $0 }.first?.message.contains(scratch["state"]) == true)
        try await store.put("two")
        #expect(try permissions(scratch["state"]) == 0o600)
    }
}

import AuthStateKit
import Foundation
import Testing

private let isRoot = geteuid() == 0

@Suite(.timeLimit(.minutes(5))) struct FileAuthStateStoreFailureTests {
    let scratch: ScratchFolder
    let store: FileAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(file: scratch["state"])
    }

    private func write(_ content: String, _ name: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: scratch[name]))
    }

    private func read(_ name: String) throws -> String { try String(contentsOfFile: scratch[name], encoding: .utf8) }

    private func leftovers() throws -> [String] { try scratch.names().filter { $0.hasSuffix(".tmp") } }

    @Test func `reserved space that is not used is removed when the lease ends`() async throws {
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            try await lease.reserve()
            let names = try leftovers()
            #expect(names.count == 1)
            #if os(Linux)
                // Elsewhere blocks are reserved without making the file longer.
                let name = try #require(names.first)
                let size = try FileManager.default.attributesOfItem(atPath: scratch[name])[.size] as? Int
                #expect(try #require(size) >= 16384)
            #endif
        }
        #expect(try scratch.names() == [])
    }

    @Test func `a saved file has no trace of the space reserved for it`() async throws {
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            _ = try await lease.save(Data("short".utf8), expecting: nil)
        }
        #expect(try read("state") == "short")
    }

    @Test("a crash between writing and renaming keeps the old content, and the next save cleans up")
    func crash() async throws {
        try await store.put("old")
        var remains: [String] = []
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            remains = try leftovers()
        }
        // The files of a process that dies at this point.
        #expect(remains.count == 1)
        for name in remains + ["state.0123456789abcdef.tmp"] { try write("half", name) }
        #expect(try await store.text() == "old")
        try await store.put("new")
        #expect(try leftovers() == ["state.0123456789abcdef.tmp"])
    }

    @Test func `two holders, of which one has a lock whose file was removed, do not write to one file`() async throws {
        let other = FileAuthStateStore(file: scratch["link"])
        symlink("state", scratch["link"])
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            try FileManager.default.removeItem(atPath: scratch["state.lock"])
            try await other.withLease(.default, deadline: .seconds(1)) { second in
                try await second.reserve()
                #expect(try leftovers().count == 2)
                _ = try await lease.save(Data("first".utf8), expecting: nil)
                try await expectStoreError(.storeConflict) {
                    _ = try await second.save(Data("second".utf8), expecting: nil)
                }
            }
        }
        #expect(try await store.text() == "first")
        #expect(try leftovers() == [])
    }

    @Test func `a rename that fails is reported, the old content stays, and the next save succeeds`() async throws {
        let old = try await store.put("old")
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            for name in try leftovers() { try FileManager.default.removeItem(atPath: scratch[name]) }
            let error = try await expectStoreError(.storeUnwritable) {
                _ = try await lease.save(Data("new".utf8), expecting: old)
            }
            #expect(error.message.contains(scratch["state"]))
            #expect(try read("state") == "old")
            _ = try await lease.save(Data("new".utf8), expecting: old)
        }
        #expect(try await store.text() == "new")
    }

    @Test func `a corrupt file is returned as it is and not touched`() async throws {
        try write("{\"truncated", "state")
        #expect(try await store.text() == "{\"truncated")
        #expect(try scratch.names() == ["state"])
        #expect(try read("state") == "{\"truncated")
    }

    @Test("a folder or a pipe in place of the file is refused and not touched", arguments: [true, false])
    func notAFile(isFolder: Bool) async throws {
        #expect((isFolder ? mkdir(scratch["state"], 0o700) : mkfifo(scratch["state"], 0o600)) == 0)
        try await expectStoreError(.storeUnreadable) { _ = try await store.load(.default) }
        try await expectStoreError(.storeUnreadable) { try await store.put("one") }
        // Nothing beside it either, and when it comes while the lease is held it is no less safe.
        #expect(try scratch.names() == ["state"])
        #expect(rename(scratch["state"], scratch["away"]) == 0)
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            #expect(rename(scratch["away"], scratch["state"]) == 0)
            try await expectStoreError(.storeUnreadable) { try await lease.reserve() }
            try await expectStoreError(.storeUnreadable) { _ = try await lease.save(Data(), expecting: nil) }
            try await expectStoreError(.storeUnreadable) { try await lease.delete(expecting: nil) }
        }
        #expect(try scratch.names() == ["state"])
    }

    @Test func `a file of more than four megabytes is refused, in both directions`() async throws {
        let limit = 4 << 20
        try await store.put(String(repeating: "x", count: limit))
        #expect(try await store.load(.default)?.archive.count == limit)
        try await expectStoreError(.storeUnwritable) { try await store.put(String(repeating: "x", count: limit + 1)) }
        try write(String(repeating: "x", count: limit + 1), "state")
        try await expectStoreError(.storeUnreadable) { _ = try await store.load(.default) }
    }

    @Test("a state that cannot be read can be removed, and is not replaced before", arguments: ["large", "open"])
    func removed(_ flaw: String) async throws {
        try write(String(repeating: "x", count: flaw == "large" ? (4 << 20) + 1 : 3), "state")
        #expect(chmod(scratch["state"], flaw == "open" ? 0o666 : 0o600) == 0)
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            #expect(await authError { try await lease.reserve() }?.kind == .store)
            for _ in 0..<2 { #expect(await authError { try await lease.load() }?.kind == .store) }
            #expect(await authError { try await lease.delete(expecting: nil) }?.kind == .store)
        }
        #expect(await authError { try await store.put("two") }?.kind == .store)
        #expect(try scratch.names() == ["state"])
        try await AuthState.remove(from: store)
        #expect(try scratch.names() == [])
        try await store.put("two")
        #expect(try await store.text() == "two")
    }

    @Test func `a path that goes through a file is refused before anything is spent`() async throws {
        try write("a file", "file")
        let store = FileAuthStateStore(folder: scratch["file/states"])
        let error = try await expectStoreError(.storeUnwritable) { try await store.put("one") }
        #expect(error.message.contains(scratch["file"]))
        #expect(error.message.contains("Not a directory"))
        try await expectStoreError(.storeUnreadable) { _ = try await store.load(.default) }
    }

    #if os(Linux)
        @Test("a folder that the file system will not make is an error, however often its parent exists")
        func folderThatCannotBe() async throws {
            let store = FileAuthStateStore(file: "/proc/authstate/none/state.json")
            let error = await authError {
                try await store.withLease(.default, deadline: .zero) { try await $0.reserve() }
            }
            #expect(error?.code == .storeUnwritable)
        }
    #endif

    @Test func `links that lead in a circle or to nowhere are refused and stay`() async throws {
        symlink("circle", scratch["circle"])
        symlink("missing/state", scratch["nowhere"])
        try await expectStoreError(.storeUnreadable) {
            _ = try await FileAuthStateStore(file: scratch["circle"]).load(.default)
        }
        let nowhere = FileAuthStateStore(file: scratch["nowhere"])
        #expect(try await nowhere.load(.default) == nil)
        try await expectStoreError(.storeUnwritable) { try await nowhere.put("one") }
        #expect(try scratch.names() == ["circle", "nowhere"])
    }

    @Test func `a link to a folder that is missing is refused, and not replaced by a folder`() async throws {
        symlink("missing", scratch["states"])
        let store = FileAuthStateStore(folder: scratch["states"])
        #expect(try await store.load(.default) == nil)
        #expect(await store.watch(.default) == nil)
        try await expectStoreError(.storeUnwritable) { try await store.put("one") }
        #expect(try scratch.names() == ["states"])
    }

    @Test func `a path with a NUL names no other file`() async throws {
        try write("other", "other")
        try await expectStoreError(.invalidArgument) {
            _ = try await FileAuthStateStore(file: scratch["other\0.json"]).load(.default)
        }
    }

    @Test(
        "a file without permission to read is refused and not replaced",
        .disabled(if: isRoot, "permissions do not bind root"))
    func unreadable() async throws {
        try await store.put("one")
        #expect(chmod(scratch["state"], 0) == 0)
        try await expectStoreError(.storeUnreadable) { _ = try await store.load(.default) }
        try await expectStoreError(.storeUnreadable) { try await store.put("two") }
        #expect(chmod(scratch["state"], 0o600) == 0)
        #expect(try read("state") == "one")
    }

    @Test(
        "a folder without permission to write refuses the lease; loading still works",
        .disabled(if: isRoot, "permissions do not bind root"))
    func readOnlyFolder() async throws {
        try await store.put("one")
        #expect(chmod(scratch.path, 0o500) == 0)
        defer { chmod(scratch.path, 0o700) }
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            let error = try await expectStoreError(.storeUnwritable) { try await lease.reserve() }
            #expect(error.message.contains("Permission denied"))
        }
        #expect(try await store.text() == "one")
    }

    #if os(Linux)
        @Test(
            "a full disk shows when reserving, and the old content stays",
            .enabled(if: isRoot, "needs root to mount a small file system"))
        func fullDisk() async throws {
            #expect(mkdir(scratch["disk"], 0o700) == 0)
            guard try run("/bin/mount", "-t", "tmpfs", "-o", "size=16k", "none", scratch["disk"]) == 0 else {
                print("Skipped: a small file system cannot be mounted here.")
                return
            }
            defer { _ = try? run("/bin/umount", scratch["disk"]) }
            let store = FileAuthStateStore(file: scratch["disk/state"])
            let version = try await store.put("old")
            try await store.withLease(.default, deadline: .seconds(1)) { lease in
                let error = try await expectStoreError(.storeUnwritable) { try await lease.reserve() }
                #expect(error.message.contains("No space left on device"))
                try await expectStoreError(.storeUnwritable) {
                    _ = try await lease.save(Data(repeating: 0, count: 65536), expecting: version)
                }
            }
            #expect(try await store.text() == "old")
            #expect(try scratch.names(in: "disk") == ["state", "state.lock"])
            #expect(try run("/bin/mount", "-o", "remount,ro", scratch["disk"]) == 0)
            let error = try await expectStoreError(.storeUnwritable) { try await store.put("new") }
            #expect(error.message.contains("Read-only file system"))
            #expect(try await store.text() == "old")
        }
    #endif
}

import AuthStateOAuth
import Foundation
import Testing

@testable import AuthStateStorage
@testable import AuthStateSystem

private let isRoot = geteuid() == 0
private let stranger: uid_t = 65_534

@Suite(.timeLimit(.minutes(5))) struct FileOwnershipTests {
    private let scratch: ScratchFolder
    private let store: FileAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(file: scratch["folder/state"])
    }

    private func refusal(_ hint: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for use in [
            { _ = try await store.load(.default) },
            { try await store.put("two") },
        ] {
            let error = try await expectStoreError(.storeUntrusted, sourceLocation: sourceLocation, use)
            #expect(error.hint?.contains(hint) == true, sourceLocation: sourceLocation)
            #expect(error.expected != nil && error.received != nil, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "a file that group or others can write is refused, with the command that mends it", arguments: [0o620, 0o602])
    func writableFile(_ mode: Int) async throws {
        try await store.put("one")
        chmod(scratch["folder/state"], mode_t(mode))
        try await refusal("chmod go-w \(scratch["folder/state"])")
        chmod(scratch["folder/state"], 0o600)
        #expect(try await store.text() == "one")
    }

    @Test(
        "a folder that group or others can write is refused, with the command that mends it", arguments: [0o770, 0o702])
    func writableFolder(_ mode: Int) async throws {
        try await store.put("one")
        chmod(scratch["folder"], mode_t(mode))
        try await refusal("chmod go-w \(scratch["folder"])")
        chmod(scratch["folder"], 0o700)
        #expect(try await store.text() == "one")
    }

    @Test func `a folder with the sticky bit may be written by others, as /tmp is`() async throws {
        try await store.put("one")
        chmod(scratch["folder"], 0o1777)
        #expect(try await store.text() == "one")
        try await store.put("two")
        #expect(try await store.text() == "two")
    }

    @Test("another user's link in a folder that others can write is not followed, and nothing is made where it leads")
    func foreignLink() async throws {
        let target = scratch["made"]
        let link = try Attack.SharedLink(to: target)
        for name in [nil, "state"] {
            #expect {
                try link.follow(name)
            } throws: { error in
                let error = error as? AuthStateError
                return error?.code == .storeUntrusted && error?.message.contains(link.path) == true
            }
        }
        if geteuid() == 0 {
            try await expectStoreError(.storeUntrusted) {
                try await FileAuthStateStore(folder: "\(link.path)/states").put("one")
            }
        }
        #expect(try scratch.names().isEmpty)
    }

    @Test("a link of the user, of root and of the folder's owner is followed, and any in a folder of one user alone")
    func followedLinks() throws {
        let link = try Attack.SharedLink(to: scratch["state"])
        var status = stat()
        lstat(link.path, &status)
        #expect(try FilePath.resolved(link.path, user: status.st_uid) == scratch["state"])
        symlink("state", scratch["link"])
        lchown(scratch["link"], 65534, 65534)
        #expect(try FilePath.resolved(scratch["link"], user: 4242) == scratch["state"])
        chmod(scratch.path, 0o777)
        lchown(scratch["link"], geteuid(), getegid())
        #expect(try FilePath.resolved(scratch["link"], user: 4242) == scratch["state"])
    }

    @Test func `a link leads to the file whose owner counts`() async throws {
        try await store.put("one")
        chmod(scratch["folder"], 0o777)
        let linked = FileAuthStateStore(file: scratch["link"])
        symlink(scratch["folder/state"], scratch["link"])
        try await expectStoreError(.storeUntrusted) { _ = try await linked.load(.default) }
    }

    @Test("a file, a folder or a lock of another user is refused", .enabled(if: isRoot, "needs root"))
    func foreignOwner() async throws {
        try await store.put("one")
        let chown0 = "sudo chown 0 \(scratch["folder/state"])"
        for (name, advice) in [("folder/state", chown0), ("folder", "Choose a folder in it")] {
            chown(scratch[name], stranger, stranger)
            try await refusal(advice)
            chown(scratch[name], 0, 0)
        }
        chown(scratch["folder/state.lock"], stranger, stranger)
        try await expectStoreError(.storeUntrusted) { try await store.put("two") }
    }

    @Test(
        "an interrupted save that another user placed beside the state is not finished",
        .enabled(if: isRoot, "needs root"))
    func foreignRemains() async throws {
        try await store.put("one")
        let lock = try FileManager.default.attributesOfItem(atPath: scratch["folder/state.lock"])
        let number = String(try #require(lock[.systemFileNumber] as? Int), radix: 16)
        let (old, new) = (Array("one".utf8), Array("two".utf8))
        let note = SaveNote(
            base: try StateFile.version(of: old), version: try StateFile.version(of: new), count: new.count)
        try note.text.write(toFile: scratch["folder/state.lock"], atomically: false, encoding: .utf8)
        let remains = scratch["folder/state.\(number).tmp"]
        try Data(new).write(to: URL(fileURLWithPath: remains))
        chown(remains, stranger, stranger)
        try await store.withLease(.default, deadline: .seconds(10)) { lease in
            let found = try await lease.load()
            #expect(found.map { text($0.archive) } == "one")
        }
    }

    @Test("the owner is this user or root", arguments: [(0, true), (1000, true), (1001, false)])
    func owners(_ owner: Int, _ isTrusted: Bool) {
        var raw = stat()
        (raw.st_uid, raw.st_mode) = (uid_t(owner), S_IFREG | 0o600)
        #expect(FileStatus(raw).isAlone(of: 1000) == isTrusted)
        let isRefused = (try? StateFile.checkOwnership(FileStatus(raw), "/state", user: 1000)) == nil
        #expect(isRefused != isTrusted)
    }
}

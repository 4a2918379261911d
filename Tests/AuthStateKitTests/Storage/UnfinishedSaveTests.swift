import Testing

@testable import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("File store: saves that a crash cut short", .timeLimit(.minutes(1)))
struct UnfinishedSaveTests {
    let scratch: ScratchFolder
    let store: FileAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(file: scratch["state"])
    }

    /// Leaves what a process leaves that is killed while it replaces `old` by `new`, after so many bytes.
    private func crash(replacing old: String?, by new: String, after count: Int) throws {
        let lock = try #require(try FileLock.attempt(scratch["state.lock"]))
        let file = try StateFile(resolving: scratch["state"], warnings: FileWarnings(report: nil))
        try UnfinishedSave.note(version(new), replacing: old.map(version), under: lock)
        try Data(new.utf8.prefix(count))
            .write(to: URL(fileURLWithPath: TemporaryFile.path(for: file, under: lock)))
        lock.unlock()
    }

    private func version(_ text: String) throws -> StoredAuthState.Version {
        try StateFile.version(of: Array(text.utf8))
    }

    /// What the next holder finds.
    private func next() async throws -> String? {
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.load().map { String(decoding: $0.archive, as: UTF8.self) }
        }
    }

    @Test("the next holder ends a save whose content was written", arguments: [nil, "old"])
    func written(_ old: String?) async throws {
        if let old { try await store.put(old) }
        try crash(replacing: old, by: "the new refresh token", after: .max)
        #expect(try await store.text() == old)
        #expect(try await next() == "the new refresh token")
        #expect(try await store.text() == "the new refresh token")
        #expect(try scratch.names() == ["state", "state.lock"])
        try await store.put("newer")
        #expect(try await next() == "newer")
    }

    @Test("a part of a content takes nobody's place", arguments: [0, 1, 20])
    func half(_ count: Int) async throws {
        try await store.put("old")
        try crash(replacing: "old", by: "the new refresh token", after: count)
        #expect(try await next() == "old")
        try await store.put("newer")
        #expect(try scratch.names() == ["state", "state.lock"])
    }

    @Test("what somebody stored or removed after the crash stands")
    func changed() async throws {
        try await store.put("old")
        try crash(replacing: "old", by: "the new refresh token", after: .max)
        try Data("another".utf8).write(to: URL(fileURLWithPath: scratch["state"]))
        #expect(try await next() == "another")
        try FileManager.default.removeItem(atPath: scratch["state"])
        #expect(try await next() == nil)
    }
}

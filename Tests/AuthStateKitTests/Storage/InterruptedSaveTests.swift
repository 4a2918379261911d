import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

/// The remains of a holder of the lock that dies, put there by hand; Tests/Faults kills real processes.
struct InterruptedSaveTests {
    private let scratch: ScratchFolder
    private let store: FileAuthStateStore

    init() async throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(file: scratch["state"])
        try await store.put("old")
    }

    /// A holder that dies with this in its temporary file, after saying that it would replace `base` by `new`.
    private func die(
        leaving left: [UInt8], replacing base: String? = "old", with new: [UInt8] = Array("new content".utf8)
    ) async throws {
        var temporary: String?
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            try await lease.reserve()
            temporary = try scratch.names().first { $0.hasSuffix(".tmp") }
        }
        let note = SaveNote(
            base: try base.map { try StateFile.version(of: Array($0.utf8)) },
            version: try StateFile.version(of: new), count: new.count)
        if base == nil { try FileManager.default.removeItem(atPath: scratch["state"]) }
        try Data(left).write(to: URL(filePath: scratch[try #require(temporary)]))
        try Data(note.text.utf8).write(to: URL(filePath: scratch["state.lock"]))
    }

    /// The text that the next holder finds, and whether it is told of a death.
    private func next() async throws -> (text: String, followsCrash: Bool) {
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            (String(decoding: try await lease.load()?.archive ?? Data(), as: UTF8.self), lease.followsCrash)
        }
    }

    @Test("a save whose content is all there is finished by the next holder", arguments: [0, 1, 4096])
    func finished(_ reservedBehind: Int) async throws {
        try await die(leaving: Array("new content".utf8) + [UInt8](repeating: 0, count: reservedBehind))
        #expect(try await store.text() == "old")
        #expect(try await next() == ("new content", false))
        #expect(try await store.text() == "new content")
        #expect(try scratch.names() == ["state", "state.lock"])
        #expect(try FileManager.default.attributesOfItem(atPath: scratch["state"])[.size] as? Int == 11)
    }

    @Test func `a first save is finished, too`() async throws {
        try await die(leaving: Array("new content".utf8), replacing: nil)
        #expect(try await next() == ("new content", false))
    }

    @Test(
        "a partial or a different content is not used, and holders are told until one of them saves or removes",
        arguments: ["", "new conten", "new_content", "\0\0\0\0\0\0\0\0\0\0\0"], [true, false])
    func dropped(_ left: String, isRemoved: Bool) async throws {
        try await die(leaving: Array(left.utf8))
        #expect(try await next() == ("old", true))
        #expect(try await next() == ("old", true))
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            let version = try await lease.load()?.version
            if isRemoved {
                try await lease.delete(expecting: version)
            } else {
                _ = try await lease.save(Data("saved".utf8), expecting: version)
            }
        }
        #expect(try scratch.names() == (isRemoved ? [] : ["state", "state.lock"]))
        #expect(try await next() == (isRemoved ? "" : "saved", false))
    }

    @Test("a holder that reserves space and saves nothing leaves the report of a death to the next one")
    func reservedInVain() async throws {
        try await die(leaving: Array("new".utf8))
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.load()
            try await lease.reserve()
        }
        #expect(try await next() == ("old", true))
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            let version = try await lease.load()?.version
            try await lease.reserve()
            _ = try await lease.save(Data("saved".utf8), expecting: version)
        }
        #expect(try await next() == ("saved", false))
        #expect(try scratch.names() == ["state", "state.lock"])
    }

    @Test func `a removal takes what is left of a first save, too`() async throws {
        try await die(leaving: Array("new".utf8), replacing: nil)
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            let version = try await lease.load()?.version
            #expect(version == nil)
            try await lease.delete(expecting: version)
        }
        #expect(try scratch.names() == [])
        #expect(try await next() == ("", false))
    }

    @Test func `a first save that cannot be finished now is finished later`() async throws {
        // A program that runs cannot be opened for writing, not even by root.
        let program = [UInt8](try Data(contentsOf: URL(filePath: "/bin/sleep")))
        try await die(leaving: program, replacing: nil, with: program)
        let temporary = scratch[try #require(try scratch.names().first { $0.hasSuffix(".tmp") })]
        #expect(chmod(temporary, 0o700) == 0)
        let running = try Child(
            [temporary, "60"], environment: [:], output: .file("/dev/null"), errors: .file("/dev/null"))
        let error = await authError { try await next() }
        running.send(SIGKILL)
        running.wait()
        #expect(error?.code == .storeUnwritable, "\(error?.message ?? "none")")
        let found = try await store.withLease(.default, deadline: .seconds(1)) { try await $0.load() }
        #expect(found?.archive == Data(program))
    }

    @Test func `a removal takes what a dead holder was saving with it`() async throws {
        try await die(leaving: Array("new content".utf8))
        #expect(chmod(scratch["state"], 0o666) == 0)
        try await AuthState.remove(from: store)
        #expect(try scratch.names() == [])
        #expect(try await next() == ("", false))
    }

    @Test("a save is not finished over a file that another program replaced or removed", arguments: ["foreign", nil])
    func overtaken(_ foreign: String?) async throws {
        try await die(leaving: Array("new content".utf8))
        try FileManager.default.removeItem(atPath: scratch["state"])
        if let foreign { try Data(foreign.utf8).write(to: URL(filePath: scratch["state"])) }
        #expect(try await next() == (foreign ?? "", true))
    }

    @Test func `a file that cannot be read is left as it is, with the content that was to replace it`() async throws {
        try await die(leaving: Array("new content".utf8))
        try FileManager.default.removeItem(atPath: scratch["state"])
        try FileManager.default.createDirectory(atPath: scratch["state"], withIntermediateDirectories: false)
        #expect(await authError { try await next() }?.kind == .store)
        #expect(try scratch.names().filter { $0.hasSuffix(".tmp") }.count == 1)
    }

    @Test func `notes are read as they are written, and nothing else is a note`() {
        let note = SaveNote(base: nil, version: .init(rawValue: "ab"), count: 7)
        #expect(SaveNote(note.text) == note)
        let second = SaveNote(base: .init(rawValue: "cd"), version: .init(rawValue: "ab"), count: 7)
        #expect(SaveNote(second.text) == second)
        for text in ["", "-", "- ab", "- ab x", "- ab 0", "- ab -1", "- ab 7 ", "0123456789abcdef"] {
            #expect(SaveNote(text) == nil, "\(text)")
        }
    }

    @Test(
        "a refresh token that a dead process may have spent is spent once more, and a refusal says what may have been",
        arguments: [false, true])
    func refusedAfterCrash(isChangedFirst: Bool) async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant")])
        let archive = try AuthStateArchive(fixture.record).data()
        try await store.withLease(.default, deadline: .seconds(1)) { lease in
            _ = try await lease.save(archive, expecting: lease.load()?.version)
        }
        try await die(leaving: [])
        let state = try await AuthState.restore(at: fixture.place(store))
        if isChangedFirst { try await state.setNeedsTokenRefresh() }
        let error = await authError { try await state.refresh() }
        #expect(fixture.spent == ["SECRET-refresh-0"])
        #expect(error?.message.contains("was lost on its way") == true)
    }
}

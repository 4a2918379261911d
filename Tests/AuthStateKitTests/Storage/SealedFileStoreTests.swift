import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct SealedFileStoreTests {
    private let scratch: ScratchFolder
    private let files: FileAuthStateStore
    private let store: SealedAuthStateStore

    init() throws {
        scratch = try ScratchFolder()
        files = FileAuthStateStore(file: scratch["state"])
        store = try SealedAuthStateStore(files, keys: [SealingKey(bytes: SecureRandom.bytes(32))])
    }

    @Test func `tasks count without losing one: the lease is the file's`() async throws {
        try await together(20) { _ in try await store.increment(.default) }
        #expect(try await store.text() == "20")
    }

    @Test("a save or delete over another version is a conflict; the same content again is none, though sealed anew")
    func conflict() async throws {
        let old = try await store.put("one")
        let current = try await store.put("two")
        try await store.withLease(.default, deadline: .seconds(10)) { lease in
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("x".utf8), expecting: old) }
            try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("x".utf8), expecting: nil) }
            try await expectStoreError(.storeConflict) { try await lease.delete(expecting: old) }
            #expect(try await lease.load()?.version == current)
            // An earlier save of this content may have failed after its rename.
            let version = try await lease.save(Data("two".utf8), expecting: old)
            #expect(version != current)
            #expect(try await lease.load()?.version == version)
        }
        #expect(try await store.text() == "two")
    }

    @Test func `a conflict with something that cannot be opened stays a conflict`() async throws {
        try await files.put("foreign")
        try await store.withLease(.default, deadline: .seconds(10)) { lease in
            _ = try await expectStoreError(.storeConflict) { _ = try await lease.save(Data("x".utf8), expecting: nil) }
        }
        #expect(try await files.text() == "foreign")
    }

    @Test("the reserved space is enough for a state that was not sealed yet, and is not left behind")
    func reserving() async throws {
        let large = Data(#"{"format":1,"state":"\#(String(repeating: "x", count: 100_000))"}"#.utf8)
        try await files.put(text(large))
        let migrating = try SealedAuthStateStore(files, keys: [.random()], opensUnsealed: true)
        try await migrating.withLease(.default, deadline: .seconds(10)) { lease in
            let stored = try #require(try await lease.load())
            try await lease.reserve()
            #if os(Linux)
                // Elsewhere blocks are reserved without making the file longer.
                let name = try #require(try scratch.names().first { $0.hasSuffix(".tmp") })
                let size = try FileManager.default.attributesOfItem(atPath: scratch[name])[.size] as? Int
                #expect(try #require(size) > large.count * 4 / 3 + 100)
            #endif
            _ = try await lease.save(stored.archive, expecting: stored.version)
        }
        #expect(try await migrating.load(.default)?.archive == large)
        #expect(try scratch.names() == ["state", "state.lock"])
        // A third more than the archive, and the envelope.
        #expect(try #require(try await files.load(.default)).archive.count < large.count * 4 / 3 + 150)
    }

    @Test func `a state that is too large when sealed is refused before anything is written`() async throws {
        try await store.put("small")
        try await expectStoreError(.storeUnwritable) { try await store.put(String(repeating: "x", count: 3_200_000)) }
        #expect(try await store.text() == "small")
    }

    @Test("a state over a sealed store is renewed, and adopted by another process; no token is on the disk")
    func renewal() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let first = fixture.state(store: store)
        try await first.setNeedsTokenRefresh()
        let second = try await AuthState.restore(at: fixture.place(store))
        #expect(try await first.freshTokens().accessToken == "SECRET-access-1")
        #expect(try await second.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
        let content = try String(contentsOfFile: scratch["state"], encoding: .utf8)
        #expect(content.contains("sealed") && !content.contains("SECRET") && !content.contains("op.example"))
    }

    #if os(Linux)
        @Test func `a renewal by another process is noticed at the next use`() async throws {
            let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
            let first = fixture.state(store: store)
            _ = try await first.refresh()
            let second = try await AuthState.restore(at: fixture.place(store))
            #expect(second.tokensIfFresh()?.accessToken == "SECRET-access-1")
            _ = try await first.refresh()
            try await eventually { second.tokensIfFresh() == nil }
            #expect(try await second.freshTokens().accessToken == "SECRET-access-2")
            #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1"])
        }
    #endif

    @Test func `nothing is redeemed over a state that cannot be opened`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        try await store.put("anything")
        let other = try SealedAuthStateStore(files, keys: [.random()])
        let state = fixture.state(store: other)
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .storeUnreadable)
        #expect(fixture.transport.requests.isEmpty)
        #expect(try await store.text() == "anything")
    }
}

import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// A reading stands still in the middle when the program's own `onWarning` does: the same as on a disk that hangs.
@Suite(.timeLimit(.minutes(5))) struct FileAuthStateStoreHangTests {
    let scratch: ScratchFolder
    let clock = ManualClock()
    let gate = Gate()
    let store: FileAuthStateStore
    /// Another store on the same files, whose disk answers.
    let other: FileAuthStateStore

    init() async throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(folder: scratch.path, clock: clock) { [gate] _ in gate.pass() }
        other = FileAuthStateStore(folder: scratch.path, clock: JumpingClock())
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] { try await other.put("one", AuthStateKey(rawValue: key)) }
        for name in try scratch.names() where name.hasSuffix(".json") { chmod(scratch[name], 0o644) }
        try await other.put("one", "healthy")
    }

    @Test func `a load times out after half a minute; other keys are loaded and saved meanwhile`() async throws {
        let hanging = Task { try await store.load("a") }
        try await eventually { gate.count == 1 }
        #expect(try await store.text("healthy") == "one")
        try await store.put("two", "healthy")
        clock.advance(by: .seconds(30))
        let error = try await expectStoreError(.storeUnreadable) { _ = try await hanging.value }
        #expect(error.message.contains(scratch.path))
        gate.open()
        #expect(try await store.text("a") == "one")
    }

    @Test(
        "a lease in which a reading hangs times out, but excludes others until the reading has ended",
        arguments: ["a", "healthy"])
    func lease(key: AuthStateKey) async throws {
        let hanging = Task {
            try await store.withLease(key, deadline: .seconds(1)) { lease in
                for name in try scratch.names() where name.hasSuffix(".json") { chmod(scratch[name], 0o644) }
                // The first is answered from what was read with the lock.
                _ = try await lease.load()
                _ = try await lease.load()
            }
        }
        try await eventually { gate.count == 1 }
        try await clock.advance(until: hanging)
        try await expectStoreError(key == "a" ? .storeUnwritable : .storeUnreadable) { try await hanging.value }
        try await expectStoreError(.storeLocked) { try await other.put("two", key) }
        gate.open()
        try await FileAuthStateStore(folder: scratch.path).put("two", key)
    }

    @Test("a lease is refused when the disk does not answer, but not before five seconds", arguments: [0, 20])
    func acquisition(deadline: Int) async throws {
        let hanging = ["a", "b", "c", "d", "e", "f", "g", "h"].map { key in
            Task { try await store.load(AuthStateKey(rawValue: key)) }
        }
        try await eventually { gate.count == 8 }
        let start = clock.now
        let waiting = Task { try await store.withLease("healthy", deadline: .seconds(deadline)) { _ in } }
        try await clock.advance(until: waiting)
        try await expectStoreError(.storeUnwritable) { try await waiting.value }
        #expect(start.duration(to: clock.now) >= .seconds(max(5, deadline)))
        gate.open()
        for task in hanging { _ = await task.result }
        try await store.put("two", "healthy")
    }
}

import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Foundation
import Testing

/// A reading stands still in the middle when the program's own `onWarning` does: the same as on a disk that hangs.
@Suite("File store: a disk that hangs", .timeLimit(.minutes(1)))
struct FileAuthStateStoreHangTests {
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

    @Test("a load is given up after half a minute; other keys are loaded and saved meanwhile")
    func load() async throws {
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

    @Test("a lease whose reading hangs is given up, but excludes others until the reading has ended")
    func lease() async throws {
        let hanging = Task {
            try await store.withLease("a", deadline: .seconds(1)) { lease in _ = try await lease.load() }
        }
        try await eventually { gate.count == 1 }
        try await clock.advance(until: hanging)
        try await expectStoreError(.storeUnreadable) { try await hanging.value }
        try await expectStoreError(.storeLocked) { try await other.put("two", "a") }
        gate.open()
        try await FileAuthStateStore(folder: scratch.path).put("two", "a")
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

#if os(Linux)
    /// An ext4 in a file, which the system can freeze: whatever writes to it hangs until it thaws.
    @Suite(
        "File store: a file system that is frozen", .timeLimit(.minutes(2)),
        .enabled(if: geteuid() == 0, "needs root to mount a file system"))
    struct FrozenFileSystemTests {
        let scratch: ScratchFolder
        let clock = ManualClock()

        init() throws { scratch = try ScratchFolder() }

        /// Runs a body with a file system of its own; not where the system has none to give, as in most containers.
        private func withFileSystem(_ body: (_ folder: String) async throws -> Void) async throws {
            let make = #"truncate -s 16M "$0" && mkfs.ext4 -q "$0" && mkdir "$1" && mount -o loop "$0" "$1""#
            guard try run("/bin/sh", "-c", make, scratch["image"], scratch["disk"]) == 0 else {
                print("Skipped: a file system in a file cannot be mounted here.")
                return
            }
            defer { _ = try? run("/bin/umount", scratch["disk"]) }
            try await body(scratch["disk"])
        }

        /// Freezes the file system until the program is told to end, or for half a minute at most, even if the test dies.
        private func freeze(_ folder: String) throws -> Program {
            let script = #"fsfreeze -f "$0" && echo frozen && sleep 30; fsfreeze -u "$0""#
            let program = try Program("/bin/sh", ["-c", script, folder])
            #expect(program.read() == "frozen\n")
            return program
        }

        private func thaw(_ folder: String, _ freezer: Program) throws {
            freezer.terminate()
            let code = try run("/bin/sh", "-c", #"fsfreeze -u "$0""#, folder)
            #expect(code == 0)
        }

        @Test("what must write is given up; what was being saved is saved when it thaws, and the lock is free then")
        func frozen() async throws {
            try await withFileSystem { folder in
                let store = FileAuthStateStore(file: "\(folder)/state", clock: clock)
                let old = try await store.put("old")
                let other = FileAuthStateStore(file: "\(folder)/other", clock: clock)
                let (isReserved, isFrozen) = (Gate(), Gate())
                let saving = Task {
                    try await store.withLease(.default, deadline: .seconds(1)) { lease in
                        try await lease.reserve()
                        isReserved.open()
                        try await isFrozen.passed()
                        _ = try await lease.save(Data("new".utf8), expecting: old)
                    }
                }
                try await isReserved.passed()
                let freezer = try freeze(folder)
                isFrozen.open()
                // A new lock file cannot be made.
                let locking = Task { try await other.put("one") }
                for task in [Task { _ = try await saving.value }, Task { _ = try await locking.value }] {
                    try await clock.advance(until: task)
                    let error = try await expectStoreError(.storeUnwritable) { try await task.value }
                    #expect(error.message.contains("does not answer: \(folder)"))
                }
                #expect(try await store.text() == "old")
                let locked = FileAuthStateStore(file: "\(folder)/state", clock: JumpingClock())
                try await expectStoreError(.storeLocked) { try await locked.put("no") }
                try thaw(folder, freezer)
                try await eventually { try String(contentsOfFile: "\(folder)/state", encoding: .utf8) == "new" }
                try await FileAuthStateStore(file: "\(folder)/state").put("newer")
                try await FileAuthStateStore(file: "\(folder)/other").put("one")
            }
        }
    }
#endif

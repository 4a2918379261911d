import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

#if os(Linux)
    @Suite(
        .timeLimit(.minutes(5)),
        .enabled(if: geteuid() == 0, "needs root to mount a file system"))
    struct FileAuthStateStoreDiskTests {
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
            #expect(try run("/bin/sh", "-c", #"fsfreeze -u "$0""#, folder) == 0)
        }

        @Test("a reserved save succeeds although the disk is full by then; on a full disk nothing can be reserved")
        func full() async throws {
            try await withFileSystem { folder in
                let store = FileAuthStateStore(folder: folder)
                let token = Data(repeating: 1, count: 12_000)
                try await store.put("old", "a")
                let old = try await store.put("old", "b")
                // To the last block: a disk that refuses a large write still takes a small one.
                let fill = #"""
                    cat /dev/zero >> "$0/fill"; sync "$0/fill"
                    while head -c 4096 /dev/zero >> "$0/fill"; do sync "$0/fill"; done
                    """#
                try await store.withLease("a", deadline: .seconds(1)) { lease in
                    try await lease.reserve()
                    try run("/bin/sh", "-c", fill, folder)
                    _ = try await lease.save(token, expecting: try await lease.load()?.version)
                }
                #expect(try await store.load("a")?.archive == token)
                try run("/bin/sh", "-c", fill, folder)
                try await store.withLease("b", deadline: .seconds(1)) { lease in
                    let error = try await expectStoreError(.storeUnwritable) { try await lease.reserve() }
                    #expect(error.message.contains("No space left on device"))
                    try await expectStoreError(.storeUnwritable) { _ = try await lease.save(token, expecting: old) }
                }
                #expect(try await store.load("b")?.version == old)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(!names.contains { $0.hasSuffix(".tmp") })
            }
        }

        @Test("writes to a frozen disk time out; a save in progress is saved when it thaws, and the lock is free then")
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

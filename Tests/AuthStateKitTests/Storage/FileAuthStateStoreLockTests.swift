import AuthStateKit
import Foundation
import Testing

private let flockProgram = "/usr/bin/flock"
private let hasFlock = FileManager.default.isExecutableFile(atPath: flockProgram)

@Suite(.timeLimit(.minutes(5))) struct FileAuthStateStoreLockTests {
    let scratch: ScratchFolder
    let store: FileAuthStateStore
    let lockPath: String

    init() throws {
        scratch = try ScratchFolder()
        store = FileAuthStateStore(file: scratch["state"])
        lockPath = scratch["state.lock"]
    }

    /// Starts a process that holds the lock until it is killed.
    private func holder() throws -> Program {
        let program = try Program(
            flockProgram, ["--nonblock", "--no-fork", lockPath, "sh", "-c", "echo held; exec sleep 60"])
        #expect(program.read() == "held\n")
        return program
    }

    @Test func `a hundred tasks on two stores count without losing one, and leave nothing open`() async throws {
        let stores = [store, FileAuthStateStore(file: scratch["state"])]
        try await together(100) { try await stores[$0 % 2].increment(.default) }
        #expect(try await store.text() == "100")
        #expect(try scratch.names() == ["state", "state.lock"])
        #if os(Linux)
            try await eventually { try scratch.openDescriptors() == 0 }
        #endif
    }

    @Test("tasks here and other processes count together", .enabled(if: hasFlock, "needs flock(1)"))
    func processes() async throws {
        let step = #"n=$(cat "$0" || echo 0); echo $((n + 1)) > "$0.new"; mv "$0.new" "$0""#
        let loop = #"i=0; while [ $i -lt 40 ]; do "$1" "$0.lock" sh -c "$2" "$0"; i=$((i + 1)); done"#
        let others = try (0..<2).map { _ in
            try Program("/bin/sh", ["-c", loop, scratch["state"], flockProgram, step])
        }
        try await together(40) { _ in try await store.increment(.default) }
        for process in others { process.wait() }
        #expect(try await store.text()?.trimmingCharacters(in: .newlines) == "120")
    }

    @Test("another process cannot lock while a lease is held", .enabled(if: hasFlock, "needs flock(1)"))
    func excludesOthers() async throws {
        try await store.withLease(.default, deadline: .seconds(1)) { _ in
            let code = try run(flockProgram, "--nonblock", lockPath, "true")
            #expect(code == 1)
        }
        #expect(try run(flockProgram, "--nonblock", lockPath, "true") == 0)
    }

    @Test(
        "a lock held by another process is waited for with growing pauses, then reported with its path",
        .enabled(if: hasFlock, "needs flock(1)"))
    func deadline() async throws {
        let process = try holder()
        defer { process.terminate() }
        let clock = JumpingClock()
        let waiting = FileAuthStateStore(file: scratch["state"], clock: clock)
        let error = try await expectStoreError(.storeLocked) {
            try await waiting.withLease(.default, deadline: .seconds(10)) { _ in }
        }
        #expect(error.message.contains(scratch["state"]))
        #expect(clock.now.offset == .seconds(10))
        #expect(clock.waits.allSatisfy { $0 <= .milliseconds(250) })
        #expect(clock.waits.count > 40 && clock.waits.count < 100)
    }

    @Test("the lock of a holder that is killed is free", .enabled(if: hasFlock, "needs flock(1)"))
    func killed() async throws {
        let process = try holder()
        let waiting = Task { try await store.put("mine") }
        process.terminate()
        _ = try await waiting.value
        #expect(try await store.text() == "mine")
    }

    @Test(
        "a waiter that is cancelled while another process holds the lock is free at once",
        .enabled(if: hasFlock, "needs flock(1)"))
    func cancelled() async throws {
        let process = try holder()
        defer { process.terminate() }
        let first = Task { try await store.put("first") }
        let second = Task { try await store.put("second") }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        process.terminate()
        _ = try await second.value
        #expect(try await store.text() == "second")
    }

    @Test func `a lock file that was removed is made anew and still excludes`() async throws {
        try await store.put("one")
        try FileManager.default.removeItem(atPath: lockPath)
        try await store.withLease(.default, deadline: .seconds(1)) { _ in
            let other = FileAuthStateStore(file: scratch["state"], clock: JumpingClock())
            try await expectStoreError(.storeLocked) { try await other.put("two") }
        }
    }
}

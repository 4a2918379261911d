import AuthStateJOSE
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateServer
@testable import AuthStateTesting

typealias Contract = AuthStateStoreContract

@Suite(.timeLimit(.minutes(5))) struct StoreContractTests {
    @Test("a store in memory keeps every promise", arguments: Contract.checks)
    func memory(_ check: Contract.Check) async throws { try await check.run(on: InMemoryAuthStateStore()) }

    @Test("a store in files keeps every promise", arguments: Contract.checks)
    func files(_ check: Contract.Check) async throws {
        let scratch = try ScratchFolder()
        let folder = scratch["deep/states"]
        try await check.run(
            on: FileAuthStateStore(folder: folder), and: FileAuthStateStore(folder: URL(fileURLWithPath: folder)))
    }

    @Test("a store in the keychain keeps every promise within one process", arguments: Contract.checks)
    func keychain(_ check: Contract.Check) async throws {
        let device = FakeDevice()
        try await check.run(on: device.store())
        #expect(device.misuse.isEmpty)
    }

    @Test("a sealed store keeps every promise", arguments: Contract.checks)
    func sealed(_ check: Contract.Check) async throws {
        let base = InMemoryAuthStateStore()
        let keys = [try SealingKey(id: "key", bytes: SecureRandom.bytes(32))]
        try await check.run(
            on: try SealedAuthStateStore(base, keys: keys), and: try SealedAuthStateStore(base, keys: keys))
    }

    @Test("a store with an index keeps every promise", arguments: Contract.checks)
    func indexed(_ check: Contract.Check) async throws {
        let base = InMemoryAuthStateStore()
        try await check.run(on: IndexedAuthStateStore(base), and: IndexedAuthStateStore(base))
    }

    /// The stores that lock by themselves.
    private func stores(_ scratch: ScratchFolder) -> [any AuthStateStore] {
        [
            InMemoryAuthStateStore(clock: WallClock(waiting: JumpingClock()) { .now }),
            FakeDevice().store(clock: JumpingClock()),
            FileAuthStateStore(folder: scratch.path, clock: JumpingClock()),
        ]
    }

    @Test func `a held lease is refused at the deadline of the clock that the store was given`() async throws {
        let scratch = try ScratchFolder()
        for store in stores(scratch) {
            try await store.withLease("a", deadline: .seconds(1)) { _ in
                _ = try await expectStoreError(.storeLocked) {
                    try await store.withLease("a", deadline: .seconds(3600)) { _ in }
                }
            }
            try await store.put("free again", "a")
        }
    }

    @Test func `the same content again is no conflict where a save may have failed after its effect`() async throws {
        let scratch = try ScratchFolder()
        for store in stores(scratch).dropFirst() {
            let old = try await store.put("one")
            let new = try await store.put("two")
            let again = try await store.withLease(.default, deadline: .seconds(1)) { lease in
                try await lease.save(Data("two".utf8), expecting: old)
            }
            #expect(again == new)
        }
    }

    @Test func `the body runs in the caller's isolation`() async throws {
        actor Owner {
            var seen: [String?] = []
            func look(into store: any AuthStateStore) async throws {
                try await store.withLease(.default, deadline: .seconds(1)) { lease in
                    seen.append(try await lease.load().map { text($0.archive) })
                }
            }
        }
        let store = InMemoryAuthStateStore()
        try await store.put("one")
        let owner = Owner()
        try await owner.look(into: store)
        #expect(await owner.seen == ["one"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct BrokenStoreTests {
    @Test("a store that breaks a promise is found by its check", arguments: BrokenStore.Fault.allCases)
    func found(_ fault: BrokenStore.Fault) async throws {
        let violation = await #expect(throws: Contract.Violation.self) {
            try await fault.broken.run(on: BrokenStore(fault), patience: .milliseconds(200))
        }
        #expect(violation?.promise == fault.broken.description)
    }

    @Test("the same store without the fault keeps every promise", arguments: Contract.checks)
    func sound(_ check: Contract.Check) async throws { try await check.run(on: BrokenStore(nil)) }

    @Test func `there is a fault for each check, and each has a name of its own`() {
        let promises = Contract.checks.map(\.description)
        #expect(Set(promises) == Set(BrokenStore.Fault.allCases.map(\.broken.description)))
        #expect(Set(promises).count == promises.count)
    }

    @Test("the check of a cancelled task ends with the cancellation, and reports no violation")
    func cancelled() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Contract.Check.exclusion.run(on: InMemoryAuthStateStore())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

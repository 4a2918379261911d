import AuthStateKit
import AuthStatePostgres
import AuthStateTesting
import Foundation
import Synchronization
import Testing

extension PostgresTests {
    /// A suspended holder: its clock stands still, so that it never extends its lease of half a second.
    @Suite(.withServer)
    struct Fencing {
        let stalled: PostgresAuthStateStore
        let other: PostgresAuthStateStore
        let key = freshKey()

        init() throws {
            let server = try PostgresServer.current
            stalled = try server.store(clock: ManualClock()) { $0.leaseDuration = .milliseconds(500) }
            other = try server.store()
        }

        @Test("cannot replace or remove what a later holder wrote, and learns it before anything is redeemed")
        func overwriting() async throws {
            let old = try await other.put("old", key)
            try await stalled.withLease(key, deadline: .seconds(5)) { lease in
                #expect(try await lease.load()?.version == old)
                try await other.put("theirs", key)
                try await expectStoreError(.storeConflict) {
                    _ = try await lease.save(Data("mine".utf8), expecting: old)
                }
                try await expectStoreError(.storeConflict) { try await lease.delete(expecting: old) }
                try await expectStoreError(.storeLocked) { try await lease.reserve() }
            }
            #expect(try await other.text(key) == "theirs")
        }

        @Test("learns it before anything is redeemed, even when it was suspended while it asked")
        func suspendedReservation() async throws {
            let server = try PostgresServer.current
            let key = key
            try await other.put("old", key)
            // Another holder, as soon as the lease is extended: its owner hears that it was, and wakes up after it expired.
            try await server.sql(
                """
                CREATE FUNCTION take_over() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE auth_states SET lease_owner = gen_random_uuid() WHERE key = NEW.key;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER take_over AFTER UPDATE OF lease_expires_at ON auth_states FOR EACH ROW
                WHEN (NEW.key = \(server.literal(key)) AND OLD.lease_owner = NEW.lease_owner) EXECUTE FUNCTION take_over()
                """)
            let sleeper = try server.store(clock: SleeperClock()) { $0.leaseDuration = .milliseconds(500) }
            try await sleeper.withLease(key, deadline: .seconds(60)) { lease in
                _ = try await expectStoreError(.storeLocked) { try await lease.reserve() }
            }
            try await server.sql("DROP TRIGGER take_over ON auth_states; DROP FUNCTION take_over()")
            // Without another holder it has the lease, but cannot know for how long.
            try await sleeper.withLease(freshKey(), deadline: .seconds(60)) { lease in
                _ = try await expectStoreError(.storeUnwritable) { try await lease.reserve() }
            }
        }

        @Test("cannot bring back what a later holder removed")
        func resurrection() async throws {
            try await stalled.withLease(key, deadline: .seconds(5)) { lease in
                #expect(try await lease.load() == nil)
                let version = try await other.put("theirs", key)
                try await other.withLease(key, deadline: .seconds(5)) { try await $0.delete(expecting: version) }
                try await expectStoreError(.storeConflict) {
                    _ = try await lease.save(Data("mine".utf8), expecting: nil)
                }
            }
            #expect(try await other.load(key) == nil)
        }

        @Test("may save redeemed tokens late, until another holder writes; the later holder then learns of it")
        func lateSave() async throws {
            let old = try await other.put("old", key)
            try await stalled.withLease(key, deadline: .seconds(5)) { lease in
                try await other.withLease(key, deadline: .seconds(10)) { later in
                    #expect(try await later.load()?.version == old)
                    _ = try await lease.save(Data("late".utf8), expecting: old)
                    try await expectStoreError(.storeConflict) {
                        _ = try await later.save(Data("later".utf8), expecting: old)
                    }
                    #expect(try await later.load().map { text($0.archive) } == "late")
                }
            }
            #expect(try await other.text(key) == "late")
        }

        @Test("does not give back the lease of the one after it")
        func release() async throws {
            try await other.put("kept", key)
            let gate = ScriptedTransport.Gate()
            let (stalled, other, key) = (stalled, other, key)
            let later = try await stalled.withLease(key, deadline: .seconds(5)) { _ in
                let later = Task {
                    try await other.withLease(key, deadline: .seconds(10)) { _ in try await gate.pass() }
                }
                await gate.arrivals()
                return later
            }
            let third = try PostgresServer.current.store()
            try await expectStoreError(.storeLocked) {
                try await third.withLease(key, deadline: .milliseconds(100)) { _ in }
            }
            gate.open()
            try await later.value
        }
    }
}

/// The clock of a process that is suspended for a second between any two readings.
private final class SleeperClock: Clock {
    private let readings = Mutex(0)
    private let start = ContinuousClock.now
    let minimumResolution = Duration.nanoseconds(1)

    var now: ContinuousClock.Instant {
        start
            + .seconds(
                readings.withLock { count in
                    count += 1
                    return count
                })
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: .seconds(3600))
    }
}

import AuthStateKit
import AuthStatePostgres
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    /// A suspended holder: its clock stands still, so that it never extends its lease of half a second.
    @Suite("a holder that lost its lease", .withServer)
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

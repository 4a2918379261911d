import AuthStateKit
import AuthStateServer
import AuthStateStorage
import AuthStateTesting
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@testable import AuthStateServiceLifecycle

@Suite(.timeLimit(.minutes(5)))
struct ServiceTests {
    @Test("a sweep at the start and at each interval ends abandoned sessions, until the shutdown")
    func sweeps() async throws {
        let world = try await World()
        try await testGracefulShutdown { trigger in
            let service = SweepService(world.pool, olderThan: .seconds(7200)) { result in
                world.events.append("deleted \((try? result.get())?.deleted ?? -1)")
            }
            let run = Task { try await service.run() }
            await world.clock.sleepers(1, within: .seconds(3600))
            #expect(world.events.all == ["deleted 0"])
            for sweeps in 2...4 {
                world.clock.advance(by: .seconds(3600))
                try await eventually { world.events.all.count == sweeps }
                await world.clock.sleepers(1, within: .seconds(3600))
            }
            trigger.triggerGracefulShutdown()
            try await bounded { try await run.value }
        }
        #expect(world.events.all == ["deleted 0", "deleted 0", "deleted 0", "deleted 1"])
        #expect(!world.provider.requests(at: .revocation).isEmpty)
        await world.provider.stop()
    }

    @Test("a sweep that fails is reported, and the next one is made")
    func failingSweep() async throws {
        let clock = ManualClock()
        let events = Events()
        let pool = AuthStatePool(store: Unlisted(), service: AuthorizationService(configuration: .init(clock: clock)))
        try await testGracefulShutdown { trigger in
            let service = SweepService(pool, olderThan: .seconds(60), every: .seconds(5)) { result in
                if case .failure(let error) = result { events.append(error.code.rawValue) }
            }
            let run = Task { try await service.run() }
            await clock.sleepers()
            clock.advance(by: .seconds(5))
            try await eventually { events.all == ["storeUnreadable", "storeUnreadable"] }
            trigger.triggerGracefulShutdown()
            try await bounded { try await run.value }
        }
    }

    @Test("a store listens until the graceful shutdown, and its error ends the service")
    func listening() async throws {
        let clock = ManualClock()
        try await testGracefulShutdown { trigger in
            let service = PostgresStoreService { try? await clock.sleep(for: .seconds(1)) }
            let run = Task { try await service.run() }
            await clock.sleepers()
            trigger.triggerGracefulShutdown()
            try await bounded { try await run.value }
        }
        await #expect(throws: AuthStateError.self) {
            try await PostgresStoreService { throw AuthStateError(.storeUnreadable, stage: .store, "No triggers.") }
                .run()
        }
    }

    @Test("a resource is shut down once, and in a task that is not cancelled", arguments: [false, true])
    func shutdown(isCancelled: Bool) async throws {
        let events = Events()
        try await testGracefulShutdown { trigger in
            let service = ShutdownService { events.append(Task.isCancelled ? "cancelled" : "shut down") }
            let run = Task { try await service.run() }
            if isCancelled { run.cancel() } else { trigger.triggerGracefulShutdown() }
            try await bounded { try await run.value }
        }
        #expect(events.all == ["shut down"])
    }
}

/// A store whose states cannot be listed.
private struct Unlisted: AuthStateStore {
    private let base = InMemoryAuthStateStore()

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await base.withLease(key, deadline: deadline, whileWaiting: look, body) }

    func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        throw AuthStateError(.storeUnreadable, stage: .store, "The database is down.")
    }
}

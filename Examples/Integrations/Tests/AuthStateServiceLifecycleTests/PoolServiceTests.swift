import AuthStateKit
import AuthStateServiceLifecycle
import AuthStateTesting
import Foundation
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PoolServiceTests {
    @Test("the graceful shutdown waits for a renewal in progress, whose tokens are saved")
    func waits() async throws {
        let world = try await World()
        let before = try await world.storedRefreshToken()
        try await testGracefulShutdown { trigger in
            let run = Task {
                try await AuthStatePoolService(world.pool).run()
                world.events.append("ended")
            }
            let gate = await world.beginRenewal()
            trigger.triggerGracefulShutdown()
            // The wait for the renewal has a deadline on this clock; the pool's own tick is a second.
            world.clock.advance(by: .seconds(1))
            await world.clock.sleepers(1, within: .seconds(30))
            world.events.append("answered")
            gate.open()
            try await bounded { try await run.value }
        }
        #expect(world.events.all == ["answered", "ended"])
        let after = try await world.storedRefreshToken()
        #expect(after != nil && after != before)
        await world.provider.stop()
    }

    @Test("the wait for a provider that does not answer ends at the pool's deadline")
    func deadline() async throws {
        let world = try await World()
        try await testGracefulShutdown { trigger in
            let run = Task { try await AuthStatePoolService(world.pool).run() }
            let gate = await world.beginRenewal()
            trigger.triggerGracefulShutdown()
            try await eventually {
                world.clock.advance(by: .seconds(1))
                return world.clock.date.timeIntervalSince1970 > 1_800_003_590
            }
            try await bounded { try await run.value }
            gate.open()
        }
        await world.provider.stop()
    }

    @Test("a group ends the pool before the connections that its last renewal needs")
    func order() async throws {
        let world = try await World()
        let group = ServiceGroup(
            services: [
                ShutdownService { world.events.append("connections closed") },
                Reporting(service: AuthStatePoolService(world.pool), events: world.events),
            ],
            logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        let gate = await world.beginRenewal()
        await group.triggerGracefulShutdown()
        world.clock.advance(by: .seconds(1))
        await world.clock.sleepers(1, within: .seconds(30))
        world.events.append("answered")
        gate.open()
        try await bounded { try await run.value }
        #expect(world.events.all == ["answered", "pool ended", "connections closed"])
        await world.provider.stop()
    }

    @Test("a service that fails ends the pool before the connections, too")
    func failure() async throws {
        let world = try await World()
        let (failing, fail) = AsyncStream<Void>.makeStream()
        let group = ServiceGroup(
            services: [
                ShutdownService(after: world.pool) { world.events.append("connections closed") },
                Reporting(service: AuthStatePoolService(world.pool), events: world.events),
                Failing(signal: failing),
            ],
            logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        let gate = await world.beginRenewal()
        fail.finish()
        // Both wait for the renewal, by a deadline on this clock; the pool's own tick is a second.
        world.clock.advance(by: .seconds(1))
        let waits = Task { await world.clock.sleepers(2, within: .seconds(30)) }
        // One that does not wait is told at once.
        let early = Task {
            try await eventually { !world.events.all.isEmpty }
            waits.cancel()
        }
        await waits.value
        early.cancel()
        world.events.append("answered")
        gate.open()
        await #expect(throws: Failing.Failure.self) { try await bounded { try await run.value } }
        #expect(world.events.all.first == "answered" && world.events.all.count == 3)
        await world.provider.stop()
    }

    private struct Failing: Service {
        struct Failure: Error {}
        let signal: AsyncStream<Void>

        func run() async throws {
            for await _ in signal {}
            throw Failure()
        }
    }

    /// A service that tells when it has ended.
    private struct Reporting: Service {
        let service: AuthStatePoolService
        let events: Events

        func run() async throws {
            try await service.run()
            events.append("pool ended")
        }
    }
}

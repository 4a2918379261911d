import AuthStateKit
import AuthStateMetrics
import AuthStateServer
import AuthStateTesting
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PoolMetricsTests {
    @Test("a report has the contents now, and what happened since the last report")
    func reports() async throws {
        let world = try await World()
        let pool = AuthStatePool(store: world.store, service: world.service)
        let metrics = PoolMetrics(pool, dimensions: [("pool", "web")], factory: world.metrics)
        _ = try await pool.logIn(.browser(AuthorizationRequest(world.client), DirectUserAgent()), for: "ada")
        _ = try await pool.state(for: "ada")
        metrics.report()
        _ = try await pool.state(for: "ada")
        metrics.report()
        let gauge = try world.metrics.expectMeter("authstate_pool_states", [("pool", "web")])
        #expect(gauge.values == [1, 1])
        let hits = try world.metrics.expectCounter("authstate_pool_hits", [("pool", "web")])
        #expect(hits.values == [1, 1] && hits.totalValue == Int64(pool.statistics.hits))
        await world.provider.stop()
    }

    @Test("reports at each interval, and once more when its task is cancelled")
    func running() async throws {
        let world = try await World()
        let clock = ManualClock()
        let pool = AuthStatePool(store: world.store, service: world.service)
        let metrics = PoolMetrics(pool, factory: world.metrics)
        let run = Task { await metrics.run(every: .seconds(10), clock: clock) }
        await clock.sleepers()
        let gauge = try world.metrics.expectMeter("authstate_pool_states")
        #expect(gauge.values.count == 1)
        clock.advance(by: .seconds(10))
        // It sleeps anew only after the second report.
        await clock.sleepers(1, within: .seconds(10))
        #expect(gauge.values.count == 2)
        run.cancel()
        await run.value
        #expect(gauge.values.count == 3)
        await world.provider.stop()
    }
}

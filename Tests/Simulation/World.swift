import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything outside the processes: schedule, store, provider, faults, and the oracle that watches all of them.
final class World: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let scheduler: Scheduler
    let store: SimulatedStore
    let provider: SimulatedProvider
    let oracle: Oracle
    let trace: Trace
    /// How far each process's clock is from the right time, in seconds.
    var clockErrors: [Int: Double] = [:]
    /// Whether things go wrong: not before the first login, and not once the run settles.
    var isHarsh = false
    private var faults: [Fault]
    private var calls: [Fault.Site: Int] = [:]

    init(_ plan: Plan, _ decisions: Decisions) {
        scheduler = Scheduler(decisions)
        store = SimulatedStore(isWatched: plan.isWatched)
        provider = SimulatedProvider(rules: plan.provider)
        trace = Trace(scheduler)
        oracle = Oracle(scheduler, provider, trace)
        faults = plan.faults
    }

    /// The fault of the next call of a kind, if the plan has one.
    func fault(at site: Fault.Site) -> Fault.Kind? {
        guard isHarsh else { return nil }
        calls[site, default: 0] += 1
        let number = calls[site]
        guard let index = faults.firstIndex(where: { $0.kind.site == site && $0.number == number }) else { return nil }
        return faults.remove(at: index).kind
    }

    /// Writes a line of the trace; process 0 is the world.
    func note(_ process: Int, _ text: String) { trace.note(process, text) }

    /// How a process reaches the provider.
    func service(_ process: Int) -> AuthorizationService {
        var configuration = AuthorizationService.Configuration()
        configuration.clock = WallClock { [self] in
            SimulatedClock.start.addingTimeInterval(scheduler.now + clockErrors[process, default: 0])
        }
        configuration.waitingClock = SimulatedClock(scheduler: scheduler)
        return AuthorizationService(
            transport: SimulatedTransport(world: self, process: process), configuration: configuration)
    }

    /// The provider's endpoints.
    static let configuration: ServiceConfiguration = {
        func url(_ path: String) -> URL { URL(string: "https://provider.example/" + path)! }
        var configuration = ServiceConfiguration(authorizationEndpoint: url("authorize"), tokenEndpoint: url("token"))
        configuration.revocationEndpoint = url("revoke")
        return configuration
    }()
}

import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

/// Everything outside the processes: schedule, store, provider, faults, and the oracles that watch all of them.
final class World: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let plan: Plan
    let scheduler: Scheduler
    let provider: SimulatedProvider
    let trace: Trace
    let journal: Journal
    /// The store, a shelf for each key.
    private(set) var shelves: [AuthStateKey: Shelf] = [:]
    /// The observer of the pages that accesses to the resource open.
    let pages: PageOracle
    /// The seconds by which each process's clock is wrong.
    var clockErrors: [Int: Double] = [:]
    /// Whether things go wrong: not before the first login, and not once the run settles.
    var isHarsh = false
    private var faults: [Fault]
    private var calls: [Fault.Site: Int] = [:]

    init(_ plan: Plan) {
        self.plan = plan
        scheduler = Scheduler(Decisions(script: []))
        provider = SimulatedProvider(plan)
        trace = Trace(scheduler)
        journal = Journal(scheduler, trace)
        faults = plan.faults
        pages = PageOracle(scheduler, provider, journal)
        for key in plan.keys { _ = shelf(key) }
    }

    /// The shelf of a key; an access keeps its registrations under keys of its own.
    func shelf(_ key: AuthStateKey) -> Shelf {
        if let shelf = shelves[key] { return shelf }
        let made = Shelf(key, plan, Oracle(scheduler, provider, journal))
        shelves[key] = made
        return made
    }

    /// The observer of a key.
    func oracle(_ key: AuthStateKey) -> Oracle { shelf(key).oracle }

    /// The observer of the key that a grant is for.
    func oracle(ofGrant grant: Int) -> Oracle? { provider.grants[grant].map { oracle($0.ticket.key) } }

    /// The fault of a process's next call of a kind, if the plan has one.
    func fault(at site: Fault.Site, _ process: Int) -> Fault.Kind? {
        guard isHarsh else { return nil }
        calls[site, default: 0] += 1
        let number = calls[site]
        guard let index = faults.firstIndex(where: { $0.kind.site == site && $0.number == number }) else { return nil }
        return faults.remove(at: index).kind
    }

    /// Notes that something went wrong with a call of a process.
    func faulted(_ process: Int, _ fault: Fault.Kind) {
        journal.faulted(fault)
        if fault.site == .load { for shelf in shelves.values { shelf.oracle.troubleAt[process] = scheduler.now } }
    }

    /// Writes a line of the trace; process 0 is the world.
    func note(_ process: Int, _ text: String) { trace.note(process, text) }

    /// The service by which a process reaches the provider.
    func service(_ process: Int) -> AuthorizationService {
        var configuration = AuthorizationService.Configuration()
        configuration.clock = WallClock(waiting: SimulatedClock(scheduler: scheduler)) { [self] in
            SimulatedClock.start.addingTimeInterval(scheduler.now + clockErrors[process, default: 0])
        }
        return AuthorizationService(
            transport: SimulatedTransport(world: self, process: process), configuration: configuration)
    }
}

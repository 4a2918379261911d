import AuthStateKit
import AuthStateOAuth

/// A process: what holds its states, and the calls that its users wait for.
final class SimulatedProcess: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    /// A call that a user of the process waits for.
    final class Call: @unchecked Sendable {
        let name: String
        /// Whether it goes on until it is cancelled.
        let isEndless: Bool
        var task: Task<Void, Never>?
        var isOver = false

        init(_ name: String, isEndless: Bool) { (self.name, self.isEndless) = (name, isEndless) }
    }

    let world: World
    /// Counted over all processes there ever were: a new one after a crash has another number.
    let number: Int
    let service: AuthorizationService
    let store: SimulatedStore
    private(set) var calls: [Call] = []
    private(set) lazy var holder: any StateHolder =
        switch world.plan.holding {
        case .state: SingleState(self)
        case .pool: PooledStates(self)
        case .session: SessionState(self)
        case .resource: AccessedResource(self)
        }
    /// Listens to the state's changes.
    private var listener: Task<Void, Never>?

    init(_ number: Int, in world: World) {
        (self.number, self.world) = (number, world)
        service = world.service(number)
        store = SimulatedStore(world: world, process: number)
    }

    /// Calls that have not returned.
    var waiting: [Call] { calls.filter { !$0.isOver } }

    /// Starts the process.
    func start() { begin("start") { try await $0.holder.start() } }

    /// Hears of the changes of a state.
    func listen(to state: AuthState) {
        let (stream, number, oracle) = (state.stateChanges, number, world.oracle(state.key))
        let endsEarly = world.plan.breakage == .streamsEndEarly
        listener?.cancel()
        oracle.streams(number)
        listener = world.scheduler.start(number) {
            var count = 0
            // The last element of a state that was replaced may come after the first of the next.
            for await change in stream where !Task.isCancelled {
                count += 1
                if !endsEarly || count < 3 { oracle.heard(number, change) }
            }
        }
    }

    /// Begins a call; it goes on when the schedule lets it.
    func begin(
        _ name: String, isEndless: Bool = false, _ body: @escaping @Sendable (SimulatedProcess) async throws -> String
    ) {
        let call = Call(name, isEndless: isEndless)
        calls.append(call)
        world.note(number, "\(name) begins")
        call.task = world.scheduler.start(number) { [self] in
            let result: String
            do { result = try await body(self) } catch { result = "throws \(Self.name(error))" }
            call.isOver = true
            world.note(number, "\(name) returns: \(result)")
        }
    }

    /// Cancels a call.
    func cancel(_ call: Call) {
        world.note(number, "\(call.name) is cancelled")
        world.scheduler.asProcess(number) { call.task?.cancel() }
    }

    /// Cancels the calls that go on until they are cancelled.
    func endRuns() { for call in waiting where call.isEndless { cancel(call) } }

    /// Ends what listens, so that the memory of a run is freed.
    func end() { world.scheduler.asProcess(number) { listener?.cancel() } }

    /// An error in one word.
    static func name(_ error: any Error) -> String { (error as? AuthStateError)?.code.rawValue ?? "\(type(of: error))" }

    var options: AuthState.Options {
        var options = AuthState.Options()
        options.observer = SaveListener(world: world, process: number)
        return options
    }
}

/// Hears of saves and readings that failed.
private struct SaveListener: AuthStateObserver {
    let world: World
    let process: Int

    func authState(_ state: AuthState, did event: AuthStateEvent) {
        let oracle = world.oracle(state.key)
        switch event {
        case .saveFailed: oracle.reportedFailure(process)
        case .readFailed: oracle.troubleAt[process] = world.scheduler.now
        default: break
        }
    }
}

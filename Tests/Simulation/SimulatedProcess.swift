import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process: its state, and the calls that its users wait for.
final class SimulatedProcess: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    /// A call that a user of the process waits for.
    final class Call: @unchecked Sendable {
        let name: String
        var task: Task<Void, Never>?
        var isOver = false
        init(_ name: String) { self.name = name }
    }

    let world: World
    /// Counted over all processes there ever were: a new one after a crash has another number.
    let number: Int
    private(set) var state: AuthState?
    private(set) var calls: [Call] = []
    /// Listens to the state's changes.
    private var listener: Task<Void, Never>?

    init(_ number: Int, in world: World) { (self.number, self.world) = (number, world) }

    /// Calls that have not returned.
    var waiting: [Call] { calls.filter { !$0.isOver } }

    /// Gives the process a state, whose changes are listened to.
    func adopt(_ state: AuthState) {
        self.state = state
        let (stream, number, oracle) = (state.stateChanges, number, world.oracle)
        listener?.cancel()
        oracle.streams(number)
        listener = world.scheduler.start(number) { for await change in stream { oracle.heard(number, change) } }
    }

    /// Begins a call; it goes on when the schedule lets it.
    func begin(_ name: String, _ body: @escaping @Sendable (SimulatedProcess) async throws -> String) {
        let call = Call(name)
        calls.append(call)
        world.note(number, "\(name) begins")
        call.task = world.scheduler.start(number) { [self] in
            let result: String
            do { result = try await body(self) } catch { result = "throws \(Self.name(error))" }
            call.isOver = true
            world.note(number, "\(name) returns: \(result)")
        }
    }

    /// An error in one word.
    static func name(_ error: any Error) -> String { (error as? AuthStateError)?.code.rawValue ?? "\(type(of: error))" }

    /// Starts: from what is stored, or as a client without a grant.
    func restore() async throws -> String {
        let handle = StoreHandle(world: world, process: number)
        let (service, options) = (world.service(number), options)
        do {
            adopt(try await AuthState.restore(from: handle, service: service, options: options))
            return "restored"
        } catch let error as AuthStateError where error.code == .notLoggedIn {
            let record = AuthState.Record(configuration: World.configuration, clientID: "client")
            adopt(AuthState(record, service: service, store: handle, options: options))
            return "nothing is stored"
        }
    }

    /// Ends what listens, so that the memory of a run is freed.
    func end() { world.scheduler.asProcess(number) { listener?.cancel() } }

    var options: AuthState.Options {
        var options = AuthState.Options()
        options.observer = SaveListener(oracle: world.oracle, process: number)
        return options
    }
}

/// Hears of saves that failed.
private struct SaveListener: AuthStateObserver {
    let oracle: Oracle
    let process: Int

    func authState(_ state: AuthState, did event: AuthStateEvent) {
        if case .saveFailed = event { oracle.reportedFailure(process) }
    }
}

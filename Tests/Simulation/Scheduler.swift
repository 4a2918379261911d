import AuthStateKit

/// The one thread of a simulation: jobs of Swift's executors, and calls of the world that wait to be let go on.
///
/// The jobs that a job starts belong to its process; the world itself is process 0. Nothing of a dead process runs
/// again.
final class Scheduler: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private struct Job {
        let process: Int
        let run: () -> Void
    }

    /// The way in which a call that waited goes on.
    enum Wake: Sendable { case ready, timedOut, cancelled }

    private final class Parked: @unchecked Sendable {
        let process: Int
        let deadline: Double?
        let isLazy: Bool
        let isReady: () -> Bool
        let action: () -> Void
        var wake: Wake?
        var continuation: UnsafeContinuation<Wake, Never>?

        init(
            process: Int, deadline: Double?, isLazy: Bool, isReady: @escaping () -> Bool,
            action: @escaping () -> Void
        ) {
            (self.process, self.deadline, self.isLazy) = (process, deadline, isLazy)
            (self.isReady, self.action) = (isReady, action)
        }
    }

    /// The choices of this run.
    var decisions: Decisions
    /// Steps so far.
    private(set) var steps = 0
    /// Simulated seconds since the beginning.
    private(set) var now = 0.0
    /// The process whose job runs.
    private(set) var current = 0
    /// Whether calls may be slow, and time may pass while there is work; not in the settled end of a run.
    var isCalm = true
    /// Runs after each step.
    var afterStep: () -> Void = {}
    /// Runs when a call of a process begins to wait.
    var atAwait: (_ process: Int) -> Void = { _ in }

    private var jobs: [Job] = []
    private var parked: [Parked] = []
    private var dead: Set<Int> = []

    init(_ decisions: Decisions) { self.decisions = decisions }

    func enqueue(_ run: @escaping () -> Void) {
        if !dead.contains(current) { jobs.append(Job(process: current, run: run)) }
    }

    /// Starts a task that belongs to a process.
    func start(_ process: Int, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        asProcess(process) { Task.detached { await body() } }
    }

    /// Does something in the name of a process: the jobs that come of it are its own.
    func asProcess<R>(_ process: Int, _ body: () -> R) -> R {
        let before = current
        current = process
        defer { current = before }
        return body()
    }

    /// Ends a process where it stands: its jobs and calls are dropped, their memory is leaked.
    func kill(_ process: Int) {
        dead.insert(process)
        jobs.removeAll { $0.process == process }
        parked.removeAll { $0.process == process }
    }

    /// Waits until the schedule lets this call go on.
    ///
    /// - Parameters:
    ///   - timeout: Simulated seconds after which it goes on as timed out.
    ///   - isReady: Whether it may go on; a lease waits for its holder.
    ///   - action: Changes the world at the moment at which it goes on.
    func park(
        timeout: Double? = nil, isCancellable: Bool = false, onlyByTime: Bool = false,
        isReady: @escaping () -> Bool = { true }, action: @escaping () -> Void = {}
    ) async -> Wake {
        let call = Parked(
            process: current, deadline: timeout.map { Self.tick(now) + Self.tick($0 + 0.499) },
            isLazy: !onlyByTime && !isCalm && decisions.happens(onceIn: 6),
            isReady: onlyByTime ? { false } : isReady, action: action)
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                call.continuation = continuation
                if let wake = call.wake { continuation.resume(returning: wake) } else { self.parked.append(call) }
                self.atAwait(call.process)
            }
        } onCancel: {
            if isCancellable { self.release(call, .cancelled) }
        }
    }

    private func release(_ call: Parked, _ wake: Wake) {
        guard call.wake == nil else { return }
        call.wake = wake
        parked.removeAll { $0 === call }
        guard let continuation = call.continuation, !dead.contains(call.process) else { return }
        asProcess(call.process) { continuation.resume(returning: wake) }
    }

    /// The clock in steps of half a second, so that random jitter in a pause steers nothing.
    static func tick(_ time: Double) -> Double { (time * 2).rounded(.down) / 2 }

    /// Moves the clock, and wakes the calls that waited until then.
    func advance(to time: Double) {
        now = max(now, time)
        func deadline(_ call: Parked) -> Double { call.deadline ?? .infinity }
        while let due = parked.min(by: { deadline($0) < deadline($1) }), deadline(due) <= now {
            release(due, .timedOut)
        }
    }

    /// Makes one step; false when there is nothing to do.
    ///
    /// - Parameter next: Another thing that could happen now: the plan's next action.
    func step(or next: (() -> Void)? = nil) -> Bool {
        let ready = parked.filter { $0.isReady() }
        let (eager, lazy) = (ready.filter { !$0.isLazy }, ready.filter(\.isLazy))
        let deadline = parked.compactMap(\.deadline).min()
        let hasWork = !jobs.isEmpty || !eager.isEmpty || next != nil
        var weights = jobs.map { _ in 12 } + eager.map { _ in 8 }
        let planned = weights.count
        weights.append(next == nil ? 0 : 6)
        weights += lazy.map { _ in hasWork && !isCalm ? 1 : 12 }
        // Time stands still while there is work, unless the schedule is a slow one.
        weights.append(deadline == nil || (isCalm && (hasWork || !lazy.isEmpty)) ? 0 : hasWork ? 1 : 12)
        guard weights.contains(where: { $0 > 0 }) else { return false }
        // Only what can happen is chosen from, so that choice 0 is always possible.
        let possible = weights.indices.filter { weights[$0] > 0 }
        let choice = possible[decisions.choose(weights: possible.map { weights[$0] })]
        steps += 1
        now += 0.001
        if choice < jobs.count {
            let job = jobs.remove(at: choice)
            asProcess(job.process, job.run)
        } else if choice < planned {
            go(on: eager[choice - jobs.count])
        } else if choice == planned {
            next?()
        } else if choice <= planned + lazy.count {
            go(on: lazy[choice - planned - 1])
        } else if let deadline {
            advance(to: deadline)
        }
        afterStep()
        return true
    }

    private func go(on call: Parked) {
        call.action()
        release(call, .ready)
    }
}

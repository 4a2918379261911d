/// The events of a run, a line each: without names that differ from run to run.
final class Trace {
    private(set) var lines: [String] = []
    private let scheduler: Scheduler

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// Writes a line; process 0 is the world.
    func note(_ process: Int, _ text: String) {
        let time = String(Int((scheduler.now * 1000).rounded()))
        let padded = String(repeating: " ", count: max(0, 8 - time.count)) + time
        lines.append("\(padded) ms  \(process == 0 ? "  " : "p\(process)")  \(text)")
    }
}

import Foundation

/// The time that all processors together have spent since the system started.
struct Processors {
    private var idle = 0.0
    private var all = 0.0

    /// Returns the time until now; nil where there is no procfs.
    static func now() -> Processors? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        // user, nice, system, idle, iowait, irq, softirq, steal; guests' time is in the first two.
        let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return nil }
        return Processors(idle: ticks[3] + ticks[4], all: ticks.reduce(0, +))
    }

    /// The part of the time in which nothing ran; nil when no time has passed.
    var idlePart: Double? { all > 0 ? idle / all : nil }

    mutating func add(from start: Processors?, to end: Processors?) {
        guard let start, let end else { return }
        idle += end.idle - start.idle
        all += end.all - start.all
    }

    /// The nanoseconds for which processors have worked for this process.
    static func timeOfThisProcess() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

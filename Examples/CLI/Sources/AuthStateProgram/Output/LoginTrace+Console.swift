import AuthStateKit
import AuthStateReport
import Synchronization

extension LoginTrace {
    /// The trace that the options ask for: on standard error, for a report, or both; nil for neither.
    ///
    /// On standard error the advice is left to the error at the end, which knows this program's options.
    init?(_ options: CommonOptions, _ console: Console, _ steps: StepCount) {
        guard options.trace || options.report != nil else { return nil }
        let tell: @Sendable (Entry) -> Void = { entry in
            steps.increase()
            guard options.trace else { return }
            var entry = entry
            if entry.step == .failure { entry.details.removeAll { $0.name == "hint" } }
            console.note("trace: \(entry)")
        }
        self = options.report == nil ? LoginTrace(tell) : .recording(tell)
    }
}

/// How many steps a trace has seen.
final class StepCount: Sendable {
    private let count = Atomic(0)

    func increase() { count.add(1, ordering: .relaxed) }

    var isZero: Bool { count.load(ordering: .relaxed) == 0 }
}

import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import Dispatch
import Synchronization

/// Asks the user about requests, one at a time.
final class ProxyConfirmation: Sendable {
    /// The requests that the user is asked about.
    enum Mode: String, CaseIterable, ExpressibleByArgument {
        /// Every request.
        case each
        /// The first one with a method and a path; the answer holds for the others.
        case kind
    }

    /// Asks a question until a time, or until it is withdrawn; nil without an answer.
    typealias Ask =
        @Sendable (
            _ question: String, _ end: ContinuousClock.Instant, _ isWithdrawn: () -> Bool
        ) -> Bool?

    private let mode: Mode
    private let limit: Duration
    private let ask: Ask
    private let answers = Mutex<[String: Bool]>([:])
    /// A question blocks its thread. One that waits for the others ends no later than they do, because they came before.
    private let queue = DispatchQueue(label: "authstate.confirmation")

    /// - Parameter limit: The time that a request waits for its answer.
    init(_ mode: Mode, limit: Duration, ask: @escaping Ask) { (self.mode, self.limit, self.ask) = (mode, limit, ask) }

    /// Returns whether the user confirms a request; no when the time is over, or the task is cancelled.
    func allows(_ method: String, _ path: String) async -> Bool {
        let question = "\(method.printable(.max)) \(path.printable(.max))"
        // A path that the user does not see as a whole could be another one.
        guard question.count <= 500 else { return false }
        let end = ContinuousClock.now + limit
        let isWithdrawn = Mutex(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(returning: answer(to: question, until: end) { isWithdrawn.withLock { $0 } })
                }
            }
        } onCancel: {
            isWithdrawn.withLock { $0 = true }
        }
    }

    private func answer(
        to question: String, until end: ContinuousClock.Instant, unless isWithdrawn: () -> Bool
    ) -> Bool {
        if let known = answers.withLock({ $0[question] }) { return known }
        guard !isWithdrawn(), let answer = ask(question, end, isWithdrawn) else { return false }
        if mode == .kind { answers.withLock { $0[question] = answer } }
        return answer
    }
}

internal import Dispatch

/// Runs an actor's functions on a thread that may block: a dispatch queue's, which exists only while there is work.
///
/// The pool that runs tasks has as many threads as the machine has cores, and must never wait for a network.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: UnownedJob) { queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) } }

    /// Lets code that the queue runs by itself, such as a source's handler, count as the actor's.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

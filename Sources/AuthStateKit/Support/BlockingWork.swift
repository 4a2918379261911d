import Dispatch

/// Runs calls that block, one after another, away from the threads that run tasks.
///
/// The task pool has as many threads as the machine has cores. An fsync takes a fraction of a millisecond and would be
/// bearable there, but a network file system that hangs holds its thread for minutes, and two of those stop every task of
/// a small machine. A serial dispatch queue has a thread only while there is work. It is deliberately deaf to
/// cancellation: a save, once begun, is finished.
struct BlockingWork: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }
}

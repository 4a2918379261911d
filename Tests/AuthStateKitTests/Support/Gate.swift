import AuthStateJOSE
import Dispatch

/// Holds calls until a test lets them go, like a disk that does not answer.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let entered = Lock(0)
    private let isOpen = Lock(false)

    /// The number of calls that have come here.
    var count: Int { entered.withLock { $0 } }

    /// Blocks the thread until the gate is open, or for a minute.
    func pass() {
        entered.withLock { $0 += 1 }
        _ = semaphore.wait(timeout: .now() + 60)
        semaphore.signal()
    }

    /// Waits without blocking until the gate is open.
    func passed() async throws { try await eventually { isOpen.withLock { $0 } } }

    /// Lets all pass, for good.
    func open() {
        isOpen.withLock { $0 = true }
        semaphore.signal()
    }
}

import AuthStateJOSE
import AuthStateLibc
import AuthStateSystem

/// Messages to a server's thread, from any thread; a byte in a pipe wakes the thread from `poll`.
final class LoopbackMailbox: Sendable {
    enum Message: Sendable {
        case answer(LoopbackTicket, LoopbackAnswer)
        /// Stop; answers that are being sent get this long.
        case stop(grace: Duration)
    }

    private struct State {
        var messages: [Message] = []
        var isOpen = true
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The end of the pipe that the thread polls.
    let wakeDescriptor: Int32
    private let wakeEnd: Int32
    private let state = Lock(State())

    init() throws(SystemCallError) { (wakeDescriptor, wakeEnd) = try LoopbackSocket.wakePipe() }

    deinit { close() }

    /// Leaves a message; without effect once the thread has ended.
    func post(_ message: Message) {
        state.withLock { state in
            guard state.isOpen else { return }
            state.messages.append(message)
            // Under the lock, so that the descriptor cannot be closed and used for something else in between.
            if state.messages.count == 1 { _ = write(wakeEnd, [1], 1) }
        }
    }

    /// Takes all messages, in order; for the thread alone.
    func take() -> [Message] {
        state.withLock { state in
            guard state.isOpen, !state.messages.isEmpty else { return [] }
            var bytes: [UInt8] = [0, 0, 0, 0]
            _ = read(wakeDescriptor, &bytes, bytes.count)
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Closes the pipe and resumes the tasks that wait for the thread's end.
    func close() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isOpen else { return [] }
            for descriptor in [wakeDescriptor, wakeEnd] { AuthStateLibc.close(descriptor) }
            defer { state = State(isOpen: false) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the thread has closed everything.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if !isOpen { continuation.resume() }
        }
    }
}

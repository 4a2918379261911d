import AuthStateFoundation
import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateSystem
import AuthStateTransport

/// A transport that answers from a script, without a network, and records its requests.
public final class ScriptedTransport: HTTPTransport, Sendable {
    /// The reaction to one request.
    public enum Reply: Sendable {
        /// Answer.
        case response(TransportResponse)
        /// Fail.
        case failure(TransportError)
        /// Answer with JSON.
        case json(String, status: Int = 200)
        /// Wait until the gate opens, then do the rest.
        indirect case gated(Gate, then: Reply)
        /// Decide by the request.
        case dynamic(@Sendable (TransportRequest) async throws -> TransportResponse)
    }

    /// Holds replies back until a test opens it.
    public final class Gate: Sendable {
        private struct State {
            var arrived = 0
            var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        }
        private let state = Lock(State())
        private let opening = SharedResult<Void>()

        /// Makes a closed gate.
        public init() {}

        /// Lets everything through from now on.
        public func open() { opening.finish(.success(())) }

        /// Waits until so many requests have arrived at the gate.
        public func arrivals(_ count: Int = 1) async {
            await withCheckedContinuation { continuation in
                let isEnough: Bool = state.withLock { state in
                    if state.arrived >= count { return true }
                    state.watchers.append((count, continuation))
                    return false
                }
                if isEnough { continuation.resume() }
            }
        }

        /// Waits until the gate is open.
        ///
        /// - Throws: `CancellationError`.
        public func pass() async throws {
            let woken = state.withLock { state in
                state.arrived += 1
                defer { state.watchers.removeAll { $0.count <= state.arrived } }
                return state.watchers.filter { $0.count <= state.arrived }.map(\.continuation)
            }
            for watcher in woken { watcher.resume() }
            try await opening.value()
        }
    }

    private struct State {
        var replies: [Reply]
        var requests: [TransportRequest] = []
    }

    private let state: Lock<State>
    private let fallback: Reply?

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - replies: Used up in order.
    ///   - fallback: Used when they are used up; nil fails as unreachable, naming the request.
    public init(_ replies: [Reply] = [], then fallback: Reply? = nil) {
        state = Lock(State(replies: replies))
        self.fallback = fallback
    }

    /// Adds replies at the end of the script.
    public func enqueue(_ replies: Reply...) { state.withLock { $0.replies += replies } }

    /// Every request so far.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Answers by the script.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let reply: Reply? = state.withLock { state in
            state.requests.append(request)
            return state.replies.isEmpty ? nil : state.replies.removeFirst()
        }
        return try await perform(reply ?? fallback, for: request)
    }

    private func perform(_ reply: Reply?, for request: TransportRequest) async throws -> TransportResponse {
        switch reply {
        case .response(let response)?: return response
        case .failure(let error)?: throw error
        case .json(let text, let status)?:
            return TransportResponse(
                status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
        case .gated(let gate, let next)?:
            try await gate.pass()
            return try await perform(next, for: request)
        case .dynamic(let answer)?: return try await answer(request)
        case nil:
            let name = "\(request.method.rawValue) \(request.url.redactedDescription)"
            throw TransportError(
                .unreachable, "The script has no reply to \(name).", requestMayHaveBeenSent: false)
        }
    }
}

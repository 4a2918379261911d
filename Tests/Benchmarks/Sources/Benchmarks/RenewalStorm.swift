import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Foundation
import Synchronization

/// Many callers at once find an expired token: one renewal serves them all.
enum RenewalStorm {
    static let callers = 1_000

    static let benchmark = Benchmark(name: "renewal-storm", rounds: 101) { rounds in
        let tasks = Contender("tasks that wait once") { _, _ in
            try await nanoseconds { await Task.yield() }
        }
        let shared = Contender("one task behind an actor, which all wait for") { _, _ in
            let place = SharedTask()
            return try await nanoseconds { await place.task().value }
        }
        let cancellable = Contender("one caller's renewal behind an actor, and each caller can be cancelled") { _, _ in
            let state = endedState(ScriptedTransport(then: .json(answer)))
            let place = SharedWait { _ = try await state.freshTokens() }
            return try await nanoseconds { try await place.wait() }
        }
        let storm = Contender("withFreshToken { }, one renewal for all", goal: .ratio(1.5)) { _, _ in
            let transport = ScriptedTransport(then: .json(answer))
            let state = endedState(transport)
            let elapsed = try await nanoseconds {
                let token = try await state.withFreshToken { $0.accessToken }
                precondition(token == "new")
            }
            precondition(transport.requests.count == 1, "more than one renewal")
            return elapsed
        }
        let rows = try await compare(
            [cancellable, tasks, shared, storm], tasks: callers, calls: callers, rounds: rounds, of: .wholeTime)
        return Report(rows, to: "a renewal and waiting that can be cancelled")
    }

    /// The least that a renewal for all callers needs: a turn in an actor for each, and a task that does nothing.
    private actor SharedTask {
        private var running: Task<Void, Never>?

        func task() -> Task<Void, Never> {
            let task = running ?? Task { await Task.yield() }
            running = task
            return task
        }
    }

    /// The same for callers that can be cancelled, each without the others, and that wait for some work: a continuation and a
    /// cancellation handler for each.
    private actor SharedWait {
        private typealias Waiter = CheckedContinuation<Void, any Error>

        private let work: @Sendable () async throws -> Void
        private let waiters = Mutex<[Waiter?]>([])
        private var isRunning = false

        init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

        func wait() async throws {
            let place = waiters.withLock { waiters in
                waiters.append(nil)
                return waiters.count - 1
            }
            if !isRunning {
                isRunning = true
                Task {
                    defer { finish() }
                    try await work()
                }
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in waiters.withLock { $0[place] = waiter } }
            } onCancel: {
                let waiter = waiters.withLock { waiters in
                    defer { waiters[place] = nil }
                    return waiters[place]
                }
                waiter?.resume(throwing: CancellationError())
            }
        }

        private func finish() {
            isRunning = false
            let all = waiters.withLock { waiters in
                defer { for place in waiters.indices { waiters[place] = nil } }
                return waiters
            }
            for waiter in all { waiter?.resume() }
        }
    }

    /// Returns the time until all callers have what they want, each in a task of its own: in a task group each child that ends is
    /// looked for among those that are left, which takes more time than what is measured.
    private static func nanoseconds(_ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let elapsed = try await ContinuousClock().measure {
            let tasks = (0..<callers).map { _ in Task(operation: body) }
            for task in tasks { try await task.value }
        }
        return elapsed / .nanoseconds(1)
    }

    private static let answer = """
        {"access_token":"new","token_type":"Bearer","expires_in":3600,"refresh_token":"next"}
        """

    private static func endedState(_ transport: ScriptedTransport) -> AuthState {
        let now = Date()
        var record = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!),
                id: "benchmark"))
        record.lastTokenResponse = TokenResponse(
            accessToken: "old", issuedAt: now.addingTimeInterval(-7_200),
            accessTokenExpirationDate: now.addingTimeInterval(-3_600), refreshToken: "first")
        record.refreshToken = "first"
        return AuthState(record, service: AuthorizationService(transport: transport), store: InMemoryAuthStateStore())
    }
}

import AuthStateKit
import AuthStateOAuth
import AuthStateServer

/// A pool with room for one state and keys for more, so that states leave memory and are loaded again.
final class PooledStates: StateHolder, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private let process: SimulatedProcess
    let pool: AuthStatePool
    /// States that a call had: the pool lets go of them once all calls have.
    private var seen: [AuthStateKey: Seen] = [:]

    private struct Seen { weak var state: AuthState? }

    init(_ process: SimulatedProcess) {
        self.process = process
        var options = AuthStatePool.Options()
        options.state = process.options
        options.capacity = 1
        options.idleTime = .seconds(60)
        options.concurrentRenewals = 2
        pool = AuthStatePool(store: process.store, service: process.service, options: options)
    }

    func start() async throws -> String { "an empty pool" }

    func shown(_ key: AuthStateKey) -> AuthState? { seen[key]?.state }

    func state(_ key: AuthStateKey) async throws -> AuthState { see(try await pool.state(for: key)) }

    private func see(_ state: AuthState) -> AuthState {
        seen[state.key] = Seen(state: state)
        return state
    }

    func tokens(_ key: AuthStateKey, _ wish: TokenWish) async throws -> Tokens {
        defer { pool.loadedState(for: key).map { _ = see($0) } }
        return switch wish {
        case .fresh: try await pool.freshTokens(for: key)
        case .long(let seconds): try await pool.freshTokens(for: key, validFor: .seconds(seconds))
        case .side: try await pool.freshTokens(for: key, TokenWish.parameters)
        }
    }

    func logIn(_ key: AuthStateKey, by login: Login) async throws -> AuthState {
        let number = process.number
        switch login {
        case .page, .redirect:
            let pending = try await process.service.begin(process.world.request(of: number))
            let session = try await process.userAgent(key)
                .prepare(redirectURI: pending.request.redirectURI, for: .login)
            let callback = try await session.present(.login(pending))
            return see(try await pool.logIn(.callback(callback, of: pending), for: key))
        case .device:
            return see(
                try await pool.logIn(
                    .device(process.world.deviceRequest(of: number)) {
                        try await self.process.confirm($0, key)
                    }, for: key))
        case .machine, .workload:
            return see(try await pool.logIn(process.programLogin(key, isWorkload: login == .workload), for: key))
        case .registration:
            return see(try await pool.insert(process.newState(key, by: login)))
        }
    }

    func clear(_ key: AuthStateKey) async throws { try await pool.remove(key) }
    // A state that is logged out, and could not be saved so, is in the pool alone.
    func save(_ key: AuthStateKey) async throws { await pool.drain() }
    func run() async throws { await pool.run() }
    func drain() async { await pool.drain() }
}

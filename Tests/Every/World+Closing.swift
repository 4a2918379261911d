@testable import AuthStateKit

extension World {
    /// Plays the closing act from a quiet world: nothing fails any more, all tokens expire, each process saves what is unsaved
    /// and asks for tokens, twice.
    ///
    /// - Returns: The promise that does not hold; nil when all do.
    func closing() -> String? {
        var world = self
        world.chances = Chances()
        world.expiries += 1
        for _ in 0..<2 {
            for process in 0..<2 where world.processes[process].hasState {
                if !world.processes[process].ledger.isSaved { world.save(process) }
                world.chances[.call] = 1
                guard world.apply(.begin(process, .call)), world.run(process, .call) else {
                    return "every call returns"
                }
            }
        }
        if let broken = world.ghost.broken { return broken }
        let outcomes = world.processes.filter(\.hasState).map(\.outcome)
        guard Set(outcomes).count <= 1 else { return "all processes agree in the end: \(outcomes)" }
        let record = world.store.record?.value
        let isLogin = record.map { !$0.isLoggedOut && $0.authorizationError == nil } ?? false
        let grant = record?.refreshToken.flatMap { Int($0.dropFirst().prefix { $0 != "." }) }
        let stored = isLogin ? "grant \(grant ?? -1)" : "refused"
        if let outcome = outcomes.first, outcome != stored {
            return "the store agrees in the end: \(outcome), \(stored)"
        }
        let allowed = world.allowed
        if allowed.contains(stored) { return nil }
        // A grant is lost with a token that was sent twice.
        let isLost = stored == "refused" && ghost.mayReuse.contains { allowed.contains("grant \($0)") }
        return isLost ? nil : "a decision stands: \(stored), and not \(allowed.sorted())"
    }

    /// What may stand in the end: each decision that none was made after, a failed one in any order, and the first login when
    /// nothing was decided.
    private var allowed: Set<String> {
        let done = ghost.decisions.indices.filter { ghost.decisions[$0].state == .done }
        let last = ghost.decisions.indices.filter { index in
            !done.contains { ghost.decisions[$0].after.contains(index) }
        }
        return Set(
            last.map { index in ghost.decisions[index].grant.map { "grant \($0)" } ?? "refused" }
                + (done.isEmpty ? ["grant 0"] : []))
    }

    private mutating func save(_ process: Int) {
        processes[process].tasks[Slot.login.rawValue] = Task(work: .wait(.storing(endOf: nil, login: nil)))
        _ = run(process, .login)
    }

    /// Lets a task go on to its end, alone.
    private mutating func run(_ process: Int, _ slot: Slot) -> Bool {
        for _ in 0..<100 where processes[process].tasks[slot.rawValue] != nil {
            guard apply(.go(process, slot, nil)) else { return false }
        }
        return processes[process].tasks[slot.rawValue] == nil
    }
}

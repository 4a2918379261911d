import AuthStateKit
import AuthStateOAuth

// The checks of every process once the faults have ended.
extension Stage {
    /// Lets every process save and use its state, twice, and looks at all of them.
    ///
    /// Where the store lost what it had, they need a third time to agree: a login that was saved again is read, ended by
    /// a process that has seen a later one end, and read again.
    func checkEnd() {
        restartFailed()
        let rounds = world.journal.isExcused(by: [.oldCopy]) ? 3 : 2
        for round in 1...rounds {
            for process in processes {
                for key in plan.keys { use(process, key, isLast: round == rounds) }
            }
        }
        for key in plan.keys {
            let oracle = world.oracle(key)
            let stored = world.shelf(key).record(for: 0)
            for process in processes {
                if let state = process.holder.shown(key) { oracle.checkEnd(state, of: process.number, stored: stored) }
            }
            oracle.checkRegistration(stored)
            oracle.checkAgreement()
        }
    }

    /// A process whose start failed, as when the store could not be read, is started again.
    private func restartFailed() {
        guard plan.holding == .state else { return }
        for index in processes.indices where processes[index].holder.shown(.default) == nil {
            processes[index] = start()
        }
        settle()
    }

    private func use(_ process: SimulatedProcess, _ key: AuthStateKey, isLast: Bool) {
        let oracle = world.oracle(key)
        if let state = process.holder.shown(key) {
            process.perform(.save, key)
            settle()
            oracle.checkSaved(state, of: process.number)
        }
        process.perform(.reload, key)
        settle()
        process.begin("the last use of a token") { process in
            do {
                let token = try await process.use(key, refusing: false)
                if isLast { oracle.ends(process.number, serving: token) }
                return token
            } catch {
                let canLogIn = process.holder is AccessedResource
                if isLast { oracle.ends(process.number, process.holder.shown(key), with: error, canLogIn: canLogIn) }
                throw error
            }
        }
        settle()
    }
}

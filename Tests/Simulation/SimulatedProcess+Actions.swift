import AuthStateKit
import AuthStateOAuth

extension SimulatedProcess {
    /// Begins an action of the plan that is a call of the process.
    func perform(_ action: Action, _ key: AuthStateKey) {
        begin(action.rawValue, isEndless: action == .run) { process in
            let holder = process.holder
            switch action {
            case .freshTokens: return try await process.deliver(key, .fresh)
            case .longTokens: return try await process.deliver(key, .long(60))
            case .sideTokens: return try await process.deliver(key, .side)
            case .refresh: return try await process.refresh(key)
            case .refusedToken: return try await process.use(key, refusing: true)
            case .request: return try await process.send(key)
            case .write: return try await process.send(key, .post)
            case .takeToken: return try await process.takeToken()
            case .reauthorize: return try await process.send(key, loggingInAsTheSame: true)
            case .reauthorizeAsAnother: return try await process.send(key, loggingInAsTheSame: false)
            case .login: return try await process.takeTokens(key)
            case .authorize: return try await process.logIn(key, by: .page)
            case .redirect: return try await process.logIn(key, by: .redirect)
            case .device: return try await process.logIn(key, by: .device)
            case .clientCredentials: return try await process.logIn(key, by: .machine)
            case .assertion: return try await process.logIn(key, by: .workload)
            case .register: return try await process.logIn(key, by: .registration)
            case .clear, .logOut, .revoke, .deleteRegistration: return try await process.end(key, by: action)
            case .readRegistration: return try await process.manageRegistration(key, isUpdate: false)
            case .updateRegistration: return try await process.manageRegistration(key, isUpdate: true)
            case .reload: try await holder.reload(key)
            case .save: try await holder.save(key)
            case .drain: await holder.drain()
            case .needsRefresh: try await holder.state(key).setNeedsTokenRefresh()
            case .run: try await holder.run()
            case .cancel, .cancelOldest, .crash, .loseLease, .withdraw, .rotateKeys, .moveResource, .forgetClient,
                .quarterMinute, .minute, .clockAhead, .clockBack, .clockRight:
                break
            }
            return "done"
        }
    }

    /// Ends a grant: a decision after which nothing of it is shown.
    private func end(_ key: AuthStateKey, by action: Action) async throws -> String {
        let oracle = world.oracle(key)
        let decision = oracle.decides(number, .logout)
        // A pool or an access that has not loaded the state has nothing to end but what is stored.
        let isInMemory = holder.shown(key) != nil
        if world.isHarsh, world.plan.breakage == .logoutsAreIgnored {
            oracle.decided(decision, isStored: true)
            return "ignored"
        }
        do {
            switch action {
            case .clear: try await holder.clear(key)
            case .logOut:
                let outcome = try await holder.logOut(key)
                // Without a grant in sight nothing is decided: another process may have one that it could not save yet.
                guard outcome.removal != .notNeeded else {
                    oracle.isInDoubt(decision)
                    return "nothing to end"
                }
                oracle.decided(decision, isStored: outcome.removal == .done)
                return outcome.removal == .done ? "done" : "not removed"
            case .revoke: try await holder.state(key).revoke()
            default: try await holder.state(key).deleteRegistration()
            }
        } catch let error as AuthStateError where action == .clear && isInMemory && error.code != .notLoggedIn {
            oracle.decided(decision, isStored: false)
            throw error
        } catch {
            oracle.isInDoubt(decision)
            throw error
        }
        oracle.decided(decision, isStored: true)
        return "done"
    }

    /// Reads or changes the registration; the provider may replace its token and the client's secret.
    func manageRegistration(_ key: AuthStateKey, isUpdate: Bool) async throws -> String {
        let state = try await holder.state(key)
        let response =
            isUpdate
            ? try await state.updateRegistration { $0.clientName = "Another name" }
            : try await state.readRegistration()
        return response.registrationAccessToken ?? "no token"
    }
}

import AuthStateSystem

@testable import AuthStateKit

/// What distinguishes two worlds, as a number of 64 bits.
extension World {
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(chances)
        hasher.combine(expiries)
        hash(store.record, into: &hasher)
        hasher.combine(store.version)
        hasher.combine(store.holder)
        hasher.combine(provider.newest)
        hasher.combine(provider.dead)
        hasher.combine(provider.renewedAt)
        hasher.combine(ghost.mayReuse)
        hasher.combine(store.followsCrash)
        hasher.combine(ghost.stored)
        for decision in ghost.decisions {
            hasher.combine(decision.grant)
            hasher.combine(decision.process)
            hasher.combine(decision.state)
            hasher.combine(decision.after)
        }
        for process in processes {
            hasher.combine(process.hasState)
            hash(process.ledger, into: &hasher)
            for task in process.tasks { hash(task, process.ledger, into: &hasher) }
        }
        return hasher.finalize()
    }

    private func hash(_ box: Box<AuthState.Record>?, into hasher: inout Hasher) {
        guard let record = box?.value else { return hasher.combine(0) }
        // The end that a removal was taken for has random names.
        for path in AuthState.Stamps.all {
            hasher.combine(record.stamps[keyPath: path].time)
            hasher.combine(min(record.stamps[keyPath: path].name, 3))
        }
        hasher.combine(record.grantID.count == 15 ? "" : record.grantID)
        hasher.combine(record.refreshToken)
        hasher.combine(record.lastTokenResponse?.accessToken)
        hasher.combine(record.authorizationError?.code)
        hasher.combine(record.renewalPause?.until)
    }

    private func hash(_ ledger: AuthState.Ledger, into hasher: inout Hasher) {
        hash(ledger.newest, into: &hasher)
        if ledger.shown === ledger.newest { hasher.combine(1) } else { hash(ledger.shown, into: &hasher) }
        if ledger.stored === ledger.newest { hasher.combine(1) } else { hash(ledger.stored, into: &hasher) }
        hasher.combine(ledger.version)
        hasher.combine(ledger.undecided)
        hasher.combine(ledger.storedAt.time)
        hasher.combine(ledger.storeError == nil)
    }

    private func hash(_ task: Task?, _ ledger: AuthState.Ledger, into hasher: inout Hasher) {
        guard let task else { return hasher.combine(0) }
        hasher.combine(task.lease)
        hasher.combine(task.isFresh)
        hasher.combine(task.faults)
        hasher.combine(task.knows)
        hasher.combine(task.expiries)
        switch task.work {
        case .look(let afterFailure): hasher.combine(afterFailure)
        case .wait(.renewal(let grantID)): hasher.combine(grantID)
        case .wait(.storing(let end, let login)):
            hasher.combine(end)
            hasher.combine(login)
        case .renewal(let renewal):
            hasher.combine(renewal.grantID)
            hash(renewal.state, into: &hasher)
        case .storing(let storing, let login):
            hasher.combine(storing.ending)
            hasher.combine(login)
            hash(storing.state, into: &hasher)
        }
        switch task.pending {
        case .nothing: hasher.combine(0)
        case .found(let reading, let record, let version, let isLeased):
            hasher.combine(isLeased)
            hasher.combine(version)
            hasher.combine(ledger.isLatest(reading))
            hasher.combine(reading.begun.time)
            hash(record, into: &hasher)
        case .saved(let writing, let version):
            hasher.combine(version)
            hash(writing.record, into: &hasher)
            hasher.combine(writing.expected)
        case .deleted(let writing):
            hash(writing.record, into: &hasher)
            hasher.combine(writing.expected)
        case .done: hasher.combine(1)
        case .failed(let error): hasher.combine(error.code)
        case .answer(let redemption, let asked):
            hasher.combine(asked)
            hasher.combine((try? redemption.get())?.accessToken)
            if case .failed(let error, _) = redemption { hasher.combine(error.code) }
        case .verified(.success(let response)): hasher.combine(response.accessToken)
        case .verified(.failure(let error)): hasher.combine(error.code)
        }
    }

    private func hash(_ state: AuthState.Storing.State, into hasher: inout Hasher) {
        switch state {
        case .ready: hasher.combine(0)
        case .reading: hasher.combine(1)
        case .saving(let saving): hasher.combine(saving)
        case .deleting: hasher.combine(2)
        case .discarding: hasher.combine(3)
        case .over: hasher.combine(4)
        }
    }

    private func hash(_ state: AuthState.Renewal.State, into hasher: inout Hasher) {
        switch state {
        case .ready: hasher.combine(0)
        case .reading: hasher.combine(1)
        case .over: hasher.combine(2)
        case .reserving(let request):
            hasher.combine(3)
            hasher.combine(request.grant.refreshToken)
        case .redeeming(let request):
            hasher.combine(4)
            hasher.combine(request.grant.refreshToken)
        case .rereading(_, let request):
            hasher.combine(5)
            hasher.combine(request.grant.refreshToken)
        case .pausing(let answer), .reservingAgain(let answer): hasher.combine(answer.request.grant.refreshToken)
        case .verifying(let response, let request, let asked):
            hasher.combine(6)
            hasher.combine(response.accessToken)
            hasher.combine(request.grant.refreshToken)
            hasher.combine(asked)
        case .saving(let saving, let next):
            hasher.combine(saving)
            switch next {
            case .decide: hasher.combine(0)
            case .askAgain(let answer):
                hasher.combine(1)
                hasher.combine(answer.request.grant.refreshToken)
            case .verify(let response, let request, let asked):
                hasher.combine(response.accessToken)
                hasher.combine(request.grant.refreshToken)
                hasher.combine(asked)
            case .deliver(let response, _):
                hasher.combine(2)
                hasher.combine(response.accessToken)
            case .refuse(let error):
                hasher.combine(3)
                hasher.combine(error.code)
            case .fail(let error): hasher.combine((error as? AuthStateError)?.code)
            case .supersede(let late): hasher.combine(late?.accessToken ?? "none")
            }
        }
    }
}

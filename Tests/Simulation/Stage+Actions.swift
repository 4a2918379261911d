import AuthStateKit

extension Stage {
    /// Plays an action of the plan.
    func act(_ step: Step) {
        let index = (step.process - 1) % processes.count
        let (process, key) = (processes[index], plan.keys[step.key % plan.keys.count])
        switch step.action {
        case .cancel: process.waiting.last.map(process.cancel)
        case .cancelOldest: process.waiting.first.map(process.cancel)
        case .crash: crash(index)
        case .loseLease: world.loseLease(of: world.shelf(key))
        case .withdraw:
            guard let grant = process.holder.shown(key)?.record.grant else { return }
            world.note(0, "the provider ends grant \(grant)")
            world.provider.end(grant, "withdrawn")
        case .rotateKeys:
            world.note(0, "the provider signs with another key")
            world.journal.excuse(.keys)
            world.provider.rotateKeys()
        case .moveResource:
            world.provider.named = world.provider.named == World.issuer ? World.otherIssuer : World.issuer
            world.note(0, "the resource names \(world.provider.named)")
        case .forgetClient:
            if let client = world.provider.forgetClient() { world.note(0, "the provider forgets client \(client)") }
        case .quarterMinute: pass(15)
        case .minute: pass(60)
        case .clockAhead: setClock(of: process.number, to: 3600)
        case .clockBack: setClock(of: process.number, to: -3600)
        case .clockRight: setClock(of: process.number, to: 0)
        default: process.perform(step.action, key)
        }
    }

    private func pass(_ seconds: Double) {
        world.note(0, "\(Int(seconds)) s pass")
        world.scheduler.advance(to: world.scheduler.now + seconds)
    }

    private func setClock(of process: Int, to error: Double) {
        guard world.clockErrors[process, default: 0] != error else { return }
        world.clockErrors[process] = error
        world.journal.excuse(.clock)
        world.note(process, error == 0 ? "its clock is right" : "its clock is wrong by \(Int(error)) s")
    }
}

extension World {
    /// Lets another process acquire a lease while its holder works on.
    func loseLease(of shelf: Shelf) {
        guard let lease = shelf.holder else { return }
        note(lease.process, "loses its lease")
        journal.excuse(.lostLease)
        shelf.loseLease()
    }
}

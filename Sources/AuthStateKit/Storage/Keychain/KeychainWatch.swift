/// Tells of the changes of one item that this process makes; the keychain tells nobody of those of others.
final class KeychainWatch: AuthStateWatch {
    private let item: ChangeCounters.Slot
    private let service: ChangeCounters.Slot

    /// - Parameter service: Where changes of all items of the service are counted.
    init(item: ChangeCounters.Slot, service: ChangeCounters.Slot) {
        self.item = item
        self.service = service
    }

    // Both only grow.
    var generation: UInt64 { ChangeCounters.generation(of: item) &+ ChangeCounters.generation(of: service) }

    var showsOtherProcesses: Bool { false }
}

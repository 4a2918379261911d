/// Reports the changes of one item by this process; the keychain does not report those of other processes.
final class KeychainWatch: AuthStateWatch {
    private let item: ChangeCounters.Slot
    private let service: ChangeCounters.Slot

    /// - Parameter service: The slot in which changes of all items of the service are counted.
    init(item: ChangeCounters.Slot, service: ChangeCounters.Slot) { (self.item, self.service) = (item, service) }

    // Both only grow.
    var generation: UInt64 { ChangeCounters.generation(of: item) &+ ChangeCounters.generation(of: service) }

    var showsOtherProcesses: Bool { false }
}

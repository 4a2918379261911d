/// Counts changes in one table for the process, of fixed size: a watch needs no memory in it, however many there are.
///
/// A name has the slot that its hash falls on. Names that share one hear of each other's changes too: false alarms.
enum ChangeCounters {
    /// The place of a name in the table.
    struct Slot: Sendable {
        fileprivate let index: Int

        init(_ hasher: Hasher) { index = hasher.finalize() & (ChangeCounters.slots - 1) }
    }

    private static let slots = 1 << 16
    /// A quarter of a megabyte, made with the first watch. Not in an object, which every reader would retain.
    private static let table = CounterTable(count: slots)

    /// Returns a number that changes when something may have changed under the name.
    static func generation(of slot: Slot) -> UInt64 { UInt64(table[slot.index]) }

    /// Counts a change under a name.
    static func count(_ slot: Slot) { table.increment(slot.index) }
}

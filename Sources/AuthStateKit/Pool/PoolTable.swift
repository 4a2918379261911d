import AuthStateOAuth
import AuthStateStorage

/// The states that a pool has loaded: their places, their latest use, and which may be evicted. A value that decides
/// and has no effects.
///
/// A full table gives second chances (CLOCK): a hand goes round and clears the mark of use of each state, and evicts
/// the first state without a mark. Time is counted in ticks, one for each sweep. A state with a reference outside the
/// table stays, regardless of its age: evicting it would free nothing, and the next caller would get a second object of
/// the same key.
struct PoolTable<State: AnyObject & Sendable>: Sendable {
    /// A loaded state.
    struct Slot: Sendable {
        let key: AuthStateKey
        fileprivate(set) var state: State
        /// Between 0 and 1, drawn once: states that were issued together are not renewed together.
        let jitter: Float
        /// The time of the next check of its tokens, in seconds since 1970.
        fileprivate(set) var due = -Double.infinity
        fileprivate var lastUse: Int
        /// The number of its renewals that failed in a row.
        fileprivate(set) var failures: UInt8 = 0
        fileprivate var isUsed = true
        fileprivate var isQueued = false
    }

    private var places: [AuthStateKey: Int] = [:]
    private var slots: [Slot] = []
    private var queue: ArraySlice<AuthStateKey> = []
    private var hand = 0
    private var cursor = 0
    /// The number of sweeps so far.
    private(set) var tick = 0
    /// The number of states that wait in the queue or are being handled.
    private(set) var pending = 0

    var count: Int { slots.count }
    var queueCount: Int { queue.count }

    /// Returns the state under a key, and counts this as a use of it.
    mutating func use(_ key: AuthStateKey) -> State? {
        guard let place = places[key] else { return nil }
        slots[place].isUsed = true
        slots[place].lastUse = tick
        return slots[place].state
    }

    func slot(_ key: AuthStateKey) -> Slot? { places[key].map { slots[$0] } }

    /// Puts a state under its key, in place of the one before.
    mutating func insert(_ state: State, for key: AuthStateKey, jitter: Double) {
        remove(key)
        places[key] = slots.count
        slots.append(Slot(key: key, state: state, jitter: Float(jitter), lastUse: tick))
    }

    @discardableResult
    mutating func remove(_ key: AuthStateKey) -> State? { places[key].map { remove(at: $0) } }

    /// Removes a state if the table holds the only reference.
    mutating func release(_ key: AuthStateKey, if mayGo: (State) -> Bool) -> State? {
        guard let place = places[key], isFree(place), mayGo(slots[place].state) else { return nil }
        return remove(at: place)
    }

    /// Returns the states with a reference outside the table, such as a renewal in progress, and those that are wanted.
    mutating func statesInUse(or isWanted: (State) -> Bool) -> [State] {
        slots.indices.filter { !isFree($0) || isWanted(slots[$0].state) }.map { slots[$0].state }
    }

    /// Returns whether the table holds the only reference. New references are handed out only under its lock.
    private mutating func isFree(_ place: Int) -> Bool { isKnownUniquelyReferenced(&slots[place].state) }

    private mutating func remove(at place: Int) -> State {
        let slot = slots[place]
        if slot.isQueued { pending -= 1 }
        places[slot.key] = nil
        let last = slots.removeLast()
        if place < slots.count {
            slots[place] = last
            places[last.key] = place
        }
        return slot.state
    }
}

extension PoolTable {
    /// Evicts until there are no more than the capacity, or as many as a bounded number of steps allows.
    mutating func makeRoom(_ capacity: Int, if mayGo: (State) -> Bool) -> [State] {
        var evicted: [State] = []
        for _ in 0..<128 where slots.count > capacity {
            if hand >= slots.count { hand = 0 }
            if slots[hand].isUsed {
                slots[hand].isUsed = false
                hand += 1
            } else if isFree(hand), mayGo(slots[hand].state) {
                // The last one moves here, and is looked at next.
                evicted.append(remove(at: hand))
            } else {
                hand += 1
            }
        }
        return evicted
    }

    /// Begins a sweep over every state.
    mutating func beginSweep() { cursor = slots.count }

    /// Checks some of the states: evicts the idle ones, queues those that are due.
    ///
    /// Goes backwards, so that the state that moves into a freed place has been checked.
    ///
    /// - Parameters:
    ///   - nextLook: The time of the next check of a state that is due; not later than `now` when there is work to do.
    /// - Returns: The evicted states; nil when the sweep is over.
    mutating func sweep(
        _ count: Int, idleTicks: Int, now: Double, if mayGo: (State) -> Bool, nextLook: (Slot) -> Double
    ) -> [State]? {
        cursor = min(cursor, slots.count)
        guard cursor > 0 else {
            tick += 1
            return nil
        }
        var evicted: [State] = []
        for _ in 0..<min(count, cursor) {
            cursor -= 1
            if tick - slots[cursor].lastUse >= idleTicks, isFree(cursor), mayGo(slots[cursor].state) {
                evicted.append(remove(at: cursor))
            } else if slots[cursor].due <= now, !slots[cursor].isQueued {
                let due = nextLook(slots[cursor])
                slots[cursor].due = due
                if due <= now {
                    slots[cursor].isQueued = true
                    pending += 1
                    queue.append(slots[cursor].key)
                }
            }
        }
        return evicted
    }

    /// Removes the next state from the queue and returns it.
    mutating func dequeue() -> Slot? {
        while let key = queue.popFirst() {
            // It may have been evicted since, and even be back.
            if let slot = slot(key), slot.isQueued { return slot }
        }
        return nil
    }

    /// Records the result for a state that was dequeued.
    mutating func settle(_ slot: Slot, due: Double, failures: Int) {
        guard let place = places[slot.key], slots[place].state === slot.state else { return }
        if slots[place].isQueued { pending -= 1 }
        slots[place].due = due
        slots[place].failures = UInt8(clamping: failures)
        slots[place].isQueued = false
    }

    /// Makes the next sweep check a state, regardless of earlier failures.
    mutating func lookAgain(at key: AuthStateKey) {
        guard let place = places[key] else { return }
        slots[place].due = -.infinity
        slots[place].failures = 0
    }

    /// Empties the queue.
    mutating func clearQueue() {
        queue = []
        pending = 0
        for place in slots.indices where slots[place].isQueued { slots[place].isQueued = false }
    }
}

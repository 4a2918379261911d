import AuthStateOAuth

/// The states that a pool has loaded: where each is, who was used lately, who may go. A value that decides and does nothing.
///
/// Full, it gives second chances (CLOCK): a hand goes round, takes from each state the mark of having been used, and the
/// first one without a mark leaves. Time is counted in ticks, one for each sweep. What anybody outside the table refers to
/// stays, whatever its age: to forget it would free nothing, and the next caller would get a second object of the same key.
struct PoolTable<State: AnyObject & Sendable>: Sendable {
    /// A loaded state.
    struct Slot: Sendable {
        let key: AuthStateKey
        fileprivate(set) var state: State
        /// Between 0 and 1, drawn once: states that were issued together are not renewed together.
        let jitter: Float
        /// When to look at its tokens next, in seconds since 1970.
        fileprivate(set) var due = -Double.infinity
        fileprivate var lastUse: Int
        /// How often in a row its renewal failed.
        fileprivate(set) var failures: UInt8 = 0
        fileprivate var isUsed = true
        fileprivate var isQueued = false
    }

    private var places: [AuthStateKey: Int] = [:]
    private var slots: [Slot] = []
    private var queue: ArraySlice<AuthStateKey> = []
    private var hand = 0
    private var cursor = 0
    /// How many sweeps there have been.
    private(set) var tick = 0
    /// How many states have something to be done for them, what is under way included.
    private(set) var pending = 0

    var count: Int { slots.count }
    var queueCount: Int { queue.count }

    /// The state under a key, which counts as a use of it.
    mutating func use(_ key: AuthStateKey) -> State? {
        guard let place = places[key] else { return nil }
        slots[place].isUsed = true
        slots[place].lastUse = tick
        return slots[place].state
    }

    func slot(_ key: AuthStateKey) -> Slot? { places[key].map { slots[$0] } }

    /// Puts a state under its key, in the place of whatever was there.
    mutating func insert(_ state: State, for key: AuthStateKey, jitter: Double) {
        remove(key)
        places[key] = slots.count
        slots.append(Slot(key: key, state: state, jitter: Float(jitter), lastUse: tick))
    }

    @discardableResult
    mutating func remove(_ key: AuthStateKey) -> State? { places[key].map { remove(at: $0) } }

    /// Removes a state if nobody outside refers to it.
    mutating func release(_ key: AuthStateKey, if mayGo: (State) -> Bool) -> State? {
        guard let place = places[key], isFree(place), mayGo(slots[place].state) else { return nil }
        return remove(at: place)
    }

    /// All that somebody outside refers to, a renewal under way included.
    mutating func statesInUse() -> [State] { slots.indices.filter { !isFree($0) }.map { slots[$0].state } }

    /// Whether nobody outside refers to it. Whoever wants to has to ask the table, which is locked meanwhile.
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

    /// Begins to look at every state.
    mutating func beginSweep() { cursor = slots.count }

    /// Looks at some of the states: evicts the idle ones, queues those that are due.
    ///
    /// Goes backwards, so that what moves into a place that became free has been seen.
    ///
    /// - Parameters:
    ///   - nextLook: When a state that is due has to be looked at; not later than `now` when something has to be done.
    /// - Returns: What was evicted; nil when the sweep is over.
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

    /// The next state that something has to be done for.
    mutating func dequeue() -> Slot? {
        while let key = queue.popFirst() {
            // It may have been evicted since, and even be back.
            if let slot = slot(key), slot.isQueued { return slot }
        }
        return nil
    }

    /// Notes what became of a state that was dequeued.
    mutating func settle(_ slot: Slot, due: Double, failures: Int) {
        guard let place = places[slot.key], slots[place].state === slot.state else { return }
        if slots[place].isQueued { pending -= 1 }
        slots[place].due = due
        slots[place].failures = UInt8(clamping: failures)
        slots[place].isQueued = false
    }

    /// Makes the next sweep look at a state, whatever went wrong before.
    mutating func lookAgain(at key: AuthStateKey) {
        guard let place = places[key] else { return }
        slots[place].due = -.infinity
        slots[place].failures = 0
    }

    /// Forgets what was queued.
    mutating func clearQueue() {
        queue = []
        pending = 0
        for place in slots.indices where slots[place].isQueued { slots[place].isQueued = false }
    }
}

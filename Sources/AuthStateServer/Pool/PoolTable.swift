import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// An object that a pool keeps under a key of its own.
package protocol PoolMember: AnyObject, Sendable {
    nonisolated var key: AuthStateKey { get }
}

/// The states that a pool has loaded: their places, their latest use, and which may be evicted. A value that decides
/// and has no effects.
///
/// A full table gives second chances (CLOCK): a hand goes round and clears the mark of use of each state, and evicts
/// the first state without a mark. Time is counted in ticks, one for each sweep. A state with a reference outside the
/// table stays, regardless of its age: evicting it would free nothing, and the next caller would get a second object of
/// the same key.
package struct PoolTable<State: PoolMember>: Sendable {
    /// A loaded state.
    struct Slot: Sendable {
        fileprivate(set) var state: State
        /// The same, to read from it without a reference of one's own: see `read`.
        fileprivate let unretained: Unmanaged<State>
        /// The time of the next check of its tokens, in seconds since 1970.
        fileprivate(set) var due = -Double.infinity
        /// Between 0 and 1, drawn once: states that were issued together are not renewed together.
        let jitter: Float
        /// The tick of its latest use; a tick a second fits for a century.
        fileprivate var lastUse: UInt32
        /// The number of its renewals that failed in a row.
        fileprivate(set) var failures: UInt8 = 0
        /// Whether a change, which may be a login, was not saved at once: its session may have ended before it was in the index.
        fileprivate(set) var isUnchecked = false
        fileprivate var isUsed = true
        fileprivate var isQueued = false

        var key: AuthStateKey { state.key }

        fileprivate init(_ state: State, jitter: Double, lastUse: Int) {
            (self.state, unretained) = (state, Unmanaged.passUnretained(state))
            (self.jitter, self.lastUse) = (Float(jitter), UInt32(lastUse))
        }
    }

    private var index = PlaceIndex()
    private var slots: [Slot] = []
    private var queue: ArraySlice<AuthStateKey> = []
    private var hand = 0
    private var cursor = 0
    /// The time of the last sweep, in seconds since 1970.
    private var sweptAt = -Double.infinity
    /// The number of sweeps so far.
    private(set) var tick = 0
    /// The number of states that wait in the queue or are being handled.
    private(set) var pending = 0

    package init() {}

    var count: Int { slots.count }
    var queueCount: Int { queue.count }

    /// Returns the fingerprint of a key, seeded for the process, so that keys with equal ones cannot be chosen.
    ///
    /// Reads the key's text: to be made before the table is locked.
    package static func fingerprint(_ key: AuthStateKey) -> UInt32 {
        UInt32(truncatingIfNeeded: key.hashValue)
    }

    /// Returns what is read from the state under a key, and counts this as a use of it.
    @inline(__always)
    package mutating func use<R>(_ key: AuthStateKey, _ fingerprint: UInt32, reading read: (State) -> R) -> R? {
        guard let place = place(key, fingerprint) else { return nil }
        // Written only when they change, because processors share what they read only.
        if !slots[place].isUsed { slots[place].isUsed = true }
        if slots[place].lastUse != tick { slots[place].lastUse = UInt32(tick) }
        return self.read(place, read)
    }

    func slot(_ key: AuthStateKey) -> Slot? { place(key).map { slots[$0] } }

    @inline(__always)
    private func place(_ key: AuthStateKey, _ fingerprint: PlaceIndex.Fingerprint) -> Int? {
        index.place(fingerprint) { read($0) { $0.key == key } }
    }

    private func place(_ key: AuthStateKey) -> Int? { place(key, Self.fingerprint(key)) }

    /// Reads from a state without a reference of one's own, whose count is in a cache line far from the rest.
    @inline(__always)
    private func read<R>(_ place: Int, _ read: (State) -> R) -> R {
        // The slot refers to the state, and the table, which is being read, cannot change meanwhile.
        slots[place].unretained._withUnsafeGuaranteedRef(read)
    }

    /// Puts a state under its key, in place of the one before.
    package mutating func insert(_ state: State, jitter: Double) {
        remove(state.key)
        index.insert(slots.count, Self.fingerprint(state.key))
        // Not twice as large, as an array grows by itself.
        if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 8 + 8) }
        slots.append(Slot(state, jitter: jitter, lastUse: tick))
    }

    @discardableResult
    package mutating func remove(_ key: AuthStateKey) -> State? { place(key).map { remove(at: $0) } }

    /// Removes a state if the table holds the only reference.
    mutating func release(_ key: AuthStateKey, if mayGo: (State) -> Bool) -> State? {
        guard let place = place(key), isFree(place), mayGo(slots[place].state) else { return nil }
        return remove(at: place)
    }

    /// Returns the states with a reference outside the table, such as a renewal in progress, and those that are wanted.
    mutating func statesInUse(or isWanted: (State) -> Bool) -> [State] {
        slots.indices.filter { !isFree($0) || isWanted(slots[$0].state) }.map { slots[$0].state }
    }

    /// Returns whether the table holds the only reference. New references are handed out only under its lock.
    private mutating func isFree(_ place: Int) -> Bool { isKnownUniquelyReferenced(&slots[place].state) }

    /// Whether a sweep will have the state checked: where nothing sweeps, no check would end the wait.
    private func isKept(_ place: Int) -> Bool { slots[place].isUnchecked && sweptAt > -.infinity }

    private mutating func remove(at place: Int) -> State {
        let slot = slots[place]
        if slot.isQueued { pending -= 1 }
        index.remove(place, Self.fingerprint(slot.key))
        let last = slots.removeLast()
        if place < slots.count {
            slots[place] = last
            index.move(Self.fingerprint(last.key), from: slots.count, to: place)
        }
        return slot.state
    }
}

extension PoolTable {
    /// Evicts until there are no more than the capacity, or as many as a bounded number of steps allows.
    package mutating func makeRoom(_ capacity: Int, if mayGo: (State) -> Bool) -> [State] {
        var evicted: [State] = []
        for _ in 0..<128 where slots.count > capacity {
            if hand >= slots.count { hand = 0 }
            if slots[hand].isUsed {
                slots[hand].isUsed = false
                hand += 1
            } else if !isKept(hand), isFree(hand), mayGo(slots[hand].state) {
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
        // The clock was set back: all times of checks were chosen by the former one.
        if now < sweptAt - 1 { for place in slots.indices { slots[place].due = -.infinity } }
        sweptAt = now
        var evicted: [State] = []
        for _ in 0..<min(count, cursor) {
            cursor -= 1
            if tick - Int(slots[cursor].lastUse) >= idleTicks, !isKept(cursor), isFree(cursor),
                mayGo(slots[cursor].state)
            {
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
        guard let place = place(slot.key), slots[place].state === slot.state else { return }
        if slots[place].isQueued { pending -= 1 }
        slots[place].due = due
        slots[place].failures = UInt8(clamping: failures)
        slots[place].isQueued = false
    }

    /// Makes the next sweep check a state, regardless of earlier failures.
    mutating func lookAgain(at key: AuthStateKey) {
        guard let place = place(key) else { return }
        slots[place].due = -.infinity
        slots[place].failures = 0
    }

    /// Notes whether the session of a state's login has to be looked up when the state is handled next.
    mutating func setUnchecked(_ isUnchecked: Bool, _ state: State) {
        guard let place = place(state.key), slots[place].state === state else { return }
        slots[place].isUnchecked = isUnchecked
    }

    /// Empties the queue.
    mutating func clearQueue() {
        queue = []
        pending = 0
        for place in slots.indices where slots[place].isQueued { slots[place].isQueued = false }
    }
}

extension AuthState: PoolMember {}

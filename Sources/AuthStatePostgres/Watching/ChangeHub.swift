import AuthStateJOSE
import AuthStateStorage
import AuthStateSystem

/// Counts changes in a table of fixed size: a watch needs no memory in it, however many there are.
///
/// A key has the slot that its hash begins with. Keys that share a slot see each other's changes too: false alarms.
final class ChangeHub: Sendable {
    private static let slots = 1 << 16
    // Behind the slots of the keys: all keys at once, and the listening connections that were opened and closed.
    private static let (all, opened, closed) = (slots, slots + 1, slots + 2)

    private let counts = CounterTable(count: slots + 3)
    /// The next change of each slot that a task waits for, while a listener runs.
    private let changes = Lock<[Int: SharedResult<Void>]>([:])
    private let runs = Lock(0)
    private let start = ContinuousClock.now

    /// Whether a listener runs, connected or not.
    var isRunning: Bool { runs.withLock { $0 > 0 } }

    /// Counts a listener that starts or ends.
    func changeRuns(by difference: Int) { runs.withLock { $0 += difference } }

    /// Counts a listening connection that is opened or closed; earlier changes were not seen.
    func changeConnections(isOpened: Bool) {
        counts.increment(Self.all)
        counts.increment(isOpened ? Self.opened : Self.closed)
    }

    /// Counts a change of each key, named by its hash as notifications have it.
    func note(_ keys: [String]) {
        for slot in keys.compactMap({ UInt16($0.prefix(4), radix: 16) }).map(Int.init) {
            counts.increment(slot)
            changes.withLock { $0.removeValue(forKey: slot) }?.finish(.success(()))
        }
    }

    /// The number of changes of a key that were noted.
    func count(of key: KeyHash) -> UInt32 { counts[key.slot] }

    /// Returns the first change of a key after a number of them; it may have been noted already.
    func change(of key: KeyHash, after count: UInt32) -> SharedResult<Void> {
        changes.withLock { changes in
            // A change that is noted from now on waits for the lock, and finds what is waited for.
            guard counts[key.slot] == count else {
                let passed = SharedResult<Void>()
                passed.finish(.success(()))
                return passed
            }
            let change = changes[key.slot] ?? SharedResult()
            if isRunning { changes[key.slot] = change }
            return change
        }
    }

    /// A number that differs from before when the key may have changed: without a connection, in each second.
    fileprivate func generation(of slot: Int) -> UInt64 {
        if counts[Self.opened] == counts[Self.closed] {
            return .max - UInt64(max(0, start.duration(to: .now) / .seconds(1)))
        }
        return UInt64(counts[Self.all]) << 32 | UInt64(counts[slot])
    }
}

/// Tells whether a key was changed, by any process.
final class PostgresWatch: AuthStateWatch {
    private let hub: ChangeHub
    private let slot: Int

    init(_ key: KeyHash, by hub: ChangeHub) { (self.hub, slot) = (hub, key.slot) }

    var generation: UInt64 { hub.generation(of: slot) }
}

extension KeyHash {
    /// The counter that a key has, with others.
    fileprivate var slot: Int { Int(bytes[0]) << 8 | Int(bytes[1]) }
}

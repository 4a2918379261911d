import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct PoolTableTests {
    private final class Item: PoolMember {
        let key: AuthStateKey
        init(_ key: AuthStateKey) { self.key = key }
    }
    private typealias Table = PoolTable<Item>

    private func key(_ number: Int) -> AuthStateKey { AuthStateKey(rawValue: "user-\(number)") }

    private func filled(_ count: Int) -> Table {
        var table = Table()
        for number in 0..<count { table.insert(Item(key(number)), jitter: 0.5) }
        return table
    }

    /// Sweeps once, in steps of three.
    private func sweep(
        _ table: inout Table, idleTicks: Int = .max, now: Double = 0, nextLook: (Table.Slot) -> Double = { _ in 1 }
    ) -> Int {
        var evicted = 0
        table.beginSweep()
        while let items = table.sweep(3, idleTicks: idleTicks, now: now, if: { _ in true }, nextLook: nextLook) {
            evicted += items.count
        }
        return evicted
    }

    @Test func `an item whose login is not checked yet stays, where sweeps are made`() {
        var table = filled(1)
        func set(_ isUnchecked: Bool) {
            if let item = table.slot(key(0))?.state { table.setUnchecked(isUnchecked, item) }
        }
        set(true)
        #expect(table.makeRoom(0) { _ in true }.count == 1)
        table.insert(Item(key(0)), jitter: 0.5)
        set(true)
        #expect(sweep(&table, idleTicks: 0) == 0)
        #expect(table.makeRoom(0) { _ in true }.isEmpty)
        set(false)
        #expect(table.makeRoom(0) { _ in true }.count == 1)
    }

    @Test func `an item that was used since the hand passed it stays, an unused one leaves`() {
        var table = filled(4)
        table.insert(Item(key(4)), jitter: 0)
        // The marks of the first round are those of having come.
        #expect(table.makeRoom(4) { _ in true }.count == 1)
        for number in [1, 2, 4] { _ = table.use(key(number)) }
        table.insert(Item(key(5)), jitter: 0)
        #expect(table.makeRoom(4) { _ in true }.count == 1)
        #expect(table.slot(key(3)) == nil)
        for number in [1, 2, 4, 5] { #expect(table.slot(key(number)) != nil) }
    }

    @Test(
        "a check that was put off before the clock was set back is made at once",
        arguments: [(9000.0, 5400.0), (3600.0, 60.0), (5.0, 60.0)])
    func setBack(_ step: Double, _ pause: Double) {
        var (table, looks) = (filled(5), 0)
        for now in [10_000.0, 10_001, 10_000.5, 10_001 - step, 10_002 - step] {
            _ = sweep(&table, now: now) { _ in
                looks += 1
                return now + pause
            }
        }
        #expect(looks == 10)
    }

    @Test func `an item in use stays beyond the capacity, and leaves once it is released`() {
        var table = filled(2)
        var held = [table.use(key(0)), table.use(key(1))]
        #expect(table.makeRoom(1) { _ in true }.isEmpty)
        #expect(table.count == 2)
        #expect(table.statesInUse { _ in false }.count == 2)
        held[1] = nil
        #expect(table.makeRoom(1) { _ in true }.count == 1 && table.slot(key(0)) != nil && table.slot(key(1)) == nil)
        withExtendedLifetime(held) {}
    }

    @Test func `an item that may not leave stays beyond the capacity`() {
        var table = filled(3)
        #expect(table.makeRoom(0) { _ in false }.isEmpty)
        #expect(table.makeRoom(0) { _ in true }.count == 3)
    }

    @Test func `one insertion takes a bounded number of steps, however many items are in use`() {
        var table = filled(1000)
        var looked = 0
        // Every mark is set: the hand only takes marks away.
        #expect(
            table.makeRoom(1) { _ in
                looked += 1; return true
            }.isEmpty)
        #expect(looked == 0)
        while table.count > 1 { _ = table.makeRoom(1) { _ in true } }
    }

    @Test func `an item that is unused for so many sweeps leaves; a use begins the count anew`() {
        var table = filled(10)
        for _ in 0..<2 { #expect(sweep(&table, idleTicks: 3) == 0) }
        _ = table.use(key(7))
        #expect(sweep(&table, idleTicks: 3) == 0)
        #expect(sweep(&table, idleTicks: 3) == 9)
        #expect(table.slot(key(7)) != nil)
        #expect(sweep(&table, idleTicks: 3) == 0)
        #expect(sweep(&table, idleTicks: 3) == 1)
    }

    @Test func `a due item is queued once, until it is settled`() throws {
        var table = filled(5)
        _ = sweep(&table, now: 10) { $0.key == self.key(2) ? 10 : 20 }
        _ = sweep(&table, now: 10) { _ in 0 }
        #expect(table.queueCount == 1 && table.pending == 1)
        let next = table.dequeue()
        let slot = try #require(next)
        #expect(slot.key == key(2))
        _ = sweep(&table, now: 11) { _ in 0 }
        #expect(table.dequeue() == nil && table.pending == 1)
        table.settle(slot, due: 12, failures: 1)
        #expect(table.pending == 0)
        _ = sweep(&table, now: 12) { $0.failures == 1 ? 12 : 99 }
        #expect(table.dequeue()?.key == key(2))
    }

    @Test func `an item that left or was replaced while it was queued is neither worked on nor settled`() throws {
        var table = filled(2)
        _ = sweep(&table, now: 5) { _ in 0 }
        let next = table.dequeue()
        let first = try #require(next)
        table.remove(first.key)
        table.insert(Item(first.key), jitter: 0)
        table.settle(first, due: 100, failures: 9)
        #expect(table.slot(first.key)?.failures == 0)
        table.remove(key(0))
        table.remove(key(1))
        #expect(table.dequeue() == nil && table.pending == 0)
    }

    @Test func `a cleared queue is filled again by the next sweep`() {
        var table = filled(3)
        _ = sweep(&table, now: 5) { _ in 0 }
        table.clearQueue()
        #expect(table.pending == 0 && table.dequeue() == nil)
        _ = sweep(&table, now: 5) { _ in 0 }
        #expect(table.pending == 3)
    }

    @Test("the table holds what a dictionary would after any sequence of steps", arguments: [1, 2, 3])
    func likeADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Table()
        var model: [AuthStateKey: ObjectIdentifier] = [:]
        func forget(_ items: [Item]) {
            let gone = Set(items.map(ObjectIdentifier.init))
            model = model.filter { !gone.contains($0.value) }
        }
        for step in 0..<3000 {
            let key = key(.random(in: 0..<40, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let item = Item(key)
                model[key] = ObjectIdentifier(item)
                table.insert(item, jitter: 0)
            case 4: if table.remove(key) != nil { model[key] = nil }
            case 5: forget(table.makeRoom(25) { _ in true })
            case 6:
                table.beginSweep()
                var evicted: [Item]? = []
                while let items = evicted {
                    forget(items)
                    evicted = table.sweep(
                        4, idleTicks: 3, now: Double(step), if: { _ in true }, nextLook: { _ in Double(step) })
                }
            case 7: if let slot = table.dequeue() { table.settle(slot, due: Double(step + 50), failures: 0) }
            default: #expect(table.use(key).map(ObjectIdentifier.init) == model[key])
            }
        }
        #expect(table.count == model.count)
        for (key, item) in model { #expect(table.slot(key).map { ObjectIdentifier($0.state) } == item) }
        table.clearQueue()
        #expect(table.pending == 0)
    }
}

extension PoolTable {
    /// The state under a key, counted as used.
    fileprivate mutating func use(_ key: AuthStateKey) -> State? { use(key, Self.fingerprint(key)) { $0 } }
}

import AuthStateKit

/// Places by the fingerprints of their keys: a hash table of eight bytes an entry, so that a lookup stays in the
/// processor's caches. A value that knows no keys.
///
/// Two keys may have the same fingerprint: the caller compares the key at each place that is offered.
struct PlaceIndex: Sendable {
    typealias Fingerprint = UInt32

    private struct Entry {
        static let empty = Entry(fingerprint: 0, place: .max)
        let fingerprint: Fingerprint
        var place: UInt32

        var isEmpty: Bool { place == .max }
    }

    /// A power of two; an entry is at the position of its fingerprint or, without a gap, behind it.
    private var entries: [Entry] = []
    private var count = 0

    /// Returns the place with a fingerprint that the caller accepts.
    func place(_ fingerprint: Fingerprint, where isSought: (Int) -> Bool) -> Int? {
        position(fingerprint, where: isSought).map { Int(entries[$0].place) }
    }

    /// Adds a place; it must not be there.
    mutating func insert(_ place: Int, _ fingerprint: Fingerprint) {
        if count >= entries.count / 8 * 7 { grow() }
        count += 1
        put(Entry(fingerprint: fingerprint, place: UInt32(place)))
    }

    /// Records that a key moved from one place to another.
    mutating func move(_ fingerprint: Fingerprint, from place: Int, to other: Int) {
        guard let position = position(fingerprint, where: { $0 == place }) else { return }
        entries[position].place = UInt32(other)
    }

    /// Removes a place.
    mutating func remove(_ place: Int, _ fingerprint: Fingerprint) {
        guard var gap = position(fingerprint, where: { $0 == place }) else { return }
        count -= 1
        // Entries behind the gap close it, unless they would come before their own position.
        var next = following(gap)
        while !entries[next].isEmpty {
            let distance = (next &- start(entries[next].fingerprint)) & (entries.count - 1)
            if distance >= (next &- gap) & (entries.count - 1) {
                entries[gap] = entries[next]
                gap = next
            }
            next = following(next)
        }
        entries[gap] = .empty
    }

    private func start(_ fingerprint: Fingerprint) -> Int { Int(fingerprint) & (entries.count - 1) }
    private func following(_ position: Int) -> Int { (position + 1) & (entries.count - 1) }

    @inline(__always)
    private func position(_ fingerprint: Fingerprint, where isSought: (Int) -> Bool) -> Int? {
        guard !entries.isEmpty else { return nil }
        var position = start(fingerprint)
        while !entries[position].isEmpty {
            let entry = entries[position]
            if entry.fingerprint == fingerprint, isSought(Int(entry.place)) { return position }
            position = following(position)
        }
        return nil
    }

    private mutating func put(_ entry: Entry) {
        var position = start(entry.fingerprint)
        while !entries[position].isEmpty { position = following(position) }
        entries[position] = entry
    }

    private mutating func grow() {
        let before = entries
        entries = Array(repeating: .empty, count: max(8, before.count * 2))
        for entry in before where !entry.isEmpty { put(entry) }
    }
}

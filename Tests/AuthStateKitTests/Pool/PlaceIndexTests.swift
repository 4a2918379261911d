import Testing

@testable import AuthStateKit
@testable import AuthStateServer

struct PlaceIndexTests {
    @Test("it finds what a dictionary would, with equal fingerprints and with full tables", arguments: [1, 2, 3, 4])
    func likeADictionary(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var index = PlaceIndex()
        var model: [Int: PlaceIndex.Fingerprint] = [:]
        // Few fingerprints, on both sides of the table's end.
        func fingerprint() -> PlaceIndex.Fingerprint { PlaceIndex.Fingerprint.random(in: 0..<12, using: &random) &- 4 }
        for _ in 0..<5_000 {
            let place = Int.random(in: 0..<60, using: &random)
            let other = Int.random(in: 0..<60, using: &random)
            if let known = model[place] {
                model[place] = nil
                if model[other] == nil, other != place, Bool.random(using: &random) {
                    index.move(known, from: place, to: other)
                    model[other] = known
                } else {
                    index.remove(place, known)
                }
            } else {
                let new = fingerprint()
                index.insert(place, new)
                model[place] = new
            }
            for (place, fingerprint) in model { try #require(index.place(fingerprint) { $0 == place } == place) }
            let sought = fingerprint()
            try #require(index.place(sought) { model[$0] != sought } == nil)
        }
    }

    @Test func `only places with the sought fingerprint are offered, until one is accepted`() {
        var index = PlaceIndex()
        for place in 0..<5 { index.insert(place, place < 3 ? 8 : 16) }
        var offered: [Int] = []
        #expect(
            index.place(8) {
                offered.append($0); return false
            } == nil)
        #expect(offered.sorted() == [0, 1, 2])
        #expect(index.place(16) { _ in true } == 3)
        #expect(index.place(9) { _ in true } == nil && PlaceIndex().place(8) { _ in true } == nil)
    }
}

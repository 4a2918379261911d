extension Plan {
    /// The plan of a seed.
    ///
    /// A third has no faults, so that what needs none is found without any. Each has a few kinds of actions and faults, again
    /// and again, for two rare things come together seldom among many.
    ///
    /// - Parameter topic: What it is about; nil lets the seed choose.
    init(seed: UInt64, topic: Topic? = nil) {
        var numbers = SeededNumbers(seed: seed ^ 0x51_17_AB)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
        func one<Kind>(of kinds: [Kind]) -> Kind { kinds[number(0...(kinds.count - 1))] }
        func some<Kind>(_ count: Int, of kinds: [Kind]) -> [Kind] { (0..<count).map { _ in one(of: kinds) } }

        let chosen = one(of: Topic.all.flatMap { Array(repeating: $0, count: $0.weight) })
        let topic = topic ?? chosen
        let isQuiet = number(1...3) == 1
        processes = number(2...4)
        (holding, first) = (topic.holding, topic.first)
        grants = one(of: topic.grants)
        isWatched = number(1...3) > 1
        isSlow = number(1...3) == 1
        isInTurn = number(1...2) == 1
        provider.rotates = number(1...5) > 1
        provider.grace = number(1...4) == 1 ? 30 : 0
        provider.detectsReuse = number(1...3) > 1
        provider.lifetime = one(of: [20, 120, 300, 3600])
        provider.rotatesRegistrations = number(1...4) > 1
        provider.wantsNonces = number(1...2) == 1
        let possible = (topic.hasEveryday ? Topic.everyday : []) + topic.actions + (isQuiet ? [] : Topic.harsh)
        let kinds = some(number(3...7), of: possible)
        actions = some(number(3...12), of: kinds).map {
            Step(number(1...processes), $0, key: number(0...keys.count - 1))
        }
        if holding == .resource {
            provider.withholdsWriting = number(1...3) == 1
            clientIsKnown = number(1...4) == 1
        }
        guard !isQuiet else { return }
        let faultKinds = some(2, of: topic.faults.filter { grants.isOpenID || $0.site != .keys })
        faults = some(number(0...4), of: faultKinds).map { Fault($0, at: number(1...$0.site.range)) }
    }
}

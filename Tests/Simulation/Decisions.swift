/// Numbers that follow from a seed alone (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Every choice of a run, in order: made by the seed, or played back from a list.
///
/// Choice 0 is always the plain one: the job that waits longest, a call that returns promptly. A list that ends goes on
/// with zeros, so that an empty list is a run in which one call follows another.
struct Decisions {
    private var numbers: SeededNumbers
    private let script: [Int]?
    /// The choices so far.
    private(set) var made: [Int] = []

    /// The choices of a seed.
    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        script = nil
    }

    /// Choices that were made before.
    init(script: [Int]) {
        numbers = SeededNumbers(seed: 0)
        self.script = script
    }

    /// Chooses one of several by their weights; the first of them is the plain one.
    mutating func choose(weights: [Int]) -> Int {
        let choice: Int
        if let script {
            choice = made.count < script.count ? min(script[made.count], weights.count - 1) : 0
        } else {
            var number = Int.random(in: 0..<max(1, weights.reduce(0, +)), using: &numbers)
            choice =
                weights.firstIndex { weight in
                    number -= weight
                    return number < 0
                } ?? 0
        }
        made.append(choice)
        return choice
    }

    /// Decides whether something unusual happens, once in so many times.
    mutating func happens(onceIn times: Int) -> Bool { choose(weights: [times - 1, 1]) == 1 }
}

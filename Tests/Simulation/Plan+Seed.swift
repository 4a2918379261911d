extension Plan {
    /// The plan of a seed.
    ///
    /// A third has no faults, so that what needs none is found without any. Each has a few kinds of actions and faults, again
    /// and again, for two rare things come together seldom among many.
    init(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed ^ 0x51_17_AB)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
        func some<Kind>(_ count: Int, of kinds: [Kind]) -> [Kind] {
            (0..<count).map { _ in kinds[number(0...(kinds.count - 1))] }
        }
        let isQuiet = number(1...3) == 1
        processes = number(2...4)
        isWatched = number(1...3) > 1
        isSlow = number(1...3) == 1
        provider.rotates = number(1...5) > 1
        provider.grace = number(1...4) == 1 ? 30 : 0
        provider.detectsReuse = number(1...3) > 1
        provider.lifetime = [20, 120, 300, 3600][number(0...3)]
        let kinds = some(number(2...6), of: Self.daily + (isQuiet ? [] : Self.harsh))
        actions = some(number(3...10), of: kinds).map { Step(number(1...processes), $0) }
        guard !isQuiet else { return }
        let faultKinds = some(2, of: Fault.Kind.allCases)
        faults = some(number(0...4), of: faultKinds).map { Fault($0, at: number(1...6)) }
    }

    /// What happens every day, the frequent more than once.
    private static let daily: [Action] = [
        .freshTokens, .freshTokens, .freshTokens, .refresh, .refresh, .refusedToken, .sideTokens, .login, .login,
        .authorize, .clear, .logOut, .revoke, .reload, .reload, .save, .drain, .needsRefresh, .cancel, .quarterMinute,
        .minute,
    ]

    /// Actions that happen seldom: crashes, lost leases, clocks that are set.
    private static let harsh: [Action] = [.crash, .crash, .loseLease, .loseLease, .withdraw, .setClock, .quarterMinute]
}

/// The evidence that a rule can be found broken: a breakage, and the number of seeds within which it is found.
struct SelfCheck {
    let rule: Rule
    let breakage: Breakage
    /// The topic of the runs, by its name.
    let topic: String
    /// The number of seeds within which the rule is found broken.
    let limit: Int

    private init(_ rule: Rule, _ breakage: Breakage, _ topic: String = "everyday", within limit: Int) {
        (self.rule, self.breakage, self.topic, self.limit) = (rule, breakage, topic, limit)
    }

    static let all: [SelfCheck] = [
        SelfCheck(.spentOnce, .spentTokensAreGood, within: 20),
        SelfCheck(.spentOnce, .savesAreDropped, within: 20),
        SelfCheck(.decisionStands, .logoutsAreIgnored, within: 100),
        SelfCheck(.logoutIsNoticed, .readsAreOld, "logouts elsewhere", within: 200),
        SelfCheck(.storeKeepsDecisions, .leaseExcludesNone, within: 300),
        SelfCheck(.storedBeforeShown, .savesAreDropped, within: 20),
        SelfCheck(.notExpired, .tokensEndEarly, "logouts elsewhere", within: 200),
        SelfCheck(.noRepeatAfterLostLease, .networkRepeats, within: 50),
        SelfCheck(.everyCallReturns, .storeNeverReturns, within: 20),
        SelfCheck(.serves, .goodTokensAreRefused, within: 20),
        SelfCheck(.agreement, .storeIsSplit, within: 50),
        SelfCheck(.errorIsGone, .storeIsReadOnly, within: 20),
        SelfCheck(.streamInOrder, .streamsEndEarly, within: 20),
        SelfCheck(.lastsAsAsked, .tokensEndEarly, within: 100),
        SelfCheck(.idTokenIsGenuine, .forgedIDTokens, "OpenID Connect", within: 20),
        SelfCheck(.boundIsProven, .networkDropsProofs, "proofs", within: 20),
        SelfCheck(.accountStays, .accountsAreConfused, "reauthorization", within: 100),
        SelfCheck(.registrationIsKept, .registrationsRotateUnseen, "registration", within: 50),
        SelfCheck(.endsAsStored, .savesAreDropped, within: 200),
        SelfCheck(.onePage, .accessesAreNotShared, "resource at once", within: 200),
        SelfCheck(.failureIsShared, .accessesAreNotShared, "resource at once", within: 200),
        SelfCheck(.pageIsNeeded, .programLogsIn, "resource", within: 50),
        SelfCheck(.pagesAreBounded, .stepUpsAreMany, "resource", within: 50),
        SelfCheck(.ownServer, .networkConfusesServers, "resource", within: 50),
        SelfCheck(.registersOnce, .storeIsSplit, "resource", within: 50),
    ]

    /// The first seed in which the rule is broken, and is not without the breakage.
    func firstSeed() -> UInt64? {
        let topic = Topic.all.first { $0.name == self.topic }
        return (1...UInt64(limit)).first { seed in
            var plan = Plan(seed: seed, topic: topic)
            let honest = plan
            plan.breakage = breakage
            return breaks(plan, seed) && !breaks(honest, seed)
        }
    }

    private func breaks(_ plan: Plan, _ seed: UInt64) -> Bool {
        Run(plan, Decisions(seed: seed)).findings.contains { $0.rule == rule }
    }

    /// Makes all checks and prints them.
    ///
    /// - Returns: Whether every rule was found broken.
    static func run() -> Bool {
        var missed = Rule.allCases.filter { rule in !all.contains { $0.rule == rule } }
        for rule in missed { print("\(rule.rawValue): nothing breaks it") }
        for check in all {
            let seed = check.firstSeed()
            if seed == nil { missed.append(check.rule) }
            let found = seed.map { "found in seed \($0)" } ?? "NOT FOUND"
            print("\(check.rule.rawValue) by \(check.breakage.rawValue): \(found), of \(check.limit)")
        }
        if !missed.isEmpty { print("Not found: \(missed.map(\.rawValue).joined(separator: ", "))") }
        return missed.isEmpty
    }
}

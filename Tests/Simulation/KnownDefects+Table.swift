extension KnownDefect {
    /// What is known, the more particular first: a finding belongs to the first that explains it.
    static let all: [KnownDefect] = [
        KnownDefect(
            number: 16, title: "A client's own grant outlasts a user's tokens, and its renewals take their place",
            rule: .agreement,
            plan: Plan([Step(1, .login)]) { plan in
                plan.first = [.clientCredentials]
                plan.provider.lifetime = 20
            }
        ) { decisions.contains($0.rule) && $0.excuses.contains(.mixedGrants) },
        KnownDefect(
            number: 17, title: "A login of a process whose clock is behind gives way to an older one, and says nothing",
            rule: .decisionStands,
            plan: Plan([Step(1, .clockBack), Step(2, .login), Step(1, .login)]) { $0.isInTurn = true }
        ) { decisions.contains($0.rule) && $0.excuses.contains(.clock) && $0.excuses.isDisjoint(with: saving) },
        KnownDefect(
            number: 1, title: "A reload that began during a login or logout brings the old grant back",
            rule: .decisionStands, plan: Plan([Step(1, .login), Step(1, .reload)])
        ) { $0.rule == .decisionStands && $0.excuses.isDisjoint(with: saving) },
        KnownDefect(
            number: 2, title: "A login whose save failed stands up again after a later logout elsewhere",
            rule: .storeKeepsDecisions,
            plan: Plan([Step(1, .login), Step(2, .clear), Step(1, .save)], [Fault(.saveFailsAfter, at: 1)])
        ) { decisions.contains($0.rule) && !$0.excuses.isDisjoint(with: saving) },
        KnownDefect(
            number: 3,
            title: "A login or logout during a renewal drops the late answer; the old refresh token is spent again",
            rule: .spentOnce, plan: Plan([Step(1, .refresh), Step(1, .login), Step(2, .refresh)])
        ) { $0.rule == .spentOnce },
        KnownDefect(
            number: 4, title: "A logout leaves the error of an earlier save behind",
            rule: .errorIsGone, plan: Plan([Step(1, .needsRefresh), Step(1, .clear)], [Fault(.leaseFails, at: 1)])
        ) { $0.rule == .errorIsGone },
        KnownDefect(
            number: 5, title: "A change that another transaction saved leaves its error behind",
            rule: .errorIsGone,
            plan: Plan([Step(1, .needsRefresh), Step(1, .login)], [Fault(.leaseFails, at: 1)]) { $0.isSlow = true }
        ) { _ in false },
        KnownDefect(
            number: 6, title: "Tokens are shown before they are stored, by a call that ends beside their save",
            rule: .storedBeforeShown, plan: Plan([Step(1, .revoke), Step(1, .login)])
        ) { $0.rule == .storedBeforeShown },
        KnownDefect(
            number: 7, title: "One slow reading of the store hides a logout elsewhere",
            rule: .logoutIsNoticed,
            plan: Plan(
                [
                    Step(1, .reload), Step(2, .clear), Step(1, .quarterMinute), Step(1, .quarterMinute),
                    Step(1, .freshTokens),
                ],
                [Fault(.loadHangs, at: 1)])
        ) { $0.rule == .logoutIsNoticed },
        KnownDefect(
            number: 8, title: "A renewal is repeated although its lease was lost",
            rule: .noRepeatAfterLostLease,
            plan: Plan([Step(1, .refresh), Step(1, .loseLease)], [Fault(.busy, at: 1)])
        ) { $0.rule == .noRepeatAfterLostLease },
        KnownDefect(
            number: 9, title: "A call that joins a renewal during its save gets tokens that have expired",
            rule: .notExpired,
            plan: Plan(
                [Step(1, .refresh), Step(1, .quarterMinute), Step(1, .quarterMinute), Step(1, .freshTokens)],
                [Fault(.saveHangs, at: 1)]
            ) { $0.provider.lifetime = 20 }
        ) { $0.rule == .notExpired },
        KnownDefect(
            number: 11, title: "What was adopted under a lease is not shown until the save ends",
            rule: .adoptedIsShown, plan: Plan([Step(1, .login), Step(2, .needsRefresh), Step(2, .login)])
        ) { $0.rule == .adoptedIsShown },
        KnownDefect(
            number: 12, title: "A logout returns although nothing was removed, when another call logs out meanwhile",
            rule: .storeKeepsDecisions, plan: Plan([Step(1, .clear), Step(1, .clear), Step(2, .refresh)])
        ) { $0.rule == .storeKeepsDecisions },
        KnownDefect(
            number: 13, title: "Revisions begin anew after a logout, and go back within an epoch",
            rule: .streamInOrder,
            plan: Plan([
                Step(2, .refresh), Step(2, .refresh), Step(1, .clear), Step(1, .authorize),
            ])
        ) { $0.rule == .streamInOrder },
        KnownDefect(
            number: 14, title: "A logout does not show the registration that it found in the store",
            rule: .endsAsStored,
            plan: Plan([Step(1, .readRegistration), Step(2, .clear)]) { $0.first = [.register, .authorize] }
        ) { $0.rule == .endsAsStored },
        KnownDefect(
            number: 15, title: "A login stores an older registration than the one that another client replaced",
            rule: .registrationIsKept,
            plan: Plan([Step(1, .readRegistration), Step(2, .authorize), Step(1, .register)]) {
                $0.first = [.register, .authorize]
            }
        ) { $0.rule == .registrationIsKept || $0.rule == .serves && $0.text.contains("invalidClient") },
        KnownDefect(
            number: 18, title: "A registration whose save failed ends a login that was stored later",
            rule: .serves,
            plan: Plan([Step(1, .register), Step(2, .authorize)], [Fault(.saveFailsBefore, at: 1)]) { plan in
                plan.first = [.register, .authorize]
                plan.isInTurn = true
            }
        ) { $0.rule == .serves && $0.text.contains("notLoggedIn") && !$0.excuses.isDisjoint(with: saving) },
    ]

    /// Rules about what was decided.
    private static let decisions: Set<Rule> = [.decisionStands, .logoutIsNoticed, .storeKeepsDecisions, .agreement]
    /// What keeps a decision from being stored.
    private static let saving: Set<Excuse> = [.failedSave, .failedLoad]
}

extension KnownDefect {
    /// What is known, the more particular first: a finding belongs to the first that explains it.
    static let all: [KnownDefect] = [
        KnownDefect(
            16, "A client's own grant outlasts a user's tokens, and its renewals take their place",
            breaks: [.agreement, .decisionStands, .logoutIsNoticed, .storeKeepsDecisions, .adoptedIsShown],
            after: [Need([.clientCredentials], first: [.clientCredentials]), Need([.login])],
            in: Plan([Step(1, .login)]) { plan in
                plan.first = [.clientCredentials]
                plan.provider.lifetime = 20
            }),
        KnownDefect(
            17, "A login of a process whose clock is behind gives way to an older one, and says nothing",
            breaks: [.decisionStands, .logoutIsNoticed, .storeKeepsDecisions, .agreement],
            after: [Need([.clockBack, .clockAhead]), logins],
            in: Plan([Step(1, .clockBack), Step(2, .login), Step(1, .login)]) { $0.isInTurn = true }),
        KnownDefect(
            1, "A reload that began during a login or logout brings the old grant back",
            breaks: [.decisionStands], after: [Need([.reload]).inItself, decisions.inItself],
            in: Plan([Step(1, .login), Step(1, .reload)])),
        KnownDefect(
            2, "A login whose save failed stands up again after a later logout elsewhere",
            breaks: [.storeKeepsDecisions, .decisionStands, .logoutIsNoticed, .agreement],
            after: [logins, failedSaves, decisions.inTwo],
            in: Plan([Step(1, .login), Step(2, .clear), Step(1, .save)], [Fault(.saveFailsAfter, at: 1)])),
        KnownDefect(
            3, "A login or logout during a renewal drops the late answer; the old refresh token is spent again",
            breaks: [.spentOnce], after: [renewals, decisions],
            in: Plan([Step(1, .refresh), Step(1, .login), Step(2, .refresh)])),
        KnownDefect(
            19, "An answer that comes as the renewal's deadline passes is dropped; the refresh token is spent again",
            breaks: [.spentOnce], after: [renewals, Need([.slow]) + Need([.quarterMinute, .minute])],
            in: Plan([Step(1, .refresh)]) { $0.isSlow = true }),
        KnownDefect(
            4, "A logout leaves the error of an earlier save behind",
            breaks: [.errorIsGone], after: [(failedSaves + cancellations).inItself, logouts.inItself],
            in: Plan([Step(1, .needsRefresh), Step(1, .clear)], [Fault(.leaseFails, at: 1)])),
        KnownDefect(
            5, "A change that another transaction saved leaves its error behind",
            breaks: [.errorIsGone], after: [(failedSaves + cancellations).inItself, changes.inItself.twice],
            in: Plan([Step(1, .needsRefresh), Step(1, .login)], [Fault(.leaseFails, at: 1)]) { $0.isSlow = true }),
        KnownDefect(
            6, "Tokens are shown before they are stored, by a call or reading that ends beside their save",
            breaks: [.storedBeforeShown],
            after: [logins.inItself, (changes + Need([.reload])).inItself.twice],
            in: Plan([Step(1, .revoke), Step(1, .login)])),
        KnownDefect(
            7, "One slow reading of the store hides a logout elsewhere",
            breaks: [.logoutIsNoticed], after: [Need([.loadHangs]).inItself, decisions.inAnother],
            in: Plan(
                [
                    Step(1, .reload), Step(2, .clear), Step(1, .quarterMinute), Step(1, .quarterMinute),
                    Step(1, .freshTokens),
                ],
                [Fault(.loadHangs, at: 1)])),
        KnownDefect(
            8, "A renewal is repeated although its lease was lost",
            breaks: [.noRepeatAfterLostLease], after: [Need([.loseLease]), Need([.busy, .unreachable]).inItself],
            in: Plan([Step(1, .refresh), Step(1, .loseLease)], [Fault(.busy, at: 1)])),
        KnownDefect(
            9, "A call that joins a renewal during its save gets tokens that have expired",
            breaks: [.notExpired], after: [Need([.saveHangs]).inItself, Need([.quarterMinute, .minute])],
            in: Plan(
                [Step(1, .refresh), Step(1, .quarterMinute), Step(1, .quarterMinute), Step(1, .freshTokens)],
                [Fault(.saveHangs, at: 1)]
            ) { $0.provider.lifetime = 20 }),
        KnownDefect(
            11, "What was adopted under a lease is not shown until the save ends",
            breaks: [.adoptedIsShown], after: [logins.inAnother, changes.inItself],
            in: Plan([Step(1, .login), Step(2, .needsRefresh), Step(2, .login)])),
        KnownDefect(
            12, "A logout returns although nothing was removed, when another call logs in or out meanwhile",
            breaks: [.storeKeepsDecisions, .logoutIsNoticed, .agreement], after: [logouts, decisions.twice],
            in: Plan([Step(1, .clear), Step(1, .clear), Step(2, .refresh)])),
        KnownDefect(
            13, "Revisions begin anew after a logout, and go back within an epoch",
            breaks: [.streamInOrder], after: [logouts, logins],
            in: Plan([Step(2, .refresh), Step(2, .refresh), Step(1, .clear), Step(1, .authorize)])),
        KnownDefect(
            14, "A logout does not show the registration that it found in the store",
            breaks: [.endsAsStored], after: [registrations.inAnother, logouts.inItself],
            in: Plan([Step(1, .readRegistration), Step(2, .clear)]) { $0.first = [.register, .authorize] }),
        KnownDefect(
            20, "A store that was set back keeps its older registration, while a process shows the newer one",
            breaks: [.endsAsStored], after: [registrations.inItself, Need([.loadIsOld])],
            in: Plan(
                [Step(1, .updateRegistration), Step(2, .reload)], [Fault(.loadIsOld, at: 1), Fault(.loadIsOld, at: 2)]
            ) { plan in
                plan.first = [.register, .authorize]
                plan.isInTurn = true
            }),
        KnownDefect(
            15, "A login stores an older registration than the one that another client replaced",
            breaks: [.registrationIsKept, .serves], after: [registrations.twice, logins],
            in: Plan([Step(1, .readRegistration), Step(2, .authorize), Step(1, .register)]) {
                $0.first = [.register, .authorize]
            }),
        KnownDefect(
            18, "A registration whose save failed ends a login that was stored later",
            breaks: [.serves], after: [Need([.register]), failedSaves, logins],
            in: Plan([Step(1, .register), Step(2, .authorize)], [Fault(.saveFailsBefore, at: 1)]) { plan in
                plan.first = [.register, .authorize]
                plan.isInTurn = true
            }),
    ]

    private static let logins = Need([
        .login, .authorize, .device, .clientCredentials, .reauthorize, .reauthorizeAsAnother,
    ])
    private static let logouts = Need([.clear, .logOut, .revoke, .deleteRegistration])
    private static let registrations = Need([.register, .readRegistration, .updateRegistration, .deleteRegistration])
    private static let decisions = logins + logouts + Need([.register])
    private static let renewals = Need([
        .freshTokens, .longTokens, .sideTokens, .refresh, .refusedToken, .request, .reauthorize, .reauthorizeAsAnother,
        .run,
    ])
    private static let changes = decisions + renewals + Need([.needsRefresh])
    private static let cancellations = Need([.cancel, .cancelOldest]) + Need([.callCancelled])
    /// What keeps a change from being stored.
    private static let failedSaves =
        Need([
            .loadFails, .leaseFails, .reserveFails, .saveFailsBefore, .saveFailsAfter, .deleteFailsBefore,
            .deleteFailsAfter,
        ]) + Need([.locked])
}

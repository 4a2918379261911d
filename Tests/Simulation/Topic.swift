/// The subject of a run: some operations meet each other more often than all of them would.
struct Topic {
    let name: String
    /// The weight with which seeds choose it; a topic without weight is chosen by its name alone.
    let weight: Int
    var holding = Holding.state
    var grants: [GrantKind] = [.plain]
    /// The actions before anything goes wrong, in the first process.
    var first: [Action] = [.authorize]
    /// The actions beside the everyday ones, the frequent more than once.
    var actions: [Action] = []
    /// The faults, in plans that have some.
    var faults = Fault.Kind.allCases.filter { $0.site != .page }
    /// Whether everyday's actions happen too.
    var hasEveryday = true

    static let all: [Topic] = [
        Topic(name: "everyday", weight: 6, first: [.login]),
        Topic(
            name: "logouts elsewhere", weight: 1, first: [.login],
            actions: [
                .login, .clear, .logOut, .freshTokens, .freshTokens, .longTokens, .quarterMinute, .quarterMinute,
            ], hasEveryday: false),
        Topic(
            name: "late renewals", weight: 1, first: [.login],
            actions: [.refresh, .refresh, .freshTokens, .loseLease, .loseLease, .quarterMinute, .login],
            faults: [.busy, .saveHangs, .loadHangs, .answerHangs, .unreachable], hasEveryday: false),
        Topic(
            name: "changes during renewals", weight: 0, first: [.login],
            actions: [.refresh, .refresh, .refresh, .login, .login, .clear, .quarterMinute],
            faults: [.answerHangs, .busy, .unreachable], hasEveryday: false),
        Topic(
            name: "lost leases", weight: 0, first: [.login],
            actions: [.refresh, .refresh, .refresh, .loseLease, .loseLease], faults: [.busy, .unreachable],
            hasEveryday: false),
        Topic(name: "OpenID Connect", weight: 3, grants: [.openID], actions: Array(repeating: .authorize, count: 6)),
        Topic(
            name: "proofs", weight: 2, grants: [.bound, .boundOpenID],
            actions: Array(repeating: .authorize, count: 6) + [.request, .request]),
        Topic(
            name: "reauthorization", weight: 2, grants: [.openID, .boundOpenID],
            actions: Array(repeating: .reauthorize, count: 10) + Array(repeating: .withdraw, count: 5) + [
                .reauthorizeAsAnother, .reauthorizeAsAnother, .reauthorizeAsAnother,
            ]),
        Topic(
            name: "machines", weight: 1, first: [.clientCredentials],
            actions: Array(repeating: .clientCredentials, count: 4) + Array(repeating: .assertion, count: 4) + [
                .request, .request, .device, .device,
            ]),
        Topic(
            name: "registration", weight: 2, first: [.register, .authorize],
            actions: [
                .register, .readRegistration, .readRegistration, .updateRegistration,
                .updateRegistration, .updateRegistration, .deleteRegistration, .authorize, .authorize, .refresh,
                .clear, .cancel, .reload, .save,
            ], hasEveryday: false),
        Topic(name: "pool", weight: 2, holding: .pool, grants: [.plain, .openID], actions: [.run, .run, .device]),
        Topic(
            name: "session", weight: 2, holding: .session, grants: [.openID],
            actions: Array(repeating: .authorize, count: 6) + [.logOut, .logOut, .reload]),
        Topic(
            name: "resource", weight: 2, holding: .resource,
            grants: [.plain, .plain, .plain, .openID, .bound, .boundOpenID], first: [.request],
            actions: [
                .request, .request, .request, .request, .write, .write, .write, .refusedToken, .refusedToken,
                .takeToken, .takeToken, .redirect, .redirect, .freshTokens, .refresh, .authorize, .clear, .logOut,
                .reload, .withdraw, .withdraw, .moveResource,
                .forgetClient, .cancel, .cancelOldest, .quarterMinute, .minute,
            ], faults: Fault.Kind.allCases + Array(repeating: .pageCloses, count: 6), hasEveryday: false),
        Topic(
            name: "resource at once", weight: 0, holding: .resource, first: [.request],
            actions: Array(repeating: .refusedToken, count: 20) + Array(repeating: .request, count: 12)
                + Array(repeating: .withdraw, count: 6),
            faults: [.saveHangs, .answerHangs, .busy, .pageCloses, .pageCloses], hasEveryday: false),
    ]

    /// The everyday actions, the frequent more than once.
    static let everyday: [Action] = [
        .freshTokens, .freshTokens, .freshTokens, .longTokens, .refresh, .refresh, .refusedToken, .request,
        .sideTokens, .login, .login, .authorize, .device, .clear, .logOut, .revoke, .reload, .reload, .save, .drain,
        .run, .needsRefresh, .cancel, .cancelOldest, .quarterMinute, .minute,
    ]

    /// The rare actions: crashes, lost leases, clocks that are set.
    static let harsh: [Action] = [
        .crash, .crash, .loseLease, .loseLease, .withdraw, .rotateKeys, .clockAhead, .clockBack, .clockRight,
        .quarterMinute,
    ]
}

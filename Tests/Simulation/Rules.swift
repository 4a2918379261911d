/// The rules that hold in every run of every seed.
enum Rule: String, CaseIterable {
    case spentOnce
    case decisionStands
    case logoutIsNoticed
    case storeKeepsDecisions
    case storedBeforeShown
    case notExpired
    case noRepeatAfterLostLease
    case everyCallReturns
    case serves
    case agreement
    case errorIsGone
    case streamInOrder
    case lastsAsAsked
    case idTokenIsGenuine
    case boundIsProven
    case accountStays
    case registrationIsKept
    case endsAsStored
    case onePage
    case failureIsShared
    case pageIsNeeded
    case pagesAreBounded
    case ownServer
    case registersOnce

    /// The rule as a sentence.
    var sentence: String {
        switch self {
        case .spentOnce:
            "No refresh token is spent twice, unless an answer, a save, a lease or a process was lost in between."
        case .decisionStands:
            "Once a login or logout has returned, its process shows no tokens of an older grant."
        case .logoutIsNoticed:
            "Ten seconds after a login or logout has returned, no process delivers tokens of an older grant."
        case .storeKeepsDecisions:
            "Once a login or logout is stored, no later transaction stores an older grant."
        case .storedBeforeShown:
            "No reader sees tokens before they are stored, or the failure to store them is reported."
        case .notExpired:
            "No call gets an access token that had expired before the call began."
        case .noRepeatAfterLostLease:
            "No renewal is repeated after its lease was lost."
        case .everyCallReturns:
            "Every call returns once the faults have ended."
        case .serves:
            "In the end every process serves a live token, or has an error that something justifies."
        case .agreement:
            "In the end all processes serve the same grant, and no older one than the last decision."
        case .errorIsGone:
            "In the end a save leaves no error of the store behind."
        case .streamInOrder:
            "A stream of changes tells in order of revision, and its last element is the state."
        case .lastsAsAsked:
            "Tokens that are asked for by their validity last so long, where the provider issues such tokens."
        case .idTokenIsGenuine:
            "No reader sees an ID token that the provider did not sign."
        case .boundIsProven:
            "No refresh token that is bound to a key is sent without a proof by that key."
        case .accountStays:
            "A request of one user is never made as another, also after a login in between."
        case .registrationIsKept:
            "In the end a registration has the newest token and secret, unless an answer, a process or the store was lost."
        case .endsAsStored:
            "In the end a process shows the tokens and the registration that are stored."
        case .onePage:
            "A process shows one page for a resource at a time."
        case .failureIsShared:
            "A call that had begun before a page was closed does not open another one."
        case .pageIsNeeded:
            "No page is shown while the process has a token of the same grant that the resource takes."
        case .pagesAreBounded:
            "A call shows one page for a login, and two for more rights."
        case .ownServer:
            "A code, a token, a client or its secret reaches no other server than its own."
        case .registersOnce:
            "A client registers once at a server, unless it was forgotten, or an answer, a save, a lease or a process was lost."
        }
    }
}

/// A rule that did not hold.
struct Finding: Hashable {
    var rule: Rule
    /// The process and the step of the finding.
    var process: Int
    var step: Int
    /// The observation.
    var text: String
    /// The faults in the world before it.
    var excuses: Set<Excuse>
}

/// A fault in the world, which may explain what a rule forbids.
enum Excuse: String, Hashable {
    case lostAnswer, failedSave, failedLoad, lostLease, oldCopy, death, clock, keys
}

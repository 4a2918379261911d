import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState {
    /// A process's knowledge of a state: the newest record, the one that readers see, and the stored one.
    ///
    /// A value without a store and without a clock. Each verb takes in one thing that happened and answers with what the
    /// observer is told. After each of them, readers see what is stored, the end of a grant, or what was reported as unsaved.
    struct Ledger: Sendable {
        /// The newest record, stored or not.
        private(set) var newest: Box<Record>
        /// The record that readers see.
        private(set) var shown: Box<Record>
        /// The stored record, as far as is known; nil when nothing is stored.
        private(set) var stored: Box<Record>?
        /// The version of the stored record, as far as is known; nil when nothing is stored.
        private(set) var version: StoredAuthState.Version?
        /// The parts that a state which is only read does not have.
        private var rareBox: Box<Rare>?
        private var rare: Rare {
            get { rareBox?.value ?? Rare() }
            set { rareBox = Box(newValue) }
        }

        /// - Parameter version: The stored version that the record was read from.
        init(_ record: Box<Record>, version: StoredAuthState.Version?) {
            (newest, shown, stored, self.version) = (record, record, record, version)
        }

        var undecided: Stamp? { rare.undecided }
        var storedAt: Stamp { rare.storedAt }
        var outcomes: UInt64 { rare.outcomes }
        var storeError: Box<AuthStateError>? { rareBox?.value.storeError }
        var sideTokens: [RenewalParameters: TokenResponse] { rareBox?.value.sideTokens ?? [:] }
        var pauses: [RenewalParameters: RenewalPause] { rareBox?.value.pauses ?? [:] }
        var lastRejected: String? { rare.lastRejected }
        var isSaved: Bool { newest.value.stamps == storedStamps }

        private var storedStamps: Stamps { stored?.value.stamps ?? Stamps() }
    }
}

extension AuthState.Ledger {
    /// An event happened here. A login stays undecided until it is stored, or its own save has failed.
    mutating func apply(
        _ event: AuthState.Event, at stamp: AuthState.Stamp, grantID: @autoclosure () -> String = AuthState.newGrantID()
    ) -> [AuthStateEvent] {
        advance(to: Box(newest.value.applying(event, at: stamp, grantID: grantID())))
        if event.bringsClient { rare.undecided = newest.value.stamps.grant }
        show()
        return []
    }

    /// The first grant of a state was made, over whatever is stored: it continues the count of grants there, keeps a
    /// registration, and authenticates as the program says.
    mutating func begin(
        with event: AuthState.Event, at now: Date, over theirs: AuthState.Record?, _ version: StoredAuthState.Version?
    ) -> [AuthStateEvent] {
        let shown = shown
        var first = newest.value
        if let theirs { (first.grantEpoch, first.revision) = (theirs.grantEpoch, theirs.revision) }
        newest = Box(first)
        let effects = apply(event, at: first.nextStamp(at: now))
        let credential = newest.value.client.credential
        if let theirs { merge(theirs, version) } else { remove() }
        var merged = newest.value
        merged.client.credential = credential
        // Nothing is shown before it is saved.
        (newest, self.shown) = (Box(merged), shown)
        return effects
    }

    /// A reading found a record, or nothing. Has no effect after a later outcome: a reading or change under the lease that
    /// ended since it began.
    ///
    /// - Parameters:
    ///   - version: The version found; nil when nothing is stored.
    ///   - isLeased: Whether the reading was made under the lease, where no other process changes the store.
    ///   - followsCrash: Whether a holder of the lease died, and nothing was saved since: its renewal is unconfirmed.
    ///   - record: Returns the record found, when the version is not the known one.
    mutating func found(
        _ version: StoredAuthState.Version?, by reading: Reading, isLeased: Bool = false, followsCrash: Bool = false,
        record: (AuthState.Record) throws -> AuthState.Record?
    ) rethrows -> [AuthStateEvent] {
        guard isLatest(reading) else { return [] }
        let isNews = version != self.version
        if isNews, let theirs = try record(newest.value) {
            merge(theirs, version)
        } else if isNews {
            remove()
        } else if version == nil, isLeased, newest.value.isForgettable {
            // Nothing is stored, so that the end of a login needs no saving.
            stored = newest
        }
        if version != nil { rare.storedAt = reading.begun }
        let (mine, theirs) = (newest.value, stored?.value)
        if followsCrash, mine.refreshToken != nil, mine.refreshToken == theirs?.refreshToken,
            mine.grantID == theirs?.grantID, mine.stamps.tokens == theirs?.stamps.tokens, mine.unconfirmedRenewal == nil
        {
            _ = apply(.renewalUnconfirmed, at: AuthState.Stamp(at: reading.begun.date, after: mine.stamps.newest))
        }
        if isLeased { rare.outcomes &+= 1 }
        show()
        return isNews ? [.adopted] : []
    }

    /// A record was saved. Throws `.storeConflict` for a save that returns too late to count: the lease that it was
    /// made under was lost, and another version has been read or saved since.
    mutating func saved(_ writing: Writing, as version: StoredAuthState.Version) throws -> [AuthStateEvent] {
        guard self.version == writing.expected || self.version == version else {
            throw AuthStateError(
                .storeConflict, stage: .store, "Another process has changed the stored state meanwhile.")
        }
        know(writing.record, version)
        rare.outcomes &+= 1
        rare.isRemoved = false
        // A state that was reported as unsaved stays visible.
        let merged = shown.value.merged(with: writing.record.value)
        shown = merged.stamps == storedStamps ? writing.record : Box(merged)
        show()
        return []
    }

    /// The stored record was deleted in place of saving an end. Does not count when it returns late, as with `saved`.
    mutating func deleted(_ writing: Writing) -> [AuthStateEvent] {
        guard version == writing.expected || version == nil else { return [] }
        know(writing.record, nil)
        rare.outcomes &+= 1
        show()
        return []
    }

    /// A save failed, and so did its second try.
    ///
    /// - Parameter login: The grant whose own save it was: a login is decided as of then. Nil for other saves.
    mutating func saveFailed(_ error: any Error, of login: String? = nil) -> [AuthStateEvent] {
        let error = AuthStateError(unsaved: error)
        rare.storeError = Box(error)
        shown = newest
        if newest.value.grantID == login { rare.undecided = nil }
        show()
        return [.saveFailed(error)]
    }

    /// A renewal has delivered tokens; those for parameters are kept beside the default ones, the newest sixteen.
    ///
    /// - Parameter rejected: The access token that was renewed because a resource refused it; nil for other renewals.
    mutating func renewed(
        _ tokens: TokenResponse, for parameters: RenewalParameters, rejected: String? = nil
    ) -> [AuthStateEvent] {
        if !parameters.isNone { rare.sideTokens.keep(tokens, for: parameters) { $0.issuedAt } }
        if !pauses.isEmpty { rare.pauses[parameters] = nil }
        if let rejected { rare.lastRejected = rejected }
        return [.renewed]
    }

    /// Tokens were refused, and this process does not request them for a while; at most sixteen pauses are kept.
    mutating func paused(_ pause: AuthState.RenewalPause, for parameters: RenewalParameters) -> [AuthStateEvent] {
        // Those that are over have no effect.
        rare.pauses = pauses.filter { pause.from.map($0.value.contains) ?? true }
        rare.pauses.keep(pause, for: parameters) { $0.end }
        return []
    }

    /// Replaces parts with equal ones that other states already have.
    mutating func share(_ share: (AuthState.Record) -> AuthState.Record) -> [AuthStateEvent] {
        let unshared = newest
        newest = Box(share(unshared.value))
        if shown === unshared { shown = newest }
        if stored === unshared { stored = newest }
        return []
    }

    // MARK: - Rules

    /// Merges what another process stored with the newest record and with the one that is shown.
    private mutating func merge(_ found: AuthState.Record, _ version: StoredAuthState.Version?) {
        var (theirs, mine, visible) = (found, newest.value, shown.value)
        // The client that the program gave takes precedence over the one that a logout left.
        if mine.stamps.grant == .never, theirs.isForgettable { theirs.keepClient(of: mine) }
        if isUndecided(beside: theirs) {
            // Shown already, when another save that would have included it has failed.
            if visible.stamps.grant == mine.stamps.grant { visible.decide(after: theirs) }
            mine.decide(after: theirs)
            rare.undecided = mine.stamps.grant
        }
        // A record that is stored after a removal is later than the removal, also when the clocks disagree.
        if rare.isRemoved {
            (mine.stamps.grant, mine.stamps.client) = (.never, .never)
            visible = mine
        }
        let merged = mine.merged(with: theirs)
        visible = visible.merged(with: theirs)
        let box = Box(theirs)
        advance(to: merged == theirs ? box : Box(merged))
        shown = visible == theirs ? box : Box(visible)
        know(box, version)
    }

    /// Whether the newest record is a login that has yet to be stored, and that the stored record does not know either: it
    /// neither is that login nor ends it.
    private func isUndecided(beside theirs: AuthState.Record) -> Bool {
        guard let login = undecided, newest.value.stamps.grant == login else { return false }
        return storedStamps.grant != login && theirs.stamps.grant != login && theirs.stamps.client != login
    }

    /// The stored record was removed without a record of a logout: whatever was granted while it was still stored has ended.
    private mutating func remove() {
        let end = AuthState.Stamp(at: nil, after: max(storedStamps.newest, rare.storedAt.time))
        let (wasStored, login) = (stored != nil, undecided)
        func after(_ box: Box<AuthState.Record>) -> Box<AuthState.Record> {
            let grant = box.value.stamps.grant
            guard wasStored, grant < end, grant != login, !box.value.isLoggedOut else { return box }
            return Box(box.value.applying(.loggedOut, at: end))
        }
        let before = newest
        advance(to: after(before))
        if newest !== before { rare.isRemoved = true }
        shown = after(shown)
        know(newest.value.isLoggedOut ? newest : nil, nil)
    }

    /// Notes what is stored; a login is decided as soon as it is.
    private mutating func know(_ box: Box<AuthState.Record>?, _ version: StoredAuthState.Version?) {
        (stored, self.version) = (box, version)
        if undecided != nil, storedStamps.grant == undecided { rare.undecided = nil }
    }

    /// Replaces the newest record; what belongs to another grant is forgotten.
    private mutating func advance(to next: Box<AuthState.Record>) {
        if rareBox != nil, next.value.grantID != newest.value.grantID {
            (rare.undecided, rare.isRemoved, rare.lastRejected) = (nil, false, nil)
            (rare.sideTokens, rare.pauses) = ([:], [:])
        }
        // The client may have another secret.
        if !pauses.isEmpty, next.value.stamps.registration != newest.value.stamps.registration { rare.pauses = [:] }
        newest = next
    }

    /// The one rule of showing: no token is visible before everything that came with it is stored; the end of a grant is
    /// visible at once.
    private mutating func show() {
        if isSaved, storeError != nil { rare.storeError = nil }
        if isSaved || newest.value.isLoggedOut { shown = newest }
    }
}

extension Dictionary where Key == RenewalParameters {
    /// Sets a value; of sixteen others the one with the earliest date goes, but never the default tokens' own.
    fileprivate mutating func keep(_ value: Value, for parameters: Key, date: (Value) -> Date) {
        if self[parameters] == nil, count >= 16,
            let first = filter({ !$0.key.isNone }).min(by: { date($0.value) < date($1.value) })
        {
            self[first.key] = nil
        }
        self[parameters] = value
    }
}

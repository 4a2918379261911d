import AuthStateSystem

extension AuthState.Record {
    /// Whether a logout ended the grant. The record of the end stays, so that no older grant comes back.
    public var isLoggedOut: Bool { stamps.client < stamps.grant }

    /// Whether a logout ended the grant and there is no registration: the record only tells other processes of the end.
    public var isForgettable: Bool { isLoggedOut && lastRegistrationResponse == nil }

    /// Returns this record merged with another one: of each part, the version that was decided later.
    ///
    /// Merging is commutative, idempotent and, but for one case in Docs/Architecture.md, associative, so all processes
    /// agree in the end, regardless of the order in which they learn of each other's changes. A newer grant, or the end
    /// of one, replaces an older grant with all its tokens.
    func merged(with other: Self) -> Self {
        var next = stamps.grant < other.stamps.grant ? other : self
        let older = stamps.grant < other.stamps.grant ? self : other
        let (newer, client) = (next, older.stamps.client)
        if client > newer.stamps.client { next.takeClient(of: older) }
        let registered = client > newer.stamps.client ? newer : older
        // Endpoints get no secret that did not come with them: they may come from a program that can write the store
        // but not read it.
        if registered.stamps.registration > next.stamps.registration,
            registered.client.provider.credentialOrigins == next.client.provider.credentialOrigins
        {
            next.takeRegistration(of: registered)
        }
        if older.stamps.grant == next.stamps.grant { next.takeProgress(of: older) }
        next.grantEpoch = max(grantEpoch, other.grantEpoch)
        next.revision = max(revision, other.revision)
        next.dropWhatTokensMadeVoid()
        return next
    }

    /// Takes a client that is newer than this record's; this record is then logged out, because a grant brings its
    /// client.
    private mutating func takeClient(of other: Self) {
        clientBox = other.clientBox
        registrationBox = other.registrationBox
        annotations = other.annotations
        (stamps.client, stamps.registration) = (other.stamps.client, other.stamps.registration)
    }

    /// Keeps the client that a program gave, in place of the one that a logout left.
    mutating func keepClient(of other: Self) {
        let stamps = stamps
        takeClient(of: other)
        self.stamps = stamps
    }

    /// Makes a login that is being saved later than the stored state; its client keeps the registration.
    mutating func decide(after other: Self) {
        stamps.lift(above: other.stamps.newest)
        // The program named the endpoints of this login.
        takeRegistration(of: other)
    }

    /// Takes a newer registration of the same client, and the credential that came with it.
    private mutating func takeRegistration(of other: Self) {
        guard other.stamps.registration > stamps.registration, other.client.id == client.id,
            other.client.provider.issuer == client.provider.issuer
        else { return }
        stamps.registration = other.stamps.registration
        registrationBox = other.registrationBox
        client.credential = other.client.credential
        if let registration = lastRegistrationResponse { client.provider = client.provider.adapted(to: registration) }
    }

    /// Takes the newer parts of the same grant.
    private mutating func takeProgress(of other: Self) {
        let theirs = other.stamps
        if theirs.tokens > stamps.tokens {
            lastTokenResponse = other.lastTokenResponse
            scope = other.scope
            authorizationDetails = other.authorizationDetails
            (idToken, idTokenTrust) = (other.idToken, other.idTokenTrust)
            unknownMembers = other.unknownMembers
            stamps.tokens = theirs.tokens
        }
        if theirs.refreshToken > stamps.refreshToken {
            (refreshToken, stamps.refreshToken) = (other.refreshToken, theirs.refreshToken)
        }
        if theirs.error > stamps.error { (errorBox, stamps.error) = (other.errorBox, theirs.error) }
        if theirs.pause > stamps.pause { (pauseBox, stamps.pause) = (other.pauseBox, theirs.pause) }
        stamps.unconfirmed = max(stamps.unconfirmed, theirs.unconfirmed)
        stamps.wish = max(stamps.wish, theirs.wish)
    }

    /// Forgets what newer tokens make void: an error, a pause, a renewal without an answer, and the wish to renew.
    mutating func dropWhatTokensMadeVoid() {
        let newest = stamps.newestTokens
        // A new refresh token makes void only the refusal of the one before.
        let answered = errorBox?.value.code == .invalidGrant ? newest : stamps.tokens.time
        if stamps.error.time < answered { (errorBox, stamps.error) = (nil, .never) }
        if stamps.pause.time < newest { (pauseBox, stamps.pause) = (nil, .never) }
        if stamps.unconfirmed.time < newest { stamps.unconfirmed = .never }
        if stamps.wish.time < stamps.tokens.time { stamps.wish = .never }
    }
}

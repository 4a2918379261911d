package import AuthStateFoundation
import AuthStateJOSE
import AuthStateSystem

extension AuthState {
    /// The time of a decision: by the wall clock, or just after the newest stamp that was known then.
    ///
    /// A hybrid logical clock. A decision made with knowledge of another one is later than it, however wrong the clocks
    /// are. Between two decisions that do not know of each other, the clocks decide.
    package struct Stamp: Sendable, Hashable, Comparable {
        /// Microseconds since 1970, less than 2⁶⁰.
        package var time: Int64
        /// Distinguishes decisions of two processes in the same microsecond.
        package var name: UInt32

        /// The latest possible time, reached only with an archive that no machine wrote.
        private static let last: Int64 = 1 << 60 - 1
        /// The stamp of a part that was never decided.
        package static let never = Stamp(time: 0, name: 0)

        package init(time: Int64, name: UInt32) { (self.time, self.name) = (time, name) }

        /// - Parameter newest: The newest time that is known.
        package init(at date: Date?, after newest: Int64) {
            let wall = date.map { min(max(0, $0.timeIntervalSince1970 * 1_000_000), 0x1p59) } ?? 0
            self.init(time: min(max(Int64(wall.rounded()), newest + 1), Self.last), name: .random(in: 1 ... .max))
        }

        /// The time as a date; nil for `never`.
        var date: Date? { self == .never ? nil : Date(timeIntervalSince1970: Double(time) / 1_000_000) }

        package static func < (a: Self, b: Self) -> Bool { (a.time, a.name) < (b.time, b.name) }
    }

    /// The stamps of the parts of a state.
    package struct Stamps: Sendable, Hashable {
        /// The grant, or its end.
        package var grant = Stamp.never
        /// The client, its provider and its credential; older than `grant` after a logout.
        package var client = Stamp.never
        /// The client's registration.
        package var registration = Stamp.never
        /// The tokens, and what came with them.
        package var tokens = Stamp.never
        /// The refresh token.
        package var refreshToken = Stamp.never
        /// The error; one about a token has the time of the tokens that it is about.
        package var error = Stamp.never
        /// The pause of renewals.
        package var pause = Stamp.never
        /// The renewal without an answer.
        package var unconfirmed = Stamp.never
        /// The wish to renew.
        package var wish = Stamp.never

        static let all: [any WritableKeyPath<Stamps, Stamp> & Sendable] = [
            \.grant, \.client, \.registration, \.tokens, \.refreshToken, \.error, \.pause, \.unconfirmed, \.wish,
        ]

        /// The time of the newest one.
        var newest: Int64 { Self.all.reduce(0) { max($0, self[keyPath: $1].time) } }
        /// The time of the newest tokens.
        var newestTokens: Int64 { max(tokens.time, refreshToken.time) }

        /// Moves a grant, and everything decided with it and after it, to just after the newest decision of another
        /// process.
        mutating func lift(above newest: Int64) {
            let begun = grant.time
            guard begun <= newest else { return }
            for path in Self.all where self[keyPath: path].time >= begun {
                let stamp = self[keyPath: path]
                self[keyPath: path].time = Stamp(at: nil, after: stamp.time + newest - begun).time
            }
        }
    }
}

extension AuthState {
    /// The stamps of the parts of a state, in the memory that most states need.
    struct PackedStamps: Sendable, Hashable {
        private let grant, tokens: Stamp
        /// All stamps; nil when they follow from these two, as they do after a login or a renewal that brought a
        /// refresh token.
        private let all: Box<Stamps>?

        init(_ stamps: Stamps) {
            (grant, tokens) = (stamps.grant, stamps.tokens)
            all = stamps == Self.usual(grant, tokens) ? nil : Box(stamps)
        }

        var value: Stamps { all?.value ?? Self.usual(grant, tokens) }

        private static func usual(_ grant: Stamp, _ tokens: Stamp) -> Stamps {
            var stamps = Stamps()
            (stamps.grant, stamps.client) = (grant, grant)
            (stamps.tokens, stamps.refreshToken) = (tokens, tokens)
            return stamps
        }
    }
}

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

extension AuthState.Stamps: Codable {
    private enum CodingKeys: String, CodingKey {
        case grant, client, registration, tokens, refreshToken, error, pause, unconfirmed, wish
    }

    /// Decodes stamps; the stamps of a login are equal and stored once.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func stamp(_ key: CodingKeys, else other: AuthState.Stamp = .never) throws -> AuthState.Stamp {
            try container.decodeIfPresent(AuthState.Stamp.self, forKey: key) ?? other
        }
        self.init()
        grant = try stamp(.grant)
        client = try stamp(.client, else: grant)
        registration = try stamp(.registration)
        tokens = try stamp(.tokens, else: client < grant ? .never : grant)
        refreshToken = try stamp(.refreshToken, else: tokens)
        error = try stamp(.error)
        pause = try stamp(.pause)
        unconfirmed = try stamp(.unconfirmed)
        wish = try stamp(.wish)
        guard client <= grant else {
            throw DecodingError.dataCorruptedError(forKey: .client, in: container, debugDescription: "after its grant")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ stamp: AuthState.Stamp, _ key: CodingKeys, unless other: AuthState.Stamp = .never) throws {
            if stamp != other { try container.encode(stamp, forKey: key) }
        }
        try encode(grant, .grant)
        try encode(client, .client, unless: grant)
        try encode(registration, .registration)
        try encode(tokens, .tokens, unless: client < grant ? .never : grant)
        try encode(refreshToken, .refreshToken, unless: tokens)
        try encode(error, .error)
        try encode(pause, .pause)
        try encode(unconfirmed, .unconfirmed)
        try encode(wish, .wish)
    }
}

extension AuthState.Stamp: Codable {
    /// Decodes 12 bytes in Base64url: the time and the name, big-endian.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)), bytes.count == 12, bytes[0] < 0x10 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no stamp")
        }
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(time: Int64(number(bytes[..<8])), name: UInt32(number(bytes[8...])))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        try container.encode(Base64URL.encode(bytes + (0..<4).map { UInt8(truncatingIfNeeded: name >> (24 - 8 * $0)) }))
    }
}

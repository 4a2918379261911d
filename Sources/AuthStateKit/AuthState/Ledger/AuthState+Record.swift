public import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// Everything that a state remembers, as a value; this is what is archived.
    public struct Record: Sendable, Hashable {
        /// The client and its provider; static secrets are only referred to.
        public var client: Client {
            get { clientBox.value }
            set { clientBox = Box(newValue) }
        }
        /// The last answer of the authorization endpoint; its request's client and key are those of the state.
        public var lastAuthorizationResponse: AuthorizationResponse? {
            get {
                var response = spentAuthorization?.response
                response?.request.client = client
                response?.request.dpopKey = dpopKey
                return response
            }
            set { spentAuthorization = newValue.map(SpentAuthorization.init) }
        }
        /// The last answer of the token endpoint.
        public var lastTokenResponse: TokenResponse?
        /// The proof by which the last ID token was accepted; nil when it came from outside.
        public var idTokenTrust: IDTokenTrust?
        /// The last answer of the registration endpoint.
        public var lastRegistrationResponse: RegistrationResponse? {
            get { registrationBox?.value }
            set {
                (registrationBox, stamps.registration) = (
                    newValue.map(Box.init), newValue == nil ? .never : nextStamp()
                )
            }
        }
        /// The newest refresh token.
        public var refreshToken: String?
        /// The key that the tokens are bound to (RFC 9449); nil for bearer tokens.
        public var dpopKey: DPoPKey? {
            get { rareBox?.value.dpopKey }
            set { rare.dpopKey = newValue }
        }
        /// The granted scope, or the requested one when the provider did not say.
        public var scope: String?
        /// The resources that a login without an authorization request asked for; `lastAuthorizationResponse` has those
        /// of every other login, and `machineGrant` those of a client in its own name.
        public var resources: [String] {
            get { rareBox?.value.resources ?? [] }
            set { rare.resources = newValue }
        }
        /// The granted authorization details (RFC 9396, section 7), as last sent by the provider; nil when it never
        /// sent any.
        public var authorizationDetails: [AuthorizationDetail]? {
            get { rareBox?.value.authorizationDetails }
            set { rare.authorizationDetails = newValue }
        }
        /// The last ID token that was seen; a renewal without one does not remove it.
        public var idToken: String?
        /// The error that the state is in; nil when there is none.
        public var authorizationError: AuthStateError? {
            get { errorBox?.value }
            set { (errorBox, stamps.error) = (newValue.map(Box.init), newValue == nil ? .never : nextStamp()) }
        }
        /// Whether a renewal was asked for.
        public var needsTokenRefresh: Bool {
            get { stamps.wish != .never }
            set { stamps.wish = newValue ? nextStamp() : .never }
        }
        /// The grant that renews a state without a user; nil for the state of a user.
        public var machineGrant: MachineGrant? {
            get { machineGrantBox?.value }
            set { machineGrantBox = newValue.map(Box.init) }
        }
        /// A count of grants: a login, a logout or an update begins a new one, which voids the operations begun before
        /// it.
        public var grantEpoch = 0
        /// The identifier of this grant, different from those of other processes, which count epochs of their own.
        public var grantID = ""
        /// A count of changes.
        public var revision = 0
        /// The time of a renewal whose answer never came: the refresh token may have been spent.
        package var unconfirmedRenewal: Date? {
            get { stamps.unconfirmed.date }
            set { stamps.unconfirmed = newValue.map { Stamp(at: $0, after: stamps.newestTokens) } ?? .never }
        }
        /// The pause in which no renewal is tried; nil when there is none.
        package var renewalPause: RenewalPause? {
            get { pauseBox?.value }
            set { (pauseBox, stamps.pause) = (newValue.map(Box.init), newValue == nil ? .never : nextStamp()) }
        }
        /// Values that the program keeps with the state, for example how it was set up; never for secrets. Three names are
        /// reserved: an `AuthSession` keeps the user's claims under `userinfo`, and a logout removes them; a `ResourceAccess` keeps
        /// the name of its resource under `resource`, and what its login was not granted under `scopes not granted`.
        public var annotations: [String: String] {
            get { rareBox?.value.annotations ?? [:] }
            set { rare.annotations = newValue }
        }
        /// Members of an archive that this version does not know.
        package var unknownMembers: [String: JSONValue] {
            get { rareBox?.value.unknownMembers ?? [:] }
            set { rare.unknownMembers = newValue }
        }
        package var stamps: Stamps {
            get { packedStamps.value }
            set { packedStamps = PackedStamps(newValue) }
        }
        private var packedStamps = PackedStamps(Stamps())

        var spentAuthorization: SpentAuthorization?
        // Large, and the same for many: out of line it takes eight bytes in each state.
        var clientBox: Box<Client>
        /// The parts that few states have; nil when this one has none of them.
        private var rareBox: Box<Rare>?
        private var rare: Rare {
            get { rareBox?.value ?? Rare() }
            set { rareBox = newValue == Rare() ? nil : Box(newValue) }
        }

        /// An empty state of a client.
        public init(_ client: Client) { clientBox = Box(client) }
    }

    /// The parts of a record that few states have; the large ones are out of line.
    private struct Rare: Sendable, Hashable {
        var dpopKey: DPoPKey?
        var resources: [String] = []
        var authorizationDetails: [AuthorizationDetail]?
        var annotations: [String: String] = [:]
        var unknownMembers: [String: JSONValue] = [:]
        var registrationBox: Box<RegistrationResponse>?
        var errorBox: Box<AuthStateError>?
        var pauseBox: Box<RenewalPause>?
        var machineGrantBox: Box<MachineGrant>?
    }

    /// A time in which the provider is not asked again, and the error that caused it.
    package struct RenewalPause: Sendable, Hashable, Codable {
        /// The beginning; nil in archives without one.
        var from: Date?
        var until: Date
        /// The error of the last renewal.
        var error: AuthStateError

        /// The longest time of a pause, in seconds; a damaged archive may have an end far ahead.
        static let longest: Double = 3600

        /// The beginning; a pause without one lasted a minute at most.
        private var start: Date { from ?? until.addingTimeInterval(-60) }
        var end: Date { min(until, start.addingTimeInterval(Self.longest)) }

        /// Returns whether a date is in the pause. A date before its beginning is not: it shows that a clock was set.
        func contains(_ date: Date) -> Bool { start <= date && date < end }
    }
}

extension AuthState.Record {
    var registrationBox: Box<RegistrationResponse>? {
        get { rareBox?.value.registrationBox }
        set { rare.registrationBox = newValue }
    }
    var errorBox: Box<AuthStateError>? {
        get { rareBox?.value.errorBox }
        set { rare.errorBox = newValue }
    }
    var pauseBox: Box<AuthState.RenewalPause>? {
        get { rareBox?.value.pauseBox }
        set { rare.pauseBox = newValue }
    }
    var machineGrantBox: Box<AuthState.MachineGrant>? {
        get { rareBox?.value.machineGrantBox }
        set { rare.machineGrantBox = newValue }
    }

    /// Whether there is no error, and an access, ID or refresh token.
    public var isAuthorized: Bool {
        authorizationError == nil && (lastTokenResponse != nil || idToken != nil || refreshToken != nil)
    }

    /// The access token; nil while in error.
    public var accessToken: String? { authorizationError == nil ? lastTokenResponse?.accessToken : nil }

    /// The time at which the access token expires; nil while in error, or when the provider did not say.
    public var accessTokenExpirationDate: Date? {
        authorizationError == nil ? lastTokenResponse?.accessTokenExpirationDate : nil
    }

    /// The time at which the login ends unless it is renewed before, or at which the user's authorization ends however often it
    /// is renewed, the earlier of both; nil when the provider did not say, or there is nothing to renew with.
    public var loginExpirationDate: Date? {
        // A rotation beside the default tokens brought another refresh token, whose end is not known.
        guard refreshToken != nil, stamps.refreshToken <= stamps.tokens, let response = lastTokenResponse else {
            return nil
        }
        return [response.refreshTokenExpirationDate, response.authorizationExpirationDate].compactMap(\.self).min()
    }
}

extension AuthState.Record: Redacted {
    /// Client and condition, never a token.
    public var description: String {
        "state of \(client.id), \(isAuthorized ? "authorized" : "not authorized"), revision \(revision)"
    }
}

extension AuthState.Record {
    /// Returns the same record, made of those parts of another record that are equal.
    func sharing(_ other: Self) -> Self {
        var record = self
        if clientBox == other.clientBox { record.clientBox = other.clientBox }
        if spentAuthorization == other.spentAuthorization { record.spentAuthorization = other.spentAuthorization }
        if scope == other.scope { record.scope = other.scope }
        // Equal, and imported already.
        if dpopKey == other.dpopKey { record.dpopKey = other.dpopKey }
        return record
    }
}

public import AuthStateKit
import AuthStateResource
import AuthStateStorage

/// The place of one login, and the way to a working state.
public struct Session: Sendable {
    let store: any AuthStateStore
    let key: AuthStateKey
    /// Whether the stored file may be removed even if it is no login.
    let isOwn: Bool
    let console: Console
    /// Receives every step, when `--trace` or `--report` is given.
    private let trace: LoginTrace?
    /// The seal of the login; nil for none.
    let seal: Seal?
    /// Whether the user chose a login that is not sealed.
    let isUnsealedByChoice: Bool
    /// How long single steps may take, so that a step's own error comes before the end of the command's time.
    let stepLimit: Duration

    /// How the seal of the login is treated.
    enum Sealing {
        /// The login is opened as it is stored.
        case existing
        /// A new login is sealed as the stored one, else as the user chooses.
        case new(SealOptions.Choice?)
        /// The login is only removed.
        case unopened
    }

    /// Opens the place.
    init(
        _ options: CommonOptions, timeLimit: Double, console: Console, keys: SealingKeys, trace: LoginTrace?,
        sealing: Sealing
    ) async throws {
        (self.console, self.trace) = (console, trace)
        key = AuthStateKey(rawValue: options.profile)
        let location = try StateLocation(options)
        let file = location.store(key: key) { console.note("authstate: \($0)") }
        isOwn = location.isOwn
        let place: SealedPlace? =
            switch sealing {
            case .existing: try await SealedPlace.existing(file, key, keys)
            case .new(let choice): try await SealedPlace.new(file, key, keys, choice: choice, console: console)
            case .unopened: nil
            }
        store = place?.store ?? file
        seal = place?.seal
        isUnsealedByChoice = place?.isUnsealedByChoice ?? false
        stepLimit = .seconds(timeLimit * 0.9)
    }

    /// Loads the stored login, without the network.
    func load() async throws -> (record: AuthState.Record, version: StoredAuthState.Version) {
        guard let stored = try await store.load(key) else { throw AuthStateError.notLoggedIn }
        let record = try AuthStateArchive(data: stored.archive).record
        guard !record.isForgettable else { throw AuthStateError.notLoggedIn }
        return (record, stored.version)
    }

    /// Whether nothing is stored, or only the end of a login; an unreadable file is not empty.
    func isEmpty() async throws -> Bool {
        guard let stored = try await store.load(key) else { return true }
        return (try? AuthStateArchive(data: stored.archive).record.isForgettable) ?? false
    }

    /// Returns the stored login as a state that follows its store.
    ///
    /// - Parameters:
    ///   - wrap: Watches the requests.
    ///   - origins: Returns the origins that the tokens may go to; nil for all.
    /// - Throws: `AuthStateError` with `.notLoggedIn`, or of kind store.
    public func state(
        transport wrap: (any HTTPTransport) -> any HTTPTransport = { $0 },
        origins: (AuthState.Record) throws -> Set<String>?
    ) async throws -> AuthState {
        let (record, version) = try await load()
        let settings = Settings(annotations: record.annotations)
        var options = options(settings)
        options.allowedOrigins = try origins(record)
        return AuthState(
            record, service: service(settings, transport: wrap), store: store, key: key, storedVersion: version,
            options: options)
    }

    /// Runs a body with the stored state. It then waits for a renewal in progress, whose tokens would otherwise be
    /// lost.
    ///
    /// - Parameters:
    ///   - wrap: Watches the requests.
    ///   - staysAtResource: Whether the tokens of a login for an API go to that API alone.
    func withState<R>(
        transport wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }, staysAtResource: Bool = false,
        _ body: nonisolated(nonsending) (AuthState) async throws -> R
    ) async throws -> R {
        let state = try await state(transport: wrap) { record in
            guard staysAtResource, let resource = record.resource else { return nil }
            return [try ResourceIdentifier(resource).origin]
        }
        let isRegistrationOnly = state.record.isRegistrationOnly
        do {
            let result = try await body(state)
            await finishRenewals(of: state)
            // A file that cannot be removed holds no secret, and is not a login. One of the user's choice has no other room for
            // the server that a client's secret is for.
            if state.record.isForgettable, isOwn || !state.record.belongsToNamedServer {
                try? await Task { try await state.forgetLogout() }.value
            }
            return result
        } catch {
            await finishRenewals(of: state)
            if isRegistrationOnly, (error as? AuthStateError)?.code == .notLoggedIn { throw Self.onlyRegistered }
            throw error
        }
    }

    private static let onlyRegistered = AuthStateError(
        .notLoggedIn, stage: .store, "A client is registered here, but no user is logged in.",
        hint: "Log in with 'authstate login --register'.")

    /// Waits for a renewal whose caller is gone: its answer may hold the only valid refresh token.
    public func finishRenewals(of state: AuthState) async {
        let notice = Task { [console] in
            try await Task.sleep(for: .milliseconds(300))
            console.note("Waiting for the renewal in progress; a second Ctrl-C ends the program at once.")
        }
        // In a task of its own, because this one may have been cancelled; the renewal has deadlines.
        await Task { await state.drain() }.value
        notice.cancel()
        if let error = state.status.storeError {
            console.note("authstate: \(error.message) \(error.hint ?? "") The next command may have to log in again.")
        }
    }

    /// Removes the stored login, readable or not, and the client that registered for it, also when the task has been cancelled.
    ///
    /// A file that the user named stays when it is no login.
    func forget() async throws {
        let (store, key, isOwn, stepLimit) = (store, key, isOwn, stepLimit)
        try await Task {
            let stored = isOwn ? try? await store.load(key) : try await store.load(key)
            if !isOwn, let stored, !stored.isLogin {
                throw AuthStateError(
                    .storeUnreadable, stage: .store, "This is not a login; it was left as it is.",
                    hint: "Choose another file with --state.")
            }
            try await AuthState.remove(from: store, key: key, deadline: stepLimit)
            try await forgetRegistration(at: stored?.issuer)
        }.value
    }

    /// Removes the client that registered for a login for an API, which is kept beside the login.
    func forgetRegistration(at issuer: Issuer?) async throws {
        guard isOwn, let issuer else { return }
        let registration = ResourceAccess.registrationKey(key, at: issuer)
        try await AuthState.remove(from: store, key: registration, deadline: stepLimit)
    }

    /// A service with the settings applied.
    ///
    /// - Parameters:
    ///   - outsideAddresses: Where the documents of a stranger may lead. The user who types an identifier runs the
    ///     command: it reaches only addresses that they can reach themselves.
    ///   - wrap: Watches the requests.
    func service(
        _ settings: Settings, outsideAddresses: AddressPolicy = .any,
        transport wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) -> AuthorizationService {
        var configuration = AuthorizationService.Configuration()
        configuration.allowsInsecureHTTP = settings.allowsInsecureHTTP
        configuration.outsideAddressPolicy = outsideAddresses
        configuration.requestTimeout = min(configuration.requestTimeout, stepLimit)
        configuration.trace = trace
        return AuthorizationService(transport: wrap(settings.transport), configuration: configuration)
    }

    /// A state's options with the settings applied.
    func options(_ settings: Settings) -> AuthState.Options {
        var options = AuthState.Options()
        options.renewalDeadline = min(options.renewalDeadline, stepLimit)
        options.leaseDeadline = min(options.leaseDeadline, stepLimit)
        if let leeway = settings.leeway { options.leeway = .seconds(leeway) }
        return options
    }
}

extension AuthStateError {
    /// There is no login at the place.
    static let notLoggedIn = AuthStateError(.notLoggedIn, stage: .store, "No user is logged in.")
}

extension StoredAuthState {
    /// Whether these are the bytes of a login, sealed or not.
    fileprivate var isLogin: Bool {
        AuthStateArchive.isArchive(archive) || SealedAuthStateStore.sealingKeyID(of: archive) != nil
    }

    /// The server of a login that can be read.
    fileprivate var issuer: Issuer? { try? AuthStateArchive(data: archive).record.client.provider.issuer }
}

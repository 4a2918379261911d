import AuthStateKit
import AuthStateResource
import MCPClient

/// Sends requests to the server with the login, and has another process log in where the server asks for it: once for all
/// requests that wait.
actor BridgeLink {
    /// Opens the access; again after a login, which may be sealed otherwise than what was there before.
    typealias Opening = @Sendable () async throws -> (Session, ResourceAccess)

    /// When a login may be made for a request.
    enum Login: Sendable {
        case always, never
        /// Not where the server refuses the token: it may be the session that it refuses.
        case unlessRefused
    }

    /// Takes the error of the calls that wait for a user who confirms the login on another device.
    typealias Telling = @Sendable (AuthStateError) -> Void

    private let opening: Opening
    private let logIn: @Sendable (AuthStateError, @escaping Telling) async throws -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private var opened: (session: Session, access: ResourceAccess)?
    private let waiters = Waiters<Int, Void>()
    private var lastWaiter = 0
    /// The lack that the login in progress, or the last one, is for.
    private var running = ""
    /// The lacks that a login has not changed, until the server accepts a request.
    private var inVain: Set<String> = []
    /// The last login that failed: an agent that repeats its call shows no page for a while.
    private var failed: (lack: String, error: any Error, end: ContinuousClock.Instant, isUntold: Bool)?

    /// The lack of the last login that no call waited for, until the server accepts a request.
    private var unproven: (lack: String, end: ContinuousClock.Instant)?
    /// The time for which a refusal after such a login is taken for one of its token.
    private static let trial: Duration = .seconds(300)

    /// The time without a page after a failed login.
    private static let pause: Duration = .seconds(30)
    /// Whether a login is in progress.
    private(set) var isLoggingIn = false
    /// The number of logins.
    private var logins = 0
    /// How a user confirms the login in progress on another device: calls fail with it, as no host shows a code to a user who
    /// waits for an answer.
    private var prompt: AuthStateError?
    /// Whether calls wait for a login.
    var holdsCalls: Bool { isLoggingIn && prompt == nil }

    /// - Parameters:
    ///   - opening: Opens the access.
    ///   - now: The time.
    ///   - logIn: Logs in elsewhere.
    init(
        _ opening: @escaping Opening, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        logIn: @escaping @Sendable (AuthStateError, @escaping Telling) async throws -> Void = {
            try await BridgeLogin.run(because: $0, tell: $1)
        }
    ) {
        (self.opening, self.now, self.logIn) = (opening, now, logIn)
    }

    /// Sends a request, and returns its answer when the head has come.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - operation: What it does, for the bound of logins for more rights.
    ///   - login: When a login may be made for it.
    ///   - onLogin: Called when the request begins to wait for a login.
    /// - Throws: `AuthStateError`, `CancellationError`.
    func stream(
        _ request: TransportRequest, operation: String, login: Login = .always, onLogin: @Sendable () -> Void = {}
    ) async throws -> StreamedResponse {
        var mended: Set<String> = []
        var hasOpenedAgain = false
        while true {
            let access = try await access()
            do {
                let response = try await access.stream(request, operation: operation)
                // One that may lead to no login is no proof: it may be the one that opens a session for a call that is refused.
                if login != .never { (inVain, unproven) = ([], nil) }
                failed?.isUntold = false
                return response
            } catch let error as AuthStateError {
                let mayLogIn = login == .always || login == .unlessRefused && !error.isRefusal
                if error.code == .notLoggedIn, mayLogIn {
                    if opened?.access !== access, !isLoggingIn { continue }
                    let lack = error.lack
                    let isUnproven =
                        unproven.map { $0.lack == lack && now() - $0.end < Self.trial } ?? false
                    if mended.contains(lack) || inVain.contains(lack) || isUnproven {
                        inVain.insert(lack)
                        throw Self.refused(error)
                    }
                    if let failed, failed.lack == lack, failed.isUntold || now() - failed.end < Self.pause {
                        self.failed?.isUntold = false
                        throw failed.error
                    }
                    if !isLoggingIn {
                        running = lack
                        begin(because: error)
                    }
                    if let prompt { throw prompt }
                    // Another lack than that of the login in progress needs one of its own.
                    if running == lack { mended.insert(lack) }
                    lastWaiter += 1
                    try await waiters.value(for: lastWaiter, after: onLogin)
                } else if error.kind == .store, !hasOpenedAgain {
                    // The login of another bridge may be sealed.
                    (hasOpenedAgain, opened) = (true, nil)
                } else {
                    throw error
                }
            }
        }
    }

    /// The error of a server that refuses the token of a new login.
    private static func refused(_ error: AuthStateError) -> AuthStateError {
        var refused = AuthStateError(
            .tokenRejected, stage: .resource, "The server does not accept the new login.",
            received: error.challenge?.error,
            hint: "Ask the operator of the server, then log in by hand with 'authstate login'.",
            response: error.response, httpStatus: error.httpStatus)
        refused.challenge = error.challenge
        return refused
    }

    private func begin(because reason: AuthStateError) {
        isLoggingIn = true
        logins += 1
        let login = logins
        Task {
            let result: Result<Void, any Error>
            failed = nil
            do {
                let told: Telling = { error in Task { await self.prompt(with: error, in: login) } }
                result = .success(try await logIn(reason, told))
            } catch {
                result = .failure(error)
                // A decision of the user's, not a lack of this machine; and any end of a login that no call waits for: the next
                // one is told of it.
                let isUntold = prompt != nil
                if isUntold || (error as? AuthStateError)?.code == .accessDenied {
                    failed = (running, error, now(), isUntold)
                }
            }
            // The calls that the login was for have failed: none is left to see that the server does not accept it.
            if case .success = result, prompt != nil { unproven = (running, now()) }
            (isLoggingIn, opened, prompt) = (false, nil, nil)
            waiters.resumeAll(with: result)
        }
    }

    private func prompt(with error: AuthStateError, in login: Int) {
        // The login may have ended before.
        guard isLoggingIn, login == logins else { return }
        prompt = error
        waiters.resumeAll(with: .failure(error))
    }

    private func access() async throws -> ResourceAccess {
        if let opened { return opened.access }
        let found = try await opening()
        // Another request may have opened it meanwhile.
        if let opened { return opened.access }
        opened = found
        return found.1
    }

    /// Returns a server's text without the token, which it may repeat: neither the host nor an agent is to see it.
    func hiding(_ text: String) async -> String { await opened?.access.hidingToken(in: text) ?? text }

    /// Waits for a renewal in progress, whose tokens would otherwise be lost.
    func finish() async {
        guard let opened else { return }
        try? await opened.session.withAccess(opened.access) { _ in }
    }
}

extension AuthStateError {
    /// Whether the server has refused a token, and not asked for more rights or a stronger login.
    var isRefusal: Bool {
        httpStatus == 401 && lack == "token" && (code == .tokenRejected || code == .notLoggedIn && grantID != nil)
    }

    /// The lack that leads to a login: too few rights, too weak a login, or no token that is accepted.
    fileprivate var lack: String {
        switch challenge?.error {
        case "insufficient_scope"?: "scope \(challenge?.scope ?? "")"
        case "insufficient_user_authentication"?: "strength"
        default: "token"
        }
    }
}

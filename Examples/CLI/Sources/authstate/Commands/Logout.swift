import ArgumentParser
import AuthStateKit

/// Ends the login: at the provider as far as it lets us, here in any case.
struct Logout: Command {
    static let configuration = CommandConfiguration(
        abstract: "Revoke the tokens, end the provider's session, and forget the login.")
    static let stage = AuthStateError.Stage.logout
    static let timeLimit = 300.0

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp(
            "Where the browser comes back to; port 0 means any free port. Default: that of the login.",
            valueName: "uri"))
    var postLogoutRedirectURI: String?

    @OptionGroup
    var browser: BrowserOptions

    @Flag(help: "Only forget the login here; the provider is not told.")
    var local = false

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        guard let postLogoutRedirectURI else { return }
        do { _ = try RedirectURI(postLogoutRedirectURI) } catch let error as AuthStateError {
            throw ValidationError("--post-logout-redirect-uri: \(error.message)")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try context.session()
        var outcome = Outcome()
        if local {
            if try await session.isEmpty() { throw AuthStateError.notLoggedIn }
        } else {
            do {
                try await session.withState { outcome = await endAtProvider($0, context) }
            } catch let error as AuthStateError where error.code != .notLoggedIn {
                outcome.failures.append(error)
            }
        }
        do { try await session.forget() } catch {
            for failure in outcome.failures { context.console.note("authstate: \(failure.advised(for: common))") }
            throw error
        }
        if Task.isCancelled {
            context.console.note(Outcome.localPart)
            throw CancellationError()
        }
        return outcome.report(common)
    }

    /// Tries everything that the provider offers; one failure does not stop the next step.
    private func endAtProvider(_ state: AuthState, _ context: Context) async -> Outcome {
        let record = state.snapshot
        var outcome = Outcome()
        if record.configuration.revocationEndpoint != nil {
            outcome.isRevoked = await outcome.attempt {
                for request in revocations(record) {
                    try await state.service.revoke(request, credential: record.credential)
                }
            }
        } else {
            context.console.note("The provider offers no revocation: the tokens count until they end.")
        }
        if record.configuration.endSessionEndpoint != nil, record.clientCredentials == nil {
            guard let browser = try? browser.browser(for: .logout) else {
                context.console.note(
                    "There is no browser here: the session at the provider stays open until it ends there.")
                return outcome
            }
            context.console.note("Opening the provider's page to log out; --local does without it.")
            outcome.isSessionEnded = await outcome.attempt {
                try await state.service.endSession(
                    endSession(record), presenting: context.userAgent(browser, for: .logout))
            }
        }
        return outcome
    }

    /// The refresh token first: with it most providers end the whole grant.
    private func revocations(_ record: AuthState.Record) -> [RevocationRequest] {
        let tokens: [(String?, TokenTypeHint)] = [
            (record.refreshToken, .refreshToken), (record.lastTokenResponse?.accessToken, .accessToken),
        ]
        return tokens.compactMap { token, hint in
            token.map {
                RevocationRequest(
                    configuration: record.configuration, clientID: record.clientID, token: $0, tokenTypeHint: hint)
            }
        }
    }

    private func endSession(_ record: AuthState.Record) throws -> EndSessionRequest {
        let uri = postLogoutRedirectURI ?? Settings(annotations: record.annotations).redirectURI
        return EndSessionRequest(
            configuration: record.configuration, idTokenHint: record.idToken, clientID: record.clientID,
            postLogoutRedirectURI: try uri.map(RedirectURI.init))
    }
}

extension Logout {
    /// What became of the parts of a logout.
    struct Outcome {
        var isRevoked = false
        var isSessionEnded = false
        var failures: [AuthStateError] = []

        static let localPart = "The local login is gone all the same."

        /// Runs one part and tells whether it succeeded.
        mutating func attempt(_ part: nonisolated(nonsending) () async throws -> Void) async -> Bool {
            do {
                try await part()
                return true
            } catch {
                failures.append(AuthStateError(ending: error, stage: .logout))
                return false
            }
        }

        /// The local part is done by now; the first failure decides how the program ends.
        func report(_ common: CommonOptions) -> Report {
            let members: [String: JSONValue?] = [
                "logged_out": true, "revoked": .bool(isRevoked), "session_ended": .bool(isSessionEnded),
                "error": failures.first?.advised(for: common).json,
            ]
            let notes = failures.map { "authstate: \($0.advised(for: common))" }
            let end = failures.isEmpty ? "Logged out." : Self.localPart
            return Report(
                json: JSONValue(known: members), note: (notes + [end]).joined(separator: "\n"),
                status: failures.first.map { ExitReason($0.kind) } ?? .done)
        }
    }
}

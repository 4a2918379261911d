import ArgumentParser
import AuthStateKit

/// Ends the login: at the provider as far as it allows, here in any case.
struct Logout: Command {
    static let configuration = CommandConfiguration(
        commandName: "logout", _superCommandName: "authstate",
        abstract: "Revoke the tokens, end the provider's session, and forget the login.")
    static let stage = AuthStateError.Stage.logout
    static let timeLimit = 300.0

    var timeLimitHint: String? {
        "See with 'authstate status' whether the login is kept here; the session at the provider ends on its own page."
    }

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp(
            "Where the browser comes back to; port 0 means any free port. Default: that of the login.",
            valueName: "uri"))
    var postLogoutRedirectURI: String?

    @OptionGroup
    var browser: BrowserOptions

    @Flag(help: "Only forget what is kept here, a registration too; the provider is not told.")
    var local = false

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if local, let option = firstGiven { throw ValidationError("--local goes without \(option).") }
        if let postLogoutRedirectURI { try RedirectURI.check(postLogoutRedirectURI, of: "--post-logout-redirect-uri") }
    }

    private var firstGiven: String? {
        postLogoutRedirectURI != nil
            ? "--post-logout-redirect-uri" : browser.browserCommand != nil ? "--browser-command" : nil
    }

    func perform(_ context: Context) async throws -> Report {
        let session = try await context.session(local ? .unopened : .existing)
        guard !local else {
            if try await session.isEmpty() { return LogoutSummary().report(common, note: Self.nothingToDo) }
            try await session.forget()
            return LogoutSummary().report(common)
        }
        do {
            let (outcome, isRegistered) = try await session.withState { state in
                let record = state.record
                if record.isRegistrationOnly { throw AuthStateError.notLoggedIn }
                return (await logOut(state, context), record.lastRegistrationResponse != nil)
            }
            var summary = LogoutSummary(outcome)
            if isRegistered, summary.failures.contains(where: \.deniesClient) {
                try await session.forget()
                summary.noteForgottenClient()
            }
            guard Task.isCancelled else { return summary.report(common) }
            context.console.note(LogoutSummary.localPart)
            throw CancellationError()
        } catch AuthStateError.Code.notLoggedIn {
            return LogoutSummary().report(common, note: Self.nothingToDo)
        } catch let error as AuthStateError {
            return try await forget(session, after: error, context)
        }
    }

    /// A second logout is no error: what it is to bring about is so already.
    private static let nothingToDo = "No user was logged in."

    private func logOut(_ state: AuthState, _ context: Context) async -> LogoutOutcome {
        let record = state.record
        if record.client.provider.revocationEndpoint == nil {
            context.console.note("The provider offers no revocation: the tokens stay valid until they expire.")
        }
        guard record.client.provider.endSessionEndpoint != nil, record.machineGrant == nil else {
            if record.machineGrant == nil, record.idToken != nil {
                context.console.note("The provider offers no logout: its session in the browser stays open.")
            }
            return await state.logOut(.revoking)
        }
        guard let browser = try? browser.browser(for: .logout) else {
            context.console.note(
                "There is no browser here: the session at the provider stays open until it ends there.")
            return await state.logOut(.revoking)
        }
        context.console.note("Opening the provider's page to log out; --local does without it.")
        let uri = postLogoutRedirectURI ?? Settings(annotations: record.annotations).redirectURI
        return await state.logOut(
            .everywhere(
                context.userAgent(browser, for: .logout), postLogoutRedirectURI: uri.flatMap { try? RedirectURI($0) }))
    }

    /// A login that cannot be read cannot be ended at the provider; here it can.
    private func forget(_ session: Session, after failure: AuthStateError, _ context: Context) async throws -> Report {
        do { try await session.forget() } catch {
            context.console.note("authstate: \(failure.advised(for: common))")
            throw error
        }
        return LogoutSummary(failures: [failure]).report(common)
    }
}

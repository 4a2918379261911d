import AuthStateKit
import Hummingbird
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The session of a user who is signed in with this browser.
struct Session: Sendable {
    /// The secret that only the browser has.
    let secret: BrowserSecret
    /// The provider's grant.
    let state: AuthState

    /// The user's name for a greeting, from the ID token, without asking the provider; nil when it has no name.
    var name: String? {
        let claims = state.snapshot.idToken.flatMap { try? IDToken(parsing: $0) }?.claims
        return ["name", "preferred_username", "email"].compactMap { claims?[$0]?.stringValue }.first
    }
}

/// The sessions of the browsers: each one is an `AuthState`, stored under the hash of the browser's cookie.
struct Sessions: Sendable {
    let provider: Provider
    let pool: AuthStatePool
    let logger: Logger

    /// How long a session lasts, used or not, in seconds.
    static let lifetime: Double = 12 * 3600
    private static let end = "session-ends"

    /// The session that a request's cookie names; nil without one, or when it has expired.
    func session(of request: Request) async throws -> Session? {
        guard let secret = BrowserCookie.session.secret(in: request), let state = try await state(of: secret) else {
            return nil
        }
        let end = state.snapshot.annotations[Self.end].flatMap(Double.init) ?? 0
        guard now < end else {
            await drop(state)
            return nil
        }
        return Session(secret: secret, state: state)
    }

    /// The session that a new login replaces. An unreadable one, say because its sealing key is lost, must not prevent
    /// a sign-in.
    func formerSession(of request: Request) async -> Session? {
        do { return try await session(of: request) } catch {
            logger.warning("the session of before cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Ends an expired or replaced session: removes it and revokes its tokens at the provider.
    private func drop(_ state: AuthState) async {
        for failure in await state.logOut(with: nil).failures {
            logger.warning("a session could not be ended as a whole", metadata: ["error": "\(failure)"])
        }
        await removeEnd(of: state)
    }

    /// Removes the ended session's state, so that no later session has its name. A state that cannot be removed now is
    /// swept later.
    private func removeEnd(of state: AuthState) async { try? await state.removeEnd() }

    /// Ends the abandoned sessions: expired ones whose browsers did not come back.
    ///
    /// A state is saved at its login, so one that was last saved longer ago than a session lasts belongs to no session.
    func sweep() async {
        do {
            let outcome = try await pool.sweep(olderThan: .seconds(Self.lifetime))
            logger.info(
                "swept sessions", metadata: ["deleted": "\(outcome.deleted)", "failures": "\(outcome.failures)"])
        } catch is CancellationError {} catch {
            logger.warning("sessions could not be swept", metadata: ["error": "\(error)"])
        }
    }

    /// Completes a login under a new secret: an attacker's secret in the browser becomes worthless.
    ///
    /// - Parameter old: The browser's former session, which ends.
    func begin(
        _ pending: PendingAuthorization, callback: AuthorizationCallback, replacing old: Session?
    ) async throws -> Session {
        let secret = try BrowserSecret()
        let state = try await pool.logIn(
            .code(pending, callback), for: AuthStateKey(secret), annotations: [Self.end: "\(Int(now + Self.lifetime))"])
        if let old { await drop(old.state) }
        return Session(secret: secret, state: state)
    }

    /// Ends a session here permanently, and at the provider as far as it allows.
    ///
    /// - Returns: The logout to send the browser to, so that the provider's own session ends too; nil when the provider
    ///   has no page for it.
    /// - Throws: `AuthStateError` of kind store when the session may continue: it is still stored, and its tokens are
    ///   still valid.
    func end(_ session: Session) async throws -> PendingLogout? {
        let outcome = await session.state.logOut(
            postLogoutRedirectURI: try RedirectURI(provider.baseURL(Provider.logoutPath)))
        // The sign-out succeeds even when the provider fails: its tokens expire by themselves. A state that is still
        // stored is useless once they are revoked, and is removed as soon as the store allows.
        for failure in outcome.failures {
            logger.warning("signed out, but not everything is done", metadata: ["error": "\(failure)"])
        }
        if case .failed(let failure) = outcome.removal, outcome.revocation != .done { throw failure }
        await removeEnd(of: session.state)
        logger.info("signed out", metadata: ["revoked": "\(outcome.revocation == .done)"])
        return outcome.pending
    }
}

extension Sessions {
    private func state(of secret: BrowserSecret) async throws -> AuthState? {
        do { return try await pool.state(for: AuthStateKey(secret)) } catch let error as AuthStateError
            where error.code == .notLoggedIn
        { return nil }
    }

    private var now: Double { provider.service.configuration.clock.now.timeIntervalSince1970 }
}

extension AuthStateKey {
    /// The key that a session is stored under.
    init(_ secret: BrowserSecret) { self.init(rawValue: "session-\(secret.hash)") }
}

import AuthStateKit
import Hummingbird
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Somebody who is signed in with this browser.
struct Session: Sendable {
    /// What only the browser has.
    let secret: BrowserSecret
    /// What the provider granted.
    let state: AuthState

    /// Who it is, for a greeting: what the ID token says, without asking the provider; nil when it has no name.
    var name: String? {
        let claims = state.snapshot.idToken.flatMap { try? IDToken(parsing: $0) }?.claims
        return ["name", "preferred_username", "email"].compactMap { claims?[$0]?.stringValue }.first
    }
}

/// Who is signed in with which browser: each session is an `AuthState`, stored under the hash of the browser's cookie.
struct Sessions: Sendable {
    let provider: Provider
    let pool: AuthStatePool
    let logger: Logger

    /// How long a session lasts, used or not, in seconds.
    static let lifetime: Double = 12 * 3600
    private static let end = "session-ends"

    /// The session that a request's cookie names; nil without one, or when it is over.
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

    /// The session that a new login takes the place of. One that cannot be read any more, say for want of its sealing key,
    /// must not keep anybody from signing in.
    func formerSession(of request: Request) async -> Session? {
        do { return try await session(of: request) } catch {
            logger.warning("the session of before cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Ends a session that is over or replaced: forgets it and has the provider take its tokens back.
    private func drop(_ state: AuthState) async {
        for failure in await state.logOut(with: nil).failures {
            logger.warning("a session could not be ended as a whole", metadata: ["error": "\(failure)"])
        }
        await removeEnd(of: state)
    }

    /// Leaves nothing in the store: no later session has the name of this one. What cannot be removed now is swept.
    private func removeEnd(of state: AuthState) async { try? await state.removeEnd() }

    /// Ends the sessions that were abandoned: over, and their browsers never came back.
    ///
    /// A state is saved at its login, so one that was saved longer ago than a session lasts belongs to none.
    func sweep() async {
        do {
            let outcome = try await pool.sweep(olderThan: .seconds(Self.lifetime))
            logger.info(
                "swept sessions", metadata: ["deleted": "\(outcome.deleted)", "failures": "\(outcome.failures)"])
        } catch is CancellationError {} catch {
            logger.warning("sessions could not be swept", metadata: ["error": "\(error)"])
        }
    }

    /// Completes a login under a new secret: one that was planted in the browser before is worth nothing.
    ///
    /// - Parameter old: The browser's session so far; it does not go on beside the new one.
    func begin(
        _ pending: PendingAuthorization, callback: AuthorizationCallback, replacing old: Session?
    ) async throws -> Session {
        let secret = try BrowserSecret()
        let state = try await pool.complete(
            pending, callback: callback, for: AuthStateKey(secret),
            annotations: [Self.end: "\(Int(now + Self.lifetime))"])
        if let old { await drop(old.state) }
        return Session(secret: secret, state: state)
    }

    /// Ends a session here for good, and at the provider as far as it lets us.
    ///
    /// - Returns: Where the browser has to go so that the provider's own session ends too; nil when there is no such
    ///   page.
    /// - Throws: `AuthStateError` of kind store when it may not be over: it is stored, and its tokens count.
    func end(_ session: Session) async throws -> PendingLogout? {
        let outcome = await session.state.logOut(
            postLogoutRedirectURI: try RedirectURI(provider.baseURL(Provider.logoutPath)))
        // The person wants to leave, whatever the provider says: its tokens end by themselves. What is still stored opens
        // nothing when they do not count, and is removed as soon as the store lets us.
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
    /// Where a session is stored.
    init(_ secret: BrowserSecret) { self.init(rawValue: "session-\(secret.hash)") }
}

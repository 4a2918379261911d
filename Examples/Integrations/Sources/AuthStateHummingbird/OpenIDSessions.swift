import AuthStateJOSE
import AuthStateKit
public import AuthStateServer
import HTTPTypes
public import Hummingbird
public import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs the users of a site in with OpenID Connect: `router.addOpenID(sessions)` adds the routes, `session(of:)` tells who asks.
///
/// A session is an `AuthState` of the pool, stored under the hash of the browser's cookie. A login in progress travels sealed in
/// the browser's cookie, so that no server has to remember it. With an `IndexedAuthStateStore` under the pool the provider can
/// end sessions too.
///
/// A state is saved at its login, so that one which was last saved longer ago than a session lasts belongs to no session: sweep
/// the pool once an hour with that age.
///
/// ```swift
/// let sessions = try OpenIDSessions(
///     OpenIDConfiguration(issuer: "https://op.example", clientID: "site", baseURL: baseURL), pool: pool, logger: logger)
/// router.addOpenID(sessions)
/// router.get("hello") { request, _ in
///     guard let session = try await sessions.session(of: request) else { throw OpenIDRefusal.notSignedIn }
///     return try await session.state.withFreshToken { tokens in try await greeting(tokens.accessToken) }
/// }
/// ```
public struct OpenIDSessions: Sendable {
    /// How the users are signed in.
    public let configuration: OpenIDConfiguration
    /// The states of the sessions.
    public let pool: AuthStatePool
    let seal: CookieSeal
    let logger: Logger

    private static let end = "session-ends"

    /// Makes the sessions of a site.
    ///
    /// - Parameters:
    ///   - configuration: How the users are signed in.
    ///   - pool: The states of the sessions, and the service that talks to the provider.
    ///   - logger: Receives what no request's logger can.
    /// - Throws: `JOSEError` when there is no cryptographic library.
    public init(_ configuration: OpenIDConfiguration, pool: AuthStatePool, logger: Logger) throws {
        self.configuration = configuration
        self.pool = pool
        self.logger = logger
        seal = try CookieSeal(configuration.sealingKeys)
    }

    /// Returns the session that a request's cookie names; nil without one, when it has expired, and when its stored state is
    /// damaged.
    ///
    /// A damaged state does not become readable again, so the user signs in anew, which removes it. Its error is logged.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the session cannot be read at the moment, or its sealing key is missing.
    public func session(of request: Request) async throws -> OpenIDSession? {
        guard let secret = BrowserCookie.session.secret(in: request) else { return nil }
        let found: AuthState?
        do { found = try await state(of: secret) } catch let error as AuthStateError where error.code == .storeCorrupt {
            logger.error("the state of a session is damaged", metadata: ["error": "\(error)"])
            return nil
        }
        guard let state = found else { return nil }
        let end = state.record.annotations[Self.end].flatMap(Double.init) ?? 0
        guard now.timeIntervalSince1970 < end else {
            await drop(state)
            return nil
        }
        return OpenIDSession(secret: secret, state: state)
    }

    /// The session that a new login replaces.
    enum Former {
        case session(OpenIDSession)
        /// A session whose stored state is damaged.
        case damaged(AuthStateKey)
    }

    /// Returns the session that a new login replaces. An unreadable one, say because its sealing key is lost, must not prevent
    /// a sign-in.
    func formerSession(of request: Request) async -> Former? {
        guard let secret = BrowserCookie.session.secret(in: request) else { return nil }
        do {
            _ = try await state(of: secret)
            return try await session(of: request).map(Former.session)
        } catch AuthStateError.Code.storeCorrupt {
            return .damaged(AuthStateKey(secret))
        } catch {
            logger.warning("the session of before cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Completes a login under a new secret: an attacker's secret in the browser becomes worthless.
    ///
    /// - Parameter old: The browser's former session, which ends.
    func begin(
        _ pending: PendingAuthorization, callback: AuthorizationCallback, replacing old: Former?
    ) async throws -> OpenIDSession {
        let secret = try BrowserSecret()
        let end = now.timeIntervalSince1970 + configuration.sessionLifetime / .seconds(1)
        let state = try await pool.logIn(
            .callback(callback, of: pending), for: AuthStateKey(secret), annotations: [Self.end: "\(Int(end))"])
        switch old {
        case .session(let old): await replace(old.state, by: state)
        case .damaged(let key): await removeDamaged(key)
        case nil: break
        }
        return OpenIDSession(secret: secret, state: state)
    }

    /// Ends a session here permanently, and at the provider as far as it allows.
    ///
    /// - Returns: The logout to send the browser to, so that the provider's own session ends too; nil when the provider
    ///   has no page for it.
    /// - Throws: `AuthStateError` of kind store when the session may continue: it is still stored, and its tokens are
    ///   still valid.
    func end(_ session: OpenIDSession) async throws -> PendingLogout? {
        let outcome = await session.state.logOut(
            .everywhere(postLogoutRedirectURI: try RedirectURI(configuration.logoutURL)))
        // The sign-out succeeds even when the provider fails: its tokens expire by themselves. A state that is still
        // stored is useless once they are revoked, and is removed as soon as the store allows.
        for failure in outcome.failures {
            logger.warning("signed out, but not everything is done", metadata: ["error": "\(failure)"])
        }
        if case .failed(let failure) = outcome.removal, outcome.revocation != .done { throw failure }
        await forgetLogout(of: session.state)
        logger.info("signed out", metadata: ["revoked": "\(outcome.revocation == .done)"])
        return outcome.pending
    }

    /// Ends a replaced session. Within one session of the provider's a revocation of the old tokens may end the new ones too (RFC
    /// 7009, section 2.1): the old ones then end with the provider's session.
    private func replace(_ old: AuthState, by new: AuthState) async {
        func session(_ state: AuthState) -> [[UInt8]?]? {
            let token = state.record.idToken.flatMap { try? IDToken(parsing: $0) }
            return token?.sessionID.map { [token?.issuer, token?.subject, $0].map { $0.map { Array($0.utf8) } } }
        }
        guard let ours = session(new), ours == session(old) else { return await drop(old) }
        _ = await old.logOut(.local)
        await forgetLogout(of: old)
    }

    /// Ends an expired or replaced session: removes it and revokes its tokens at the provider.
    private func drop(_ state: AuthState) async {
        for failure in await state.logOut(.revoking).failures {
            logger.warning("a session could not be ended as a whole", metadata: ["error": "\(failure)"])
        }
        await forgetLogout(of: state)
    }

    /// Removes a damaged state: its tokens cannot be read, and are not revoked.
    private func removeDamaged(_ key: AuthStateKey) async {
        do {
            let outcome = try await pool.logOut(key, .local)
            if case .failed(let error) = outcome.removal { throw error }
        } catch {
            logger.warning("a damaged state could not be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the ended session's state, so that no later session has its name. A state that cannot be removed now is
    /// swept later.
    private func forgetLogout(of state: AuthState) async { try? await state.forgetLogout() }

    private func state(of secret: BrowserSecret) async throws -> AuthState? {
        do { return try await pool.state(for: AuthStateKey(secret)) } catch AuthStateError.Code.notLoggedIn {
            return nil
        }
    }

    /// Whether the pool's store can tell which sessions a logout token ends.
    var canBeEndedByProvider: Bool { pool.store is IndexedAuthStateStore }

    /// Whether a form was sent by a page of this site.
    func isOurOrigin(_ request: Request) -> Bool { request.headers[.origin] == configuration.baseURL.origin }

    var now: Date { pool.service.configuration.clock.now }
}

extension AuthStateKey {
    /// The key that a session is stored under.
    init(_ secret: BrowserSecret) { self.init(rawValue: "session-\(secret.hash)") }
}

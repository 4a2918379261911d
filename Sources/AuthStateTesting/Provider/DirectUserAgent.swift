import AuthStateFoundation
public import AuthStateKit
public import AuthStateOAuth
import AuthStateTransport
import AuthStateUserAgent

/// A user agent without a browser: follows the provider's redirects by HTTP until one leads back to the client.
///
/// With an `OpenIDProvider` that logs in by itself, `AuthState.logIn` needs nothing else; nothing listens at the
/// redirect URI. Answers by query, by fragment and by form post arrive alike. Given a name and password it also fills in
/// the provider's login page.
public struct DirectUserAgent: ExternalUserAgent {
    /// How the answer travels back; a change to a signed one (JARM) is always noticed.
    public enum Behavior: Sendable {
        /// It arrives as the provider sent it.
        case faithful
        /// The user refuses: `access_denied` arrives instead of a code.
        case denying
        /// `state` is another one.
        case changingState
        /// The browser never comes back; cancel the task, or let the deadline pass.
        case neverReturning
        /// Anything else.
        case editing(@Sendable (inout Parameters) -> Void)
    }

    fileprivate let behavior: Behavior
    fileprivate let credentials: (name: String, password: String)?
    fileprivate let transport: any HTTPTransport

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - behavior: How the answer travels back.
    ///   - login: Name and password for a provider that shows its login page.
    ///   - transport: How it reaches the provider.
    public init(
        _ behavior: Behavior = .faithful, login: (name: String, password: String)? = nil,
        transport: any HTTPTransport = SystemTransport.shared
    ) {
        self.behavior = behavior
        credentials = login
        self.transport = transport
    }

    /// Follows a login that the program began, as the user's browser does, and returns the answer.
    ///
    /// ```swift
    /// let pending = try await pool.beginLogin(redirectURI: redirectURI)
    /// try await pool.completeLogin(pending, callback: DirectUserAgent().visit(pending), for: "session-1")
    /// ```
    ///
    /// - Throws: `AuthStateError` with `.browserUnavailable` when the provider shows a page instead.
    public func visit(_ pending: PendingAuthorization) async throws -> AuthorizationCallback {
        try await session(pending.request.redirectURI, .login).present(pending.url)
    }

    /// Chooses `http://127.0.0.1:49152/callback` when the caller names no redirect URI, and port 49152 for port 0.
    public func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        try session(redirectURI, purpose)
    }

    private func session(_ redirectURI: RedirectURI?, _ purpose: UserAgentPurpose) throws -> DirectUserAgentSession {
        let asked = try redirectURI ?? RedirectURI("http://127.0.0.1:0/callback")
        return DirectUserAgentSession(
            agent: self, redirectURI: asked.port == 0 ? asked.withPort(49152) : asked, purpose: purpose)
    }
}

/// One trip without a browser.
struct DirectUserAgentSession: ExternalUserAgentSession {
    let agent: DirectUserAgent
    let redirectURI: RedirectURI
    let purpose: UserAgentPurpose

    func present(_ url: URL) async throws -> AuthorizationCallback {
        if case .neverReturning = agent.behavior { try await ScriptedTransport.Gate().pass() }
        var request = TransportRequest(url: url)
        for _ in 0..<10 {
            let response = try await agent.transport.send(request)
            if let location = response.headers["Location"], (300..<400).contains(response.status) {
                if redirectURI.matches(location) { return AuthorizationCallback(url: edited(location)) }
                request = TransportRequest(url: try target(location, from: request.url))
            } else if response.status == 200, let form = FormPostPage(String(decoding: response.body, as: UTF8.self)),
                redirectURI.matches(form.action)
            {
                return AuthorizationCallback(url: form.action, formBody: edited(form.parameters).encoded)
            } else if response.status == 200, let credentials = agent.credentials, request.body == nil {
                request = form(for: request.url, credentials)
            } else {
                throw failure("The provider showed a page (status \(response.status)).", page: response)
            }
        }
        throw failure("The provider redirects in circles.")
    }

    func finish(_ outcome: UserAgentOutcome) async {}

    private func target(_ location: String, from url: URL) throws -> URL {
        guard let next = URL(string: location, relativeTo: url)?.absoluteURL, next.scheme?.hasPrefix("http") == true
        else { throw failure("The provider redirects to something that is not the redirect URI.") }
        return next
    }

    /// The login page's form: the request's own parameters, name and password.
    private func form(for url: URL, _ credentials: (name: String, password: String)) -> TransportRequest {
        let parts = URIReference(url.absoluteString)
        var fields = parts.query.flatMap { Parameters(decoding: $0) } ?? [:]
        fields["username"] = credentials.name
        fields["password"] = credentials.password
        fields["decision"] = "allow"
        return TransportRequest(
            method: .post, url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data(fields.encoded.utf8))
    }

    /// The callback with the answer changed as the behaviour says, in the query or in the fragment.
    private func edited(_ location: String) -> String {
        if case .faithful = agent.behavior { return location }
        let mark: Character = location.contains("#") ? "#" : "?"
        let place = location.prefix { $0 != mark }
        guard let answer = Parameters(decoding: location[place.endIndex...].dropFirst()) else { return location }
        return "\(place)\(mark)\(edited(answer).encoded)"
    }

    private func edited(_ answer: Parameters) -> Parameters {
        var answer = answer
        switch agent.behavior {
        case .faithful, .neverReturning: break
        case .denying:
            answer["code"] = nil
            answer["id_token"] = nil
            answer["error"] = "access_denied"
        case .changingState: answer["state"] = "another"
        case .editing(let edit): edit(&answer)
        }
        return answer
    }

    private func failure(_ message: String, page: TransportResponse? = nil) -> AuthStateError {
        // The words of the page, as a user would read them.
        let words = page.map {
            String(decoding: $0.body, as: UTF8.self).replacing(
                /<(style|script)\b[\s\S]*?<\/\1>/.ignoresCase(), with: " "
            )
            .replacing(/<[^>]*>/, with: " ")
        }
        return AuthStateError(
            .browserUnavailable, stage: purpose == .login ? .authorization : .logout, message,
            received: words.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") },
            hint: "Read what the page says. Where it asks for a login, give the user agent a name and a password.")
    }
}

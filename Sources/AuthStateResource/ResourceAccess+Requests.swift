import AuthStateFoundation
import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
import AuthStateServer
import AuthStateTransport

extension ResourceAccess {
    /// Sends a request to the resource, with a token as soon as there is one; logs in and asks for more rights when the
    /// resource demands it, and sends the request again.
    ///
    /// The request is sent without a token before the first login: an open resource answers at once.
    ///
    /// - Parameters:
    ///   - request: The request; its URL has to have the resource's origin.
    ///   - operation: What the request does, for the bound of logins for more rights; nil takes method and path.
    /// - Throws: `AuthStateError`: what `AuthState.performAction` throws; of stage resourceMetadata, discovery, registration,
    ///   authorization or token when a login fails, for the step that failed; `.notLoggedIn` when a user is needed and none
    ///   is at hand, with `httpStatus` 401 where the resource refused the token, or wants one; `.insufficientScope` when more
    ///   rights were asked for in vain; `.invalidArgument` for a URL of another origin. `CancellationError`.
    public nonisolated(nonsending) func performAction(
        _ request: TransportRequest, operation: String? = nil
    ) async throws -> TransportResponse {
        try await perform(request, operation, by: service.transport.send)
    }

    /// Sends a request as `performAction(_:operation:)` does, and returns the answer when its head has come: for server-sent
    /// events, long polls and large files. An answer that is no success is read as a whole.
    ///
    /// - Parameters:
    ///   - request: The request; its URL has to have the resource's origin, and its `timeout` is the time until the head.
    ///   - operation: What the request does, for the bound of logins for more rights; nil takes method and path.
    /// - Throws: As `performAction(_:operation:)`; an iterator of the answer throws as `StreamedResponse` says.
    public nonisolated(nonsending) func stream(
        _ request: TransportRequest, operation: String? = nil
    ) async throws -> StreamedResponse {
        let stream = PendingStream(service.transport)
        return stream.response(to: try await perform(request, operation, by: stream.send))
    }

    private nonisolated(nonsending) func perform(
        _ request: TransportRequest, _ operation: String?,
        by send: (TransportRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        guard TrustCheck.resourceOrigin.holds(resource.hasOrigin(of: request.url)) else {
            throw AuthStateError(
                .invalidArgument, stage: .resource, "The request is one to another origin than the resource's.",
                expected: resource.origin, received: request.url.redactedDescription,
                hint: "Make a ResourceAccess for each resource.")
        }
        let path = URIReference(request.url.absoluteString).path
        return try await authorized(operation ?? "\(request.method.rawValue) \(path)") { state, seen in
            guard let state else { return try await sendWithoutToken(request, by: send) }
            return try await state.perform(request, .none, nil, by: send) { tokens in
                try check(state)
                seen.uses(tokens, of: state)
            }
        }
    }

    /// Runs a body with fresh tokens; logs in first when there are none.
    ///
    /// A body that throws `TokenRejected` for a 401 runs once more with other tokens; one whose challenge says
    /// `insufficient_scope` runs once more after a login for more rights.
    ///
    /// - Parameters:
    ///   - operation: What the body does, for the bound of logins for more rights.
    ///   - body: Sends requests to the resource, with an HTTP client of the program's own. It runs in the caller's isolation.
    /// - Throws: As `performAction(_:operation:)`, and the body's errors; a rejection by another origin unchanged, and every
    ///   `AuthStateError` that is not about an answer of the resource's, see `Tokens.check(_:of:)`.
    public nonisolated(nonsending) func withFreshToken<R>(
        operation: String = "", _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        try await withFreshToken(operation, body)
    }

    /// The same; without an operation for a caller that takes a token away, so that what the resource allows is not seen.
    private nonisolated(nonsending) func withFreshToken<R>(
        _ operation: String?, _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        try await authorized(operation) { state, seen in
            guard let state else { throw AuthStateError.noLogin }
            return try await state.withFreshToken { tokens in
                try check(state)
                seen.uses(tokens, of: state)
                // The challenge of another origin leads nowhere, and neither does another login's error.
                do { return try await body(tokens) } catch let error as AuthStateError
                    where !TrustCheck.challengeOrigin.holds(error.origin == resource.origin)
                {
                    throw ForeignError(error: error)
                } catch let rejection as TokenRejected {
                    if let url = rejection.url, !TrustCheck.challengeOrigin.holds(resource.hasOrigin(of: url)) {
                        throw ForeignError(error: rejection)
                    }
                    if case .refused(let error) = ResourceVerdict(status: 403, challenges: rejection.challenges) {
                        throw error
                    }
                    throw rejection
                }
            }
        }
    }

    /// An error that says nothing about the resource's login, on its way to the caller.
    private struct ForeignError: Error {
        var error: any Error
    }

    /// Refuses the tokens of a state that another access under the same key has made its own.
    private nonisolated func check(_ state: AuthState) throws {
        guard isOurs(state) else { throw otherLogin(state.record) }
    }

    /// Makes the error of a key that holds another login.
    nonisolated func otherLogin(_ record: AuthState.Record) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The key holds another login than the resource's.",
            expected: "a login for \(resource)", received: record.annotations[Self.annotation] ?? "a login by issuer",
            hint: "Give each resource a key of its own.")
    }

    /// Returns a fresh access token for an HTTP client that takes one from a function; logs in first when there is none.
    ///
    /// A token that is bound to a DPoP key is useless without it: use `withFreshToken` there.
    ///
    /// - Throws: As `performAction(_:operation:)`.
    public nonisolated(nonsending) func accessToken() async throws -> String {
        try await withFreshToken(nil) { $0.accessToken }
    }

    /// Returns another access token than one that the resource refused; any number of callers share one renewal, or login.
    ///
    /// - Parameters:
    ///   - rejection: The refusal, whose challenge leads.
    ///   - refused: The refused token.
    /// - Throws: As `performAction(_:operation:)`.
    public nonisolated(nonsending) func accessToken(
        after rejection: TokenRejected, of refused: String
    ) async throws -> String {
        try await withFreshToken(nil) { tokens in
            if tokens.accessToken == refused { throw rejection }
            return tokens.accessToken
        }
    }

    /// Returns a text of the resource's without the access token, which it may repeat: for a program that shows such a text.
    public func hidingToken(in text: String) async -> String {
        guard let token = try? await authState()?.record.accessToken else { return text }
        return RequestSecrets([token]).hiding(foreign: text)
    }

    /// Logs in, whether there is a login or not; operations that led to logins for more rights in vain may do so again.
    ///
    /// A login that another process completes meanwhile is adopted, if it asked for the scopes of the options, and for what the
    /// challenge demands: no second page is shown.
    ///
    /// - Parameter error: The error of the call that needs the login, perhaps in another process, whose challenge leads; nil for
    ///   a login that the user asked for. A login that replaced the error's grant before is adopted as well.
    /// - Throws: As `performAction(_:operation:)`; the login before is then unchanged.
    public func logIn(because error: AuthStateError? = nil) async throws {
        let before = try await authState()
        try? await before?.reload()
        var seen = Seen(grantID: before?.record.grantID, scopes: options.scopes ?? [])
        if let error, error.code == .notLoggedIn {
            seen.grantID = error.grantID
            switch error.lack {
            case .insufficientScope: seen.scopes += error.challenge?.scopes ?? []
            case .insufficientUserAuthentication: seen.stronger = error.challenge
            default: break
            }
        }
        history.loginWanted()
        try await logIn(because: error, seen: seen, since: history.ended)
    }

    /// Runs a body with the state of the login, and makes the logins that its errors ask for; the body notes the tokens that it
    /// uses.
    private nonisolated(nonsending) func authorized<R>(
        _ operation: String?, _ body: nonisolated(nonsending) (AuthState?, inout Seen) async throws -> R
    ) async throws -> R {
        let since = await history.ended
        var mended: Set<Lack> = []
        var hasTriedOtherTokens = false
        var stepUps = 0
        while true {
            let state = try await authState()
            var seen = Seen(grantID: state?.record.grantID, showsAnswers: operation != nil)
            do {
                let result = try await body(state, &seen)
                if let operation { await note(allowed: operation) }
                return result
            } catch let foreign as ForeignError {
                throw foreign.error
            } catch let error as AuthStateError where error.code == .insufficientScope {
                // Other tokens of the same grant have no other rights.
                seen.accessToken = nil
                if try await stepUp(operation, after: stepUps, because: error, seen: seen, since: since) {
                    stepUps += 1
                }
            } catch let error as AuthStateError
                where needsLogin(error, state) && mended.insert(Lack(error)).inserted
            {
                if error.code != .tokenRejected { seen.accessToken = nil }
                let isOwn = try await logIn(because: error, seen: seen, since: since)
                // Another call's login may have asked for other rights.
                if !isOwn, let challenge = error.challenge,
                    try await authState()?.record.hasAsked(for: challenge) == false
                {
                    mended.remove(.strength)
                }
                // Other tokens of the same grant are tried once, and may be refused as well.
                if !hasTriedOtherTokens, try await authState()?.record.grantID == seen.grantID {
                    hasTriedOtherTokens = true
                    mended.remove(.tokens)
                }
            }
        }
    }

    /// A reason for a login; a call makes one login for each.
    private enum Lack {
        /// There are no tokens that serve.
        case tokens
        /// The login is not strong or new enough.
        case strength

        init(_ error: AuthStateError) { self = error.code == .insufficientUserAuthentication ? .strength : .tokens }
    }

    private func note(allowed operation: String) { history.allowed(operation) }

    /// Returns whether a login can mend an error: also that of a server that has forgotten the client which registered there,
    /// and that of a server that the resource may name no longer.
    private nonisolated func needsLogin(_ error: AuthStateError, _ state: AuthState?) -> Bool {
        error.kind == .reauthenticationRequired || error.isFailedRenewal(of: state?.record)
            || error.code == .invalidClient && state?.record.lastRegistrationResponse != nil
    }

    /// Sends a request as it is; a refusal becomes the error that leads to a login.
    private nonisolated(nonsending) func sendWithoutToken(
        _ request: TransportRequest, by send: (TransportRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        let response: TransportResponse
        do { response = try await send(request) } catch let error as TransportError {
            throw request.secrets.hiding(AuthStateError(error, stage: .resource))
        }
        let rejection = TokenRejected(response, of: request.url)
        // Some servers call a request without a token `invalid_request` (RFC 6750, section 3.1, wants no error there).
        let wantsToken =
            response.status == 401
            && AuthenticationChallenge.parse(rejection.challenges).flatMap(AuthenticationChallenge.answerable) != nil
        switch ResourceVerdict(response, now: service.configuration.clock.now) {
        case .answered where !wantsToken: return response
        case .answered, .tokenRejected, .nonceWanted: throw AuthStateError(rejection, canRenew: false)
        case .refused(let error): throw error
        }
    }
}

extension AuthStateError {
    /// Whether the server did not renew the tokens of a login, for a reason that a later attempt may not meet. A login elsewhere
    /// mends it where the resource names another server by now; a login at the same one would be the same attempt again.
    func isFailedRenewal(of login: AuthState.Record?) -> Bool {
        let isProgram = login?.machineGrant != nil
        return stage == (isProgram ? .token : .refresh)
            && (kind == .transient || kind == .refused || isProgram && code == .invalidGrant)
    }

    /// There is no login for the resource yet.
    static let noLogin = AuthStateError(
        .notLoggedIn, stage: .authorization, "There is no login for the resource yet.", hint: "Log in first.")
}

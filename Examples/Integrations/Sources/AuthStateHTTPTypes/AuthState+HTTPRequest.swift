public import AuthStateKit
public import AuthStateResource
public import AuthStateServer
public import HTTPTypes

extension AuthState {
    /// Sends a request with fresh tokens through a client of the program's own; a 401 is handled as in
    /// `performAction(_:parameters:policy:)`.
    ///
    /// ```swift
    /// let (response, body) = try await authState.performAction(request) { request in
    ///     try await client.send(request)
    /// }
    /// ```
    ///
    /// The client must not follow redirects to another origin with these header fields.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - canRepeat: Whether `send` can be called again with the same body. If not, a 401 is returned as it is: the next
    ///     request has another token.
    ///   - send: Sends the request once and returns the answer and its body, in any form.
    /// - Throws: As `performAction(_:parameters:policy:)`, and the errors of `send`.
    public nonisolated(nonsending) func performAction<Body>(
        _ request: HTTPRequest, parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil,
        canRepeat: Bool = true, send: nonisolated(nonsending) (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        var exchange = Exchange<Body>(request: request, canRepeat: canRepeat)
        do {
            return try await withFreshToken(parameters, policy: policy) { try await exchange.run(with: $0, send) }
        } catch let error as AuthStateError { return try exchange.outcome(of: error) }
    }
}

extension AuthStatePool {
    /// Sends a request with fresh tokens of a key, as `AuthState.performAction` of a request does.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - key: The key of the state.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - canRepeat: Whether `send` can be called again with the same body.
    ///   - send: Sends the request once and returns the answer and its body.
    /// - Throws: As `state(for:)` and `AuthState.performAction(_:parameters:policy:)`, and the errors of `send`.
    public nonisolated(nonsending) func performAction<Body>(
        _ request: HTTPRequest, for key: AuthStateKey, parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil, canRepeat: Bool = true,
        send: nonisolated(nonsending) (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        try await state(for: key).performAction(
            request, parameters: parameters, policy: policy, canRepeat: canRepeat, send: send)
    }
}

extension ResourceAccess {
    /// Sends a request to the resource with fresh tokens through a client of the program's own; logs in, and for more rights,
    /// as `withFreshToken(operation:_:)` does.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - operation: What the request does, for the bound of logins for more rights; nil takes method and path.
    ///   - canRepeat: Whether `send` can be called again with the same body.
    ///   - send: Sends the request once and returns the answer and its body.
    /// - Throws: As `withFreshToken(operation:_:)`, and the errors of `send`.
    public nonisolated(nonsending) func performAction<Body>(
        _ request: HTTPRequest, operation: String? = nil, canRepeat: Bool = true,
        send: nonisolated(nonsending) (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        var exchange = Exchange<Body>(request: request, canRepeat: canRepeat)
        let path = (request.path ?? "").prefix { $0 != "?" }
        do {
            return try await withFreshToken(operation: operation ?? "\(request.method.rawValue) \(path)") {
                try await exchange.run(with: $0, send)
            }
        } catch let error as AuthStateError { return try exchange.outcome(of: error) }
    }
}

/// One request, sent again only if its body allows it.
private struct Exchange<Body> {
    let request: HTTPRequest
    let canRepeat: Bool
    /// The answer that led to an error, of a request that cannot be repeated.
    private var refusal: (HTTPResponse, Body)?
    /// Whether that answer refused the token: an answer that wants more rights is an error for the caller.
    private var isRejected = false

    init(request: HTTPRequest, canRepeat: Bool) {
        self.request = request
        self.canRepeat = canRepeat
    }

    /// Sends the request; called again after a renewal or a login, returns the first answer instead if the request cannot be
    /// repeated.
    nonisolated(nonsending) mutating func run(
        with tokens: Tokens, _ send: nonisolated(nonsending) (HTTPRequest) async throws -> (HTTPResponse, Body)
    ) async throws -> (HTTPResponse, Body) {
        if let refusal { return refusal }
        var authorized = request
        try authorized.authorize(with: tokens)
        let answer = try await send(authorized)
        do { try tokens.check(answer.0, to: request) } catch {
            if !canRepeat { (refusal, isRejected) = (answer, error is TokenRejected) }
            throw error
        }
        return answer
    }

    /// Returns the answer that refused the token, or throws the error that the state made of it.
    func outcome(of error: AuthStateError) throws -> (HTTPResponse, Body) {
        guard let refusal, isRejected else { throw error }
        return refusal
    }
}

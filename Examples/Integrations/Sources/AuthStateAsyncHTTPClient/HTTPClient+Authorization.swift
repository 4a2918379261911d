public import AsyncHTTPClient
public import AuthStateKit
public import AuthStateResource
public import AuthStateServer
public import Logging
public import NIOCore

extension HTTPClient {
    /// Sends a request with fresh tokens of a state; a 401 is handled as in `AuthState.performAction`.
    ///
    /// ```swift
    /// var request = HTTPClientRequest(url: "https://api.example/notes")
    /// let response = try await HTTPClient.shared.execute(request, authorizedBy: authState, timeout: .seconds(30))
    /// ```
    ///
    /// After a 401 the tokens are renewed, and the request is sent once more if its body can be: a body of bytes can, unless it is
    /// so large that the client streams it; a body of an `AsyncSequence` cannot. Then the 401 is returned, and the next request
    /// has another token. An answer that asks for a DPoP nonce is handled the same way, without a renewal.
    ///
    /// A redirect to another origin is followed, if the client follows any, without the token; the answer from there is
    /// returned, regardless of its status, and says nothing about the token.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - state: The state whose tokens authorize it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - timeout: The time that one sending may take.
    ///   - logger: The client's logger.
    /// - Throws: As `AuthState.performAction(_:parameters:policy:)`, and the client's errors.
    public nonisolated(nonsending) func execute(
        _ request: HTTPClientRequest, authorizedBy state: AuthState, parameters: RenewalParameters = .none,
        policy: UnauthorizedPolicy? = nil, timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        var exchange = try AuthorizedExchange(request, by: self, timeout: timeout, logger: logger)
        do {
            return try await state.withFreshToken(parameters, policy: policy) { try await exchange.run(with: $0) }
        } catch let error as AuthStateError { return try exchange.outcome(of: error) }
    }

    /// Sends a request with fresh tokens of a pool's state, as `execute(_:authorizedBy:)` does with a state.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - pool: The pool.
    ///   - key: The key of the state whose tokens authorize it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - timeout: The time that one sending may take.
    ///   - logger: The client's logger.
    /// - Throws: As `AuthStatePool.state(for:)` and `AuthState.performAction(_:parameters:policy:)`, and the client's errors.
    public nonisolated(nonsending) func execute(
        _ request: HTTPClientRequest, authorizedBy pool: AuthStatePool, for key: AuthStateKey,
        parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil, timeout: TimeAmount,
        logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        try await execute(
            request, authorizedBy: pool.state(for: key), parameters: parameters, policy: policy, timeout: timeout,
            logger: logger)
    }

    /// Sends a request to a resource with fresh tokens; logs in, and for more rights, as `ResourceAccess.withFreshToken` does.
    ///
    /// - Parameters:
    ///   - request: The request, without the header fields that authorize it.
    ///   - access: The access to the resource.
    ///   - operation: What the request does, for the bound of logins for more rights; nil takes method and path.
    ///   - timeout: The time that one sending may take.
    ///   - logger: The client's logger.
    /// - Throws: As `ResourceAccess.withFreshToken(operation:_:)`, and the client's errors.
    public nonisolated(nonsending) func execute(
        _ request: HTTPClientRequest, authorizedBy access: ResourceAccess, operation: String? = nil,
        timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        var exchange = try AuthorizedExchange(request, by: self, timeout: timeout, logger: logger)
        do {
            return try await access.withFreshToken(operation: operation ?? exchange.operation) {
                try await exchange.run(with: $0)
            }
        } catch let error as AuthStateError { return try exchange.outcome(of: error) }
    }
}

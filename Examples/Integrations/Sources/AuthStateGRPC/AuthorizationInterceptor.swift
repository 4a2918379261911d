public import AuthStateKit
public import AuthStateServer
public import GRPCCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Adds the tokens of a state to the metadata of gRPC calls, and renews them when the server refuses them.
///
/// ```swift
/// let interceptor = AuthorizationInterceptor(authState, server: URL(string: "https://api.example")!)
/// let calls = ServiceConfig(
///     methodConfig: [MethodConfig(names: [.init(service: "")], executionPolicy: .retry(.withRenewedToken))])
/// let transport = try HTTP2ClientTransport.Posix(
///     target: .dns(host: "api.example"), transportSecurity: .tls, serviceConfig: calls)
/// let client = GRPCClient(transport: transport, interceptors: [interceptor])
/// ```
///
/// A call that ends with `unauthenticated`, and without an answer before, renews the tokens as a 401 in
/// `AuthState.performAction`, and ends with that error: an interceptor cannot make a call again. gRPC itself makes it once more
/// under the policy `withRenewedToken`, with the new token, if all request messages are still in its buffer. Without the policy
/// the next call has the new token. A token that replaced a refused one, and is refused itself, moves the state into error.
///
/// An `AuthStateError` becomes an `RPCError` with the same message, whose `cause` it is. Its code is `unavailable` where a later
/// try may succeed, and `unauthenticated` where the user has to log in again.
public struct AuthorizationInterceptor: ClientInterceptor {
    private let server: URL
    private let parameters: RenewalParameters
    private let policy: UnauthorizedPolicy?
    private let state: @Sendable (ClientContext) async throws -> AuthState
    private let replacements = Replacements()

    /// Makes an interceptor with a state for each call.
    ///
    /// - Parameters:
    ///   - server: The server's URL, as its certificate names it. It decides with `AuthState.Options.allowedOrigins` whether the
    ///     token may go there, and stands in DPoP proofs.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - state: Returns the state of a call, in the caller's task.
    public init(
        server: URL, parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil,
        state: @escaping @Sendable (ClientContext) async throws -> AuthState
    ) {
        self.server = server
        self.parameters = parameters
        self.policy = policy
        self.state = state
    }

    /// Makes an interceptor with one state.
    ///
    /// - Parameters:
    ///   - state: The state whose tokens authorize the calls.
    ///   - server: The server's URL, as its certificate names it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    public init(
        _ state: AuthState, server: URL, parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil
    ) {
        self.init(server: server, parameters: parameters, policy: policy) { _ in state }
    }

    /// Makes an interceptor with the states of a pool.
    ///
    /// - Parameters:
    ///   - pool: The pool.
    ///   - server: The server's URL, as its certificate names it.
    ///   - parameters: Scopes and other parameters beyond the default.
    ///   - policy: The policy for a refused token; nil takes the state's.
    ///   - key: Returns the key of a call's state, in the caller's task: from a task-local value, for example.
    public init(
        _ pool: AuthStatePool, server: URL, parameters: RenewalParameters = .none, policy: UnauthorizedPolicy? = nil,
        key: @escaping @Sendable (ClientContext) throws -> AuthStateKey
    ) {
        self.init(server: server, parameters: parameters, policy: policy) { try await pool.state(for: key($0)) }
    }

    /// Makes a call with tokens.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingClientRequest<Input>, context: ClientContext,
        next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
    ) async throws -> StreamingClientResponse<Output> {
        let url = server.appending(path: context.descriptor.fullyQualifiedMethod)
        var refusal: (response: StreamingClientResponse<Output>, token: String)?
        do {
            let state = try await state(context)
            let policy = policy(for: try await state.freshTokens(parameters), of: state)
            return try await state.withFreshToken(parameters, policy: policy) { tokens in
                if let refusal {
                    if tokens.accessToken != refusal.token { replacements.insert(tokens.accessToken) }
                    return refusal.response
                }
                var request = request
                try request.metadata.authorize(with: tokens, for: url)
                let response = try await next(request, context)
                do { try tokens.check(response, of: url) } catch {
                    refusal = (response, tokens.accessToken)
                    throw error
                }
                replacements.remove(tokens.accessToken)
                return response
            }
        } catch let error as AuthStateError { return StreamingClientResponse(error: RPCError(error)) }
    }

    /// Returns the policy for the refusal of tokens, which may be the second one in a row.
    private func policy(for tokens: Tokens, of state: AuthState) -> UnauthorizedPolicy {
        let policy = policy ?? state.options.unauthorizedPolicy
        guard policy == .renewOnce, replacements.contains(tokens.accessToken) else { return policy }
        // A client's own grant has no user who could log in again.
        return state.record.machineGrant == nil ? .fail : .failRequestOnly
    }
}

extension RetryPolicy {
    /// Makes a call once more when the server refuses its token, which `AuthorizationInterceptor` has renewed by then.
    public static var withRenewedToken: RetryPolicy {
        RetryPolicy(
            maxAttempts: 2, initialBackoff: .milliseconds(1), maxBackoff: .milliseconds(1), backoffMultiplier: 1,
            retryableStatusCodes: [.unauthenticated])
    }
}

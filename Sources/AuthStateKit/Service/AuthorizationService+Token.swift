import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem
import AuthStateTransport

extension AuthorizationService {
    /// Makes a token request; an ID token in the answer is not checked here.
    ///
    /// - Throws: `AuthStateError` of stage token or refresh, or `CancellationError`.
    public func perform(_ request: TokenRequest) async throws -> TokenResponse {
        try await traced { try await redeem(request).get() }
    }

    enum Redemption: Sendable {
        /// The provider issued tokens.
        case tokens(TokenResponse)
        /// An answer that failed a check; its refresh token, if it has a usable one, must be kept.
        case refused(AuthStateError, refreshToken: String?)
        /// An error; `isUnconfirmed` when it is unknown whether the provider acted on the request.
        case failed(AuthStateError, isUnconfirmed: Bool)
        /// The task was cancelled; it is unknown whether the provider acted on the request.
        case cancelled

        /// Returns the tokens. Throws `AuthStateError`, or `CancellationError`.
        func get() throws -> TokenResponse {
            switch self {
            case .tokens(let response): return response
            case .refused(let error, _), .failed(let error, _): throw error
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Makes a token request and returns everything that is known about its outcome.
    func redeem(_ request: TokenRequest) async -> Redemption {
        let stage = request.stage
        var request = request
        request.client = request.client.atItsEndpoints
        do {
            let endpoint = request.client.provider.tokenEndpoint
            try check(endpoint, of: request.client.provider, stage: stage)
            var (sentAt, signsAssertion) = (configuration.clock.now, false)
            do {
                let response = try await withDPoPProof(request.dpopKey, to: endpoint, stage: stage) { proof in
                    var authentication = try await authentication(of: request.client, endpoint: endpoint, stage: stage)
                    if request.isNamedByAssertion, authentication.method == .none {
                        authentication = .nameless(clientID: request.client.id)
                    }
                    // Another party's clock set the times of an assertion that this machine only read.
                    signsAssertion = authentication.method.signsAssertions && !request.client.credential.isAssertion
                    let message = try await asserted(request).transportRequest(
                        authentication: authentication, dpopProof: proof)
                    configuration.trace?.noteTokenRequest(message, by: request.client, authentication)
                    return limited(message, request.client.provider.addressPolicy)
                } send: { message in
                    sentAt = configuration.clock.now
                    do {
                        return GuardedResponse(
                            try await transport.send(message), to: message, trace: configuration.trace)
                    } catch { throw NotAnswered(error: error, secrets: message.secrets) }
                }
                let answer = try response.read { TokenAnswer($0, to: request, sentAt: sentAt) }
                switch response.hiding(answer) {
                case .tokens(let tokens):
                    configuration.trace?.noteTokens(tokens, hiding: response.secrets)
                    return .tokens(tokens)
                case .refused(let error, let refreshToken): return .refused(error, refreshToken: refreshToken)
                // A gateway's 5xx says nothing about what the server behind it did.
                case .error(let error):
                    let isAssertionsFault = signsAssertion && error.code == .invalidClient
                    return .failed(
                        isAssertionsFault ? error.blamingClock(response.headers, now: sentAt) : error,
                        isUnconfirmed: error.code == .serverError)
                }
            } catch let failure as NotAnswered {
                return Self.outcome(of: failure, stage: stage)
            }
        } catch let error as AuthStateError {
            return .failed(error, isUnconfirmed: false)
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failed(
                AuthStateError(.invalidArgument, stage: stage, "The token request cannot be made.", underlying: error),
                isUnconfirmed: false)
        }
    }

    /// Returns the request with its assertion, which each sending signs or reads anew: many providers accept each once.
    private func asserted(_ request: TokenRequest) async throws -> TokenRequest {
        func usable(_ credential: ClientCredential) async throws -> ClientCredential {
            try await self.usable(
                credential, of: request.client, at: request.client.provider.tokenEndpoint, in: request,
                stage: request.stage)
        }
        var copy = request
        switch request.grant {
        case .jwtBearer(let grant):
            let key = try SigningKey(
                forAssertionsWith: await usable(grant.key).privateKey(stage: request.stage),
                algorithm: grant.key.signingAlgorithm, accepted: nil, stage: request.stage)
            copy.grant = .assertion(
                try grant.assertion(for: request.client.provider, signedWith: key, at: configuration.clock.now))
        case .issuedAssertion(let grant):
            copy.grant = .assertion(try await usable(grant.assertion).issuedAssertion(stage: request.stage))
        default: break
        }
        return copy
    }

    /// A transport's error, as distinct from errors in making the request.
    private struct NotAnswered: Error {
        var error: any Error
        var secrets: RequestSecrets
    }

    /// Returns the outcome of a request that got no answer.
    private static func outcome(of failure: NotAnswered, stage: AuthStateError.Stage) -> Redemption {
        switch failure.error {
        case let error as TransportError:
            .failed(
                failure.secrets.hiding(AuthStateError(error, stage: stage)),
                isUnconfirmed: error.requestMayHaveBeenSent)
        case is CancellationError: .cancelled
        default:
            // A custom transport threw an error of its own: assume that the provider may have acted.
            .failed(
                failure.secrets.hiding(
                    AuthStateError(
                        .connectionLost, stage: stage, "The token request failed.", underlying: failure.error)),
                isUnconfirmed: true)
        }
    }
}

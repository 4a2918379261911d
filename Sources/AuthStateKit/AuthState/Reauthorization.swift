public import AuthStateOAuth

/// How a person logs in again for a request that failed for want of a login, see `AuthState.performAction(_:reauthorize:)`.
public struct Reauthorization: Sendable {
    /// A login with a request, of which nothing is kept yet.
    public typealias Login =
        @Sendable (_ request: AuthorizationRequest) async throws -> (AuthorizationResponse, TokenResponse)
    /// A last change of the request; the error is why there has to be a login.
    public typealias Preparation =
        @Sendable (_ request: inout AuthorizationRequest, _ error: AuthStateError) -> Void

    let prepare: Preparation
    let login:
        @Sendable (AuthorizationRequest, AuthorizationService, ClientCredential) async throws
            -> (AuthorizationResponse, TokenResponse)

    /// With a user agent.
    ///
    /// The request is that of the last login, made anew, with a hint who it was. `acr_values` and `max_age` are those of the
    /// challenge when a resource wants a stronger or newer login (RFC 9470).
    public static func presenting(
        _ userAgent: any ExternalUserAgent, prepare: @escaping Preparation = { _, _ in }
    ) -> Reauthorization {
        Reauthorization(prepare: prepare) { request, service, credential in
            try await service.authorize(request, presenting: userAgent, credential: credential)
        }
    }

    /// In a way of your own, for example with `AuthorizationService.begin(_:)` and `complete(_:callback:)`.
    ///
    /// - Parameter login: Gets the request as `presenting(_:prepare:)` describes it. Its ID token has to be verified, as the
    ///   service does it.
    public init(_ login: @escaping Login) {
        self.init(prepare: { _, _ in }, login: { request, _, _ in try await login(request) })
    }

    private init(
        prepare: @escaping Preparation,
        login:
            @escaping @Sendable (AuthorizationRequest, AuthorizationService, ClientCredential) async throws
            -> (AuthorizationResponse, TokenResponse)
    ) {
        (self.prepare, self.login) = (prepare, login)
    }

    /// The request that a state logs in again with.
    func request(of record: AuthState.Record, after error: AuthStateError) -> AuthorizationRequest {
        var request =
            record.lastAuthorizationResponse?.request.renewed()
            ?? AuthorizationRequest(configuration: record.configuration, clientID: record.clientID)
        request.configuration = record.configuration
        // Also after a login on another device, which has no request to make anew: what was bound stays bound.
        request.dpopKey = record.dpopKey
        // A person is there: what had to go without one before need not now.
        request.prompt.removeAll { $0 == AuthorizationRequest.Prompt.none }
        request.idTokenHint = nil
        request.loginHint = request.loginHint ?? record.loginHint
        if error.code == .insufficientUserAuthentication, let wanted = error.challenge?.parameters {
            if let values = wanted["acr_values"] { request.acrValues = values.split(separator: " ").map(String.init) }
            if let age = wanted["max_age"].flatMap(Int.init), age >= 0 { request.maxAge = age }
        }
        prepare(&request, error)
        return request
    }
}

extension AuthState.Record {
    /// What its person is likely to type at the provider.
    fileprivate var loginHint: String? {
        guard let claims = idToken.flatMap({ try? IDToken(parsing: $0) })?.claims else { return nil }
        return claims["email"]?.stringValue ?? claims["preferred_username"]?.stringValue
    }
}

public import AuthStateOAuth
import AuthStateUserAgent

/// The way in which a user logs in again after a request failed because a login is needed, see
/// `AuthState.performAction(_:reauthorize:)`.
public struct Reauthorization: Sendable {
    /// A login with a request; its result is not kept yet.
    public typealias Login =
        @Sendable (_ request: AuthorizationRequest) async throws -> (AuthorizationResponse, TokenResponse)
    /// A last change of the request; the error is the reason for the login.
    public typealias Preparation = @Sendable (_ request: inout AuthorizationRequest, _ error: AuthStateError) -> Void

    let account: AccountComparison
    var prepare: Preparation = { _, _ in }
    let login:
        @Sendable (AuthorizationRequest, AuthorizationService) async throws
            -> (AuthorizationResponse, TokenResponse)

    /// Returns a login with a user agent.
    ///
    /// The request is that of the last login, made anew, with a login hint for the user of that login. `acr_values` and
    /// `max_age` are those of the challenge when a resource wants a stronger or newer login (RFC 9470).
    ///
    /// - Parameters:
    ///   - userAgent: Shows the provider's page.
    ///   - account: How the account is compared with the one before; plain OAuth, without ID tokens, needs another way than
    ///     the default.
    ///   - prepare: A last change of the request.
    public static func presenting(
        _ userAgent: any ExternalUserAgent, account: AccountComparison = .byIDToken(otherwise: false),
        prepare: @escaping Preparation = { _, _ in }
    ) -> Reauthorization {
        Reauthorization(account: account, prepare: prepare) { request, service in
            try await service.authorize(request, presenting: userAgent)
        }
    }

    func request(of record: AuthState.Record, after error: AuthStateError) -> AuthorizationRequest {
        var request = record.lastAuthorizationResponse?.request.renewed() ?? AuthorizationRequest(record.client)
        request.client = record.client
        // Also after a login on another device, which has no request to make anew: bound tokens stay bound.
        request.dpopKey = record.dpopKey
        // The user is present: a `prompt=none` of the last request no longer applies.
        request.prompt.removeAll { $0 == AuthorizationRequest.Prompt.none }
        request.idTokenHint = nil
        request.loginHint = request.loginHint ?? record.loginHint
        if error.code == .insufficientUserAuthentication, let wanted = error.challenge?.parameters {
            request.strengthen(by: wanted)
        }
        prepare(&request, error)
        return request
    }
}

extension Reauthorization {
    /// Makes a login from a function, for example with `AuthorizationService.begin(_:)` and `complete(_:callback:)`.
    ///
    /// It gets the request as `presenting(_:account:prepare:)` describes it, and has to verify the ID token, as the service does.
    public init(account: AccountComparison = .byIDToken(otherwise: false), _ login: @escaping Login) {
        self.init(account: account, login: { request, _ in try await login(request) })
    }
}

extension AuthorizationRequest {
    /// Asks for the stronger or newer login that a challenge wants (RFC 9470, section 3).
    package mutating func strengthen(by challenge: [String: String]) {
        if let values = challenge["acr_values"] { acrValues = values.split(separator: " ").map(String.init) }
        if let age = challenge["max_age"].flatMap(Int.init), age >= 0 { maxAge = age }
    }
}

extension AuthState.Record {
    /// The name that the user is likely to type at the provider.
    fileprivate var loginHint: String? {
        guard let claims = idToken.flatMap({ try? IDToken(parsing: $0) })?.claims else { return nil }
        return claims["email"]?.stringValue ?? claims["preferred_username"]?.stringValue
    }
}

extension AuthStateError {
    /// The user or the program cancelled the login.
    package static let givenUp = AuthStateError(.cancelled, stage: .authorization, "The login was given up.")
}

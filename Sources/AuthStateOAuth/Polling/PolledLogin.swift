package import AuthStateFoundation
package import AuthStateJOSE

/// A request that begins a login which a user confirms elsewhere: at a page (RFC 8628), or where the provider asks them
/// (OpenID Connect CIBA Core 1.0).
package protocol PolledLoginRequest: Sendable {
    var client: Client { get set }
    var scopes: [Scope] { get }
    var resources: [String] { get }
    var dpopKey: DPoPKey? { get }
    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    var endpoint: URL { get throws }
    func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest
}

/// The provider's answer: the code or identifier to poll with, and the interval.
package protocol PolledLoginResponse: Sendable {
    associatedtype Request: PolledLoginRequest
    var request: Request { get }
    var interval: Duration { get }
    var expiresAt: Date { get }
    /// The token request that polls, still without resource and key.
    func question(_ additionalParameters: Parameters) -> TokenRequest
    /// Checks the tokens, whose ID token is verified; throws `AuthStateError` of stage token.
    func check(_ tokens: TokenResponse) throws
}

extension PolledLoginResponse {
    package var polling: TokenPolling { TokenPolling(interval: interval, expiresAt: expiresAt) }

    /// The token request that polls, repeated as often as `polling` allows.
    package func tokenRequest(_ additionalParameters: Parameters = [:]) -> TokenRequest {
        var request = question(additionalParameters)
        request.resources = ResourceIndicators.single(self.request.resources)
        request.dpopKey = self.request.dpopKey
        return request
    }
}

extension DeviceAuthorizationRequest: PolledLoginRequest {}

extension DeviceAuthorizationResponse: PolledLoginResponse {
    package func question(_ additionalParameters: Parameters) -> TokenRequest {
        TokenRequest(request.client, .deviceCode(deviceCode), additionalParameters: additionalParameters)
    }

    /// An ID token is optional: the grant does not define one.
    package func check(_ tokens: TokenResponse) {}
}

extension BackchannelAuthenticationRequest: PolledLoginRequest {}

extension BackchannelAuthenticationResponse: PolledLoginResponse {
    package func question(_ additionalParameters: Parameters) -> TokenRequest {
        TokenRequest(
            request.client, .backchannelAuthentication(authenticationRequestID),
            additionalParameters: additionalParameters)
    }

    /// Checks that there is an ID token (CIBA Core, 10.1.1), and that it is the user's whom an ID token hint named.
    package func check(_ tokens: TokenResponse) throws {
        guard TrustCheck.idTokenPresent.holds(tokens.idToken != nil) else {
            throw AuthStateError(
                .invalidIDToken, stage: .token, "The provider sent no ID token, which the scope openid requires.",
                expected: "id_token", received: "nothing")
        }
        if case .idToken(let hint) = request.hint { try IDToken.checkAccount(of: tokens.idToken, isThatOf: hint) }
    }
}

extension TrustCheck {
    /// 3.1.3.3: with the scope `openid` there is an ID token.
    package static let idTokenPresent = TrustCheck("idTokenPresent")
}

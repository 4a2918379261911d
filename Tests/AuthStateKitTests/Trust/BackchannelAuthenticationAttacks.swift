import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

extension Attack {
    /// Logins that another user confirmed than the one asked, or that name no user.
    static let backchannelAuthentication: [Attack] = [
        Attack(.idTokenPresent) { try offer(nil, hint: .login("alice")) },
        Attack(.reauthorizedAccount) { try offer("mallory", hint: .idToken(idToken(of: "alice"))) },
    ]

    private static func idToken(of subject: String) -> String {
        unsignedToken(["iss": "https://op.example", "sub": .string(subject)])
    }

    /// Offers the tokens of one user to a request that names another.
    private static func offer(_ subject: String?, hint: BackchannelAuthenticationRequest.Hint) throws {
        guard let url = URL(string: "https://op.example/token") else { return }
        let (configuration, now) = (
            ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: url), Date(timeIntervalSince1970: 0)
        )
        let response = BackchannelAuthenticationResponse(
            request: BackchannelAuthenticationRequest(Client(configuration, id: "client"), hint: hint),
            authenticationRequestID: "r", expiresAt: now)
        try response.check(TokenResponse(accessToken: "a", issuedAt: now, idToken: subject.map(idToken)))
    }
}

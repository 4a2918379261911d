import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting

@testable import AuthStateKit

extension Attack {
    /// Answers of the token endpoint that are believed when one check is not made, and tokens sent to the wrong place.
    static let tokenResponse: [Attack] = [
        // A redirect with tokens in it: a third party stands between.
        answer(.tokenResponseStatus, status: 302),
        answer(.tokenResponseError, adding: #""error":"invalid_grant""#),
        answer(.tokenResponseAccessToken, accessToken: #"a\r\nX-Admin: yes"#),
        answer(.tokenResponseType, type: "mac"),
        answer(.tokenResponseDowngrade, isBound: true),
        answer(.tokenResponseRefreshToken, adding: #""refresh_token":"r\u0000""#),
        answer(.tokenResponseLifetime, adding: #""expires_in":-1"#),
        Attack(.bearerTransport) { try send("http://api.example/", allowedOrigins: nil) },
        Attack(.bearerOrigin) { try send("https://evil.example/", allowedOrigins: ["https://api.example"]) },
    ]

    private static func answer(
        _ check: TrustCheck, status: Int = 200, accessToken: String = "token", type: String = "Bearer",
        isBound: Bool = false, adding member: String? = nil
    ) -> Attack {
        let body =
            #"{"access_token":"\#(accessToken)","token_type":"\#(type)"\#(member.map { ",\($0)" } ?? "")}"#
        return Attack(check) {
            guard let url = URL(string: "https://op.example/token") else { return }
            let service = AuthorizationService(transport: ScriptedTransport([.json(body, status: status)]))
            let configuration = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: url)
            var request = TokenRequest(Client(configuration, id: "client"), .clientCredentials)
            request.dpopKey = isBound ? try .generate() : nil
            _ = try await service.perform(request)
        }
    }

    private static func send(_ text: String, allowedOrigins: Set<String>?) throws {
        guard let url = URL(string: text) else { return }
        let policy = BearerPolicy(allowsLoopbackHTTP: false, allowsInsecureHTTP: false, allowedOrigins: allowedOrigins)
        try policy.check(url)
    }
}

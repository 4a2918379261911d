import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting

extension Attack {
    /// Texts and addresses that a device would show to a user, or open, when one check is not made.
    static let deviceAuthorization: [Attack] = [
        answer(.deviceVerificationURI, uri: "file:///etc/passwd"),
        answer(.deviceVerificationURI, uri: "x-app://op.example/device"),
        answer(.deviceVerificationURI, uri: "https://op.example@evil.example/device"),
        answer(.deviceUserCode, userCode: #"\u001b]0;owned\u0007ABCD"#),
        answer(.deviceUserCode, userCode: #"ABCD\u202eEFGH"#),
    ]

    private static func answer(
        _ check: TrustCheck, uri: String = "https://op.example/device", userCode: String = "WDJB-MJHT"
    ) -> Attack {
        let body =
            #"{"device_code":"d","user_code":"\#(userCode)","verification_uri":"\#(uri)","expires_in":600}"#
        return Attack(check) {
            guard let url = URL(string: "https://op.example/token") else { return }
            let configuration = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: url)
            _ = try DeviceAuthorizationResponse(
                TransportResponse(status: 200, body: Data(body.utf8)),
                to: DeviceAuthorizationRequest(Client(configuration, id: "client")),
                sentAt: Date(timeIntervalSince1970: 0))
        }
    }
}

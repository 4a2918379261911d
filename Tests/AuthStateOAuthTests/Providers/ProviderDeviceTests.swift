import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateProviders
import Testing

struct ProviderDeviceTests {
    /// An answer to a device that asks for its tokens.
    struct Answer: Sendable, CustomTestStringConvertible {
        let provider: KnownProvider
        let status: Int
        let error: String
        let code: AuthStateError.Code

        init(_ provider: KnownProvider, _ status: Int, _ error: String, _ code: AuthStateError.Code) {
            self.provider = provider
            self.status = status
            self.error = error
            self.code = code
        }

        var testDescription: String { "\(provider.title): \(error) with \(status)" }
    }

    static let answers = [
        // https://developers.google.com/identity/protocols/oauth2/limited-input-device
        Answer(.google, 428, "authorization_pending", .authorizationPending),
        Answer(.google, 403, "slow_down", .slowDown), Answer(.google, 403, "access_denied", .accessDenied),
        // https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-device-code#expected-errors
        Answer(.microsoft(), 400, "authorization_pending", .authorizationPending),
        Answer(.microsoft(), 400, "authorization_declined", .accessDenied),
        Answer(.microsoft(), 400, "expired_token", .deviceCodeExpired),
        // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#error-codes-for-the-device-flow
        Answer(.gitHub, 200, "authorization_pending", .authorizationPending),
        Answer(.gitHub, 200, "slow_down", .slowDown), Answer(.gitHub, 200, "expired_token", .deviceCodeExpired),
        Answer(.gitHub, 200, "token_expired", .deviceCodeExpired),
        Answer(.gitHub, 200, "incorrect_device_code", .invalidGrant),
        Answer(.gitHub, 200, "incorrect_client_credentials", .invalidClient),
        Answer(.gitHub, 200, "device_flow_disabled", .unauthorizedClient),
        Answer(.gitHub, 200, "access_denied", .accessDenied),
    ]

    @Test("each answer is the error that it means", arguments: answers)
    func answer(_ answer: Answer) throws { #expect(try error(answer)?.code == answer.code) }

    @Test("Auth0: slow_down adds five seconds for good, with status 429 too")
    func auth0() throws {
        let slowDown = try #require(
            try error(Answer(.auth0(domain: "example.eu.auth0.com"), 429, "slow_down", .slowDown)))
        #expect(slowDown.code == .slowDown && slowDown.httpStatus == 429)
        var polling = TokenPolling(interval: .seconds(5), expiresAt: Fixtures.now.addingTimeInterval(900))
        try polling.note(slowDown)
        #expect(polling.interval == .seconds(10))
    }

    @Test func `429 that says nothing of a pace is a busy server`() throws {
        #expect(
            try error(Answer(.google, 429, "invalid_grant", .temporarilyUnavailable))?.code == .temporarilyUnavailable)
    }

    private func error(_ answer: Answer) throws -> AuthStateError? {
        var configuration = try Fixtures.configuration()
        configuration.tolerances = answer.provider.tolerances
        let request = TokenRequest(Client(configuration, id: "c"), .deviceCode("d"))
        let body = #"{"error":"\#(answer.error)","error_description":"Why.","interval":10}"#
        let response = TransportResponse(
            status: answer.status, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        guard case .error(let error) = TokenAnswer(response, to: request, sentAt: Fixtures.now) else { return nil }
        return error
    }

    @Test func `GitHub's codes come form-encoded, Google's page as verification_url`() throws {
        let gitHub = try response(
            .gitHub,
            "device_code=3584d8&expires_in=900&interval=5&user_code=WDJB-MJHT"
                + "&verification_uri=https%3A%2F%2Fgithub.com%2Flogin%2Fdevice",
            type: "application/x-www-form-urlencoded; charset=utf-8")
        #expect(gitHub.userCode == "WDJB-MJHT" && gitHub.interval == .seconds(5))
        #expect(gitHub.verificationURI.absoluteString == "https://github.com/login/device")
        let google = try response(
            .google,
            """
            {"device_code":"4/4-GMM","user_code":"GQVQ-JKEC","verification_url":"https://www.google.com/device",
            "expires_in":1800,"interval":5}
            """, type: "application/json; charset=utf-8")
        #expect(google.verificationURI.absoluteString == "https://www.google.com/device")
    }

    private func response(
        _ provider: KnownProvider, _ body: String, type: String
    ) throws -> DeviceAuthorizationResponse {
        var configuration = try Fixtures.configuration()
        configuration.tolerances = provider.tolerances
        return try DeviceAuthorizationResponse(
            TransportResponse(status: 200, headers: ["Content-Type": type], body: Data(body.utf8)),
            to: DeviceAuthorizationRequest(Client(configuration, id: "c")), sentAt: Fixtures.now)
    }
}

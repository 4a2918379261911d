package import AuthStateFoundation
import AuthStateJOSE

extension DeviceAuthorizationResponse {
    /// Reads an answer of the device authorization endpoint (RFC 8628, section 3.2).
    ///
    /// Google's names from before the RFC, `verification_url` and `verification_url_complete`, are read too.
    ///
    /// - Parameter sentAt: When the request was sent; `expires_in` counts from there.
    /// - Throws: `AuthStateError` of stage authorization: the provider's refusal, or a member that is absent or unusable.
    package init(
        _ response: TransportResponse, to request: DeviceAuthorizationRequest, sentAt: Date
    ) throws(AuthStateError) {
        let answer = try PolledLoginAnswer(
            response, of: "device authorization", tolerating: request.client.provider.tolerances,
            sentAt: sentAt)
        let uri = "an absolute http(s) URL"
        self.init(
            request: request,
            deviceCode: try answer.required("device_code", "visible ASCII characters", TokenResponse.token),
            userCode: try answer.required("user_code", "up to 100 printable characters", Self.userCode),
            verificationURI: try answer.required("verification_uri", or: "verification_url", uri, Self.page),
            verificationURIComplete: answer.optional(
                "verification_uri_complete", or: "verification_url_complete", Self.page),
            expiresAt: try answer.expiry(), interval: answer.interval())
    }

    /// Text that can be shown on a terminal as it is.
    private static func userCode(_ text: String) -> String? {
        let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        return TrustCheck.deviceUserCode.holds(!isBlank && text.printable(100) == text) ? text : nil
    }

    /// A page that a browser may open: other schemes start other programs.
    private static func page(_ text: String) -> URL? {
        guard let url = URL(string: text) else { return nil }
        let parts = URIReference(url.absoluteString)
        let isPage = (parts.hasScheme("https") || parts.hasScheme("http")) && parts.hasPlainHost
        return TrustCheck.deviceVerificationURI.holds(isPage && parts.user == nil) ? url : nil
    }
}

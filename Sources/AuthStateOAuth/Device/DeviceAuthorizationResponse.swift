public import AuthStateFoundation
public import AuthStateJOSE

/// The codes and addresses to confirm a login on another device, and to poll for its tokens (RFC 8628, section 3.2).
///
/// Show `userCode` and `verificationURI` always, beside `verificationURIComplete` too: the user compares the code
/// with the one on the provider's page, and so notices a login that an attacker began (section 5.4).
///
/// An archive of it holds the device code, which is enough to get the tokens once the user has confirmed.
public struct DeviceAuthorizationResponse: Sendable, Hashable, Codable, Redacted {
    /// The request that was answered.
    public var request: DeviceAuthorizationRequest
    /// The code to poll for the tokens with; a secret.
    public var deviceCode: String
    /// The code that the user enters at `verificationURI`.
    public var userCode: String
    /// The page that the user opens; short enough to be typed.
    public var verificationURI: URL
    /// The same with the user code in it, to be opened or shown as a QR code; nil when the provider sends none.
    public var verificationURIComplete: URL?
    /// When both codes expire.
    public var expiresAt: Date
    /// The least time between two polls for the tokens; 5 seconds when the provider does not say.
    public var interval: Duration {
        get { .init(boundedSeconds: intervalInSeconds) }
        set { intervalInSeconds = newValue.inSeconds }
    }
    private var intervalInSeconds: Double

    /// Makes a response, for example to show how it is presented.
    public init(
        request: DeviceAuthorizationRequest, deviceCode: String, userCode: String, verificationURI: URL,
        verificationURIComplete: URL? = nil, expiresAt: Date, interval: Duration = .seconds(5)
    ) {
        self.request = request
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
        intervalInSeconds = interval.inSeconds
    }

    /// The client and the expiry; the codes stay secret.
    public var description: String { "device authorization of \(request.client.id), until \(expiresAt)" }
}

extension DeviceAuthorizationResponse {
    /// Reads an answer of the device authorization endpoint (RFC 8628, section 3.2) to a request that was sent at
    /// `sentAt`. Throws the provider's refusal, or an error for a member that is absent or unusable.
    ///
    /// Google's names from before the RFC, `verification_url` and `verification_url_complete`, are read too.
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
            userCode: try answer.name("user_code", "up to 100 printable characters", Self.userCode),
            verificationURI: try answer.required("verification_uri", or: "verification_url", uri, Self.page),
            verificationURIComplete: answer.optional(
                "verification_uri_complete", or: "verification_url_complete", Self.page),
            expiresAt: try answer.expiry(), interval: answer.interval())
    }

    /// Whether the code can be shown and the pages opened, as those of an answer: of a response that was read from elsewhere.
    package var isShowable: Bool {
        Self.userCode(userCode) != nil
            && [verificationURI, verificationURIComplete].compactMap(\.self).allSatisfy {
                Self.page($0.absoluteString) != nil
            }
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

extension TrustCheck {
    /// A verification URI is a page: http or https, with a plain host, and no user (RFC 8628, 3.2).
    package static let deviceVerificationURI = TrustCheck("deviceVerificationURI")
    /// A user code prints as it is, so that it cannot drive the terminal it is shown on (RFC 8628, 3.3).
    package static let deviceUserCode = TrustCheck("deviceUserCode")
}

public import AuthStateFoundation
public import AuthStateJOSE

/// The codes and addresses with which a user confirms a login on another device, and the program polls for the tokens
/// (RFC 8628, section 3.2).
///
/// Show `userCode` and `verificationURI` always, beside `verificationURIComplete` too: the user compares the code
/// with the one on the provider's page, and so notices a login that an attacker began (section 5.4).
///
/// An archive of it holds the device code, which is enough to get the tokens once the user has confirmed.
public struct DeviceAuthorizationResponse: Sendable, Hashable, Codable {
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
    ///
    /// - Parameters:
    ///   - request: The request that was answered.
    ///   - deviceCode: The code to poll for the tokens with; a secret.
    ///   - userCode: The code that the user enters at `verificationURI`.
    ///   - verificationURI: The page that the user opens.
    ///   - verificationURIComplete: The same page with the user code in its URL; nil when the provider sends none.
    ///   - expiresAt: The time at which both codes expire.
    ///   - interval: The least time between two polls for the tokens, in seconds.
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
}

extension DeviceAuthorizationResponse: Redacted {
    /// The client and the expiry; the codes stay secret.
    public var description: String { "device authorization of \(request.client.id), until \(expiresAt)" }
}

public import AuthStateOAuth

/// Shows the provider's page in the system's own window, `ASWebAuthenticationSession`: for apps on iOS, macOS and visionOS.
///
/// The user's passwords stay out of the app's reach, the cookies of the system's browser are shared, and only this app
/// receives the answer (RFC 8252, section 8.1). Televisions and watches log in with a device code.
public struct WebAuthenticationUserAgent: ExternalUserAgent {
    /// The behaviour of the window.
    public struct Configuration: Sendable, Hashable {
        /// Whether the window shares no cookies with the browser: no user is logged in already, and none is afterwards.
        public var prefersEphemeralWebBrowserSession = false
        /// Header fields for the first request; needs iOS 17.4, macOS 14.4 or visionOS 1.1.
        ///
        /// Those that a browser sets itself, such as `Cookie`, are refused by the system.
        public var additionalHeaderFields: [String: String] = [:]
        /// The URL at which the answer reaches the app, when a page at the redirect URI hands it over; nil for the
        /// redirect URI itself.
        ///
        /// The answer is checked to have come here, and then counts as one at the redirect URI. This is also the place for
        /// the scheme of a development build.
        public var callbackURL: RedirectURI?

        /// Makes a configuration.
        public init(
            prefersEphemeralWebBrowserSession: Bool = false, additionalHeaderFields: [String: String] = [:],
            callbackURL: RedirectURI? = nil
        ) {
            self.prefersEphemeralWebBrowserSession = prefersEphemeralWebBrowserSession
            (self.additionalHeaderFields, self.callbackURL) = (additionalHeaderFields, callbackURL)
        }
    }

    let configuration: Configuration
    private let features: WebAuthenticationFeatures
    let makeBrowser: @MainActor @Sendable () -> any WebAuthenticationBrowser

    package init(
        configuration: Configuration, features: WebAuthenticationFeatures,
        makeBrowser: @escaping @MainActor @Sendable () -> any WebAuthenticationBrowser
    ) {
        (self.configuration, self.features, self.makeBrowser) = (configuration, features, makeBrowser)
    }

    /// Determines what ends the window: the scheme, or the host and path, of the callback URL or the redirect URI.
    ///
    /// - Throws: `AuthStateError`: `.invalidRedirectURI` without a redirect URI, or with one that cannot reach an app;
    ///   `.unsupported` when this version of the system is too old for an https callback or for header fields.
    public func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        let place = try CallbackPlace(
            redirectURI: redirectURI, callbackURL: configuration.callbackURL, stage: purpose.stage)
        guard configuration.additionalHeaderFields.isEmpty || features.additionalHeaderFields else {
            throw Self.tooOld("additional header fields", "Leave them out on older systems.", purpose)
        }
        let callback = try callback(at: place.callbackURL, purpose)
        return WebAuthenticationTrip(self, place: place, purpose: purpose, callback: callback)
    }

    private func callback(
        at callbackURL: RedirectURI, _ purpose: UserAgentPurpose
    ) throws -> WebAuthenticationCallback {
        let parts = callbackURL.parts
        guard parts.hasScheme("https") else { return .scheme((parts.scheme ?? "").lowercased()) }
        guard features.httpsCallbacks else {
            throw Self.tooOld(
                "https callbacks",
                "Use a scheme of the app's own there: as the redirect URI, or as callbackURL behind a page at it.",
                purpose)
        }
        guard parts.hasPlainHost, let host = parts.host, parts.user == nil, parts.port == nil, !parts.path.isEmpty
        else {
            throw AuthStateError(
                .invalidRedirectURI, stage: purpose.stage, "The system cannot receive this https address.",
                expected: "a host without a port, and a path", received: callbackURL.rawValue,
                hint: "Register an address such as https://app.example/callback.")
        }
        return .https(host: String(host), path: String(parts.path))
    }

    private static func tooOld(_ what: String, _ hint: String, _ purpose: UserAgentPurpose) -> AuthStateError {
        AuthStateError(
            .unsupported, stage: purpose.stage, "This version of the system does not know \(what).",
            expected: "iOS 17.4, macOS 14.4, visionOS 1.1 or newer", hint: hint)
    }
}

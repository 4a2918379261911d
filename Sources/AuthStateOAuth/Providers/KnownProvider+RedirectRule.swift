extension KnownProvider {
    /// A provider's demands on redirect URIs beyond the specifications.
    package enum RedirectRule: Sendable, Hashable {
        /// A scheme of an app's own is the client identifier in reverse.
        ///
        /// https://developers.google.com/identity/protocols/oauth2/native-app
        case reversedClientID
        /// https and a domain name: no scheme of an app's own, no address, no localhost.
        ///
        /// https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
        case domainOnly
        /// A port of this machine goes by the name localhost; by its address only where the app's manifest says so.
        ///
        /// https://learn.microsoft.com/en-us/entra/identity-platform/reply-url
        case localhostByName
        /// https, and http://localhost while an app is in development.
        ///
        /// https://developers.facebook.com/docs/facebook-login/security
        case webOnly
        /// A port of this machine goes by its address; the name is refused.
        ///
        /// https://developer.spotify.com/documentation/web-api/concepts/redirect_uri
        case addressOnly
        /// A host within the domain that is registered, after every scheme.
        ///
        /// https://developers.strava.com/docs/authentication/
        case callbackDomain

        /// Whether it decides about the name localhost, so that the usual advice about it is left out.
        var decidesLocalhost: Bool { [.localhostByName, .webOnly, .addressOnly].contains(self) }
    }
}

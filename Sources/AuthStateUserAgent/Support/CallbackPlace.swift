import AuthStateOAuth

/// The place at which an answer arrives in the app: the redirect URI, or the URL that a page there hands it over to.
struct CallbackPlace: Sendable, Hashable, Codable {
    /// The URI that the request carries, and the answer is checked against.
    let redirectURI: RedirectURI
    /// The URL that reaches the app.
    let callbackURL: RedirectURI

    /// Finds the place.
    ///
    /// - Parameters:
    ///   - redirectURI: The caller's choice; nothing can be chosen here, because the system must know the app by it.
    ///   - callbackURL: The URL that the page at the redirect URI hands over to; nil when there is no such page.
    /// - Throws: `AuthStateError` with `.invalidRedirectURI` when nothing that arrives there could reach an app.
    init(redirectURI: RedirectURI?, callbackURL: RedirectURI?, stage: AuthStateError.Stage) throws {
        guard let redirectURI else {
            throw AuthStateError(
                .invalidRedirectURI, stage: stage, "This user agent cannot choose a redirect URI.",
                expected: "one of the app's own, for example com.example.app:/callback",
                hint: "Set the request's redirect URI; for a logout give postLogoutRedirectURI.")
        }
        let callbackURL = callbackURL ?? redirectURI
        guard !callbackURL.parts.hasScheme("http") else {
            throw AuthStateError(
                .invalidRedirectURI, stage: stage, "An http address never reaches an app.",
                expected: "a scheme of the app's own, or https", received: callbackURL.rawValue,
                hint: "Register com.example.app:/callback with the provider, let a page at the redirect URI hand over "
                    + "to it (callbackURL), or use the loopback user agent.")
        }
        (self.redirectURI, self.callbackURL) = (redirectURI, callbackURL)
    }

    /// Returns the callback as it would arrive at the redirect URI, its parameters untouched; nil for another address.
    func callback(_ address: String) -> AuthorizationCallback? {
        guard callbackURL.matches(address) else { return nil }
        guard callbackURL != redirectURI else { return AuthorizationCallback(url: address) }
        let arrived = URIReference(address)
        let query = arrived.query.map { "?\($0)" } ?? ""
        let fragment = arrived.fragment.map { "#\($0)" } ?? ""
        return AuthorizationCallback(url: "\(redirectURI.rawValue.prefix { $0 != "?" })\(query)\(fragment)")
    }
}

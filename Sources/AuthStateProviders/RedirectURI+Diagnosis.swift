public import AuthStateOAuth

extension RedirectURI {
    /// Returns the problems of a redirect URI, the errors first; a text that is none is an error.
    ///
    /// Advice before the first login, which refuses nothing. `AuthorizationRequest.diagnose` checks a whole request.
    ///
    /// - Parameters:
    ///   - text: The redirect URI.
    ///   - app: The declarations of the Apple app that the URI leads to; nil outside of one.
    ///   - responseMode: How the answer will come; nil is by query.
    ///   - provider: The provider, when it has rules of its own.
    ///   - clientID: The client's identifier, which such rules may depend on.
    public static func diagnose(
        _ text: String, app: AppDeclarations? = nil, responseMode: AuthorizationRequest.ResponseMode? = nil,
        provider: KnownProvider? = nil, clientID: String? = nil
    ) -> [Finding] {
        do {
            return try RedirectURI(text).findings(app, responseMode, provider, clientID: clientID)
        } catch {
            let refusal = error as? AuthStateError
            return [
                Finding(
                    .invalidRedirectURI, .error, refusal?.message ?? "\(error)",
                    hint: "Use \(refusal?.expected ?? "an absolute URI").")
            ]
        }
    }

    fileprivate func findings(
        _ app: AppDeclarations?, _ responseMode: AuthorizationRequest.ResponseMode?, _ provider: KnownProvider?,
        clientID: String?
    ) -> [Finding] {
        let subject = RedirectURICheck.Subject(
            parts: parts, app: app, responseMode: responseMode, provider: provider, clientID: clientID)
        return RedirectURICheck.all.compactMap { $0(subject) }.errorsFirst
    }
}

extension AuthorizationRequest {
    /// Returns the problems of a request's redirect URI, client authentication and refresh token, the errors first.
    ///
    /// Google and Apple are known by the provider's issuer; other providers' rules need `provider`.
    ///
    /// - Parameters:
    ///   - app: The declarations of the Apple app that makes the request; nil outside of one.
    ///   - provider: The provider, when it has rules of its own; nil finds Google and Apple by their issuers.
    public func diagnose(app: AppDeclarations? = nil, provider: KnownProvider? = nil) -> [Finding] {
        // Without a redirect URI the user agent chooses one that fits.
        let offline: [Finding] = lacksOfflineConsent ? [.offlineAccessWithoutConsent] : []
        guard let redirectURI else { return offline }
        let known = provider ?? [.google, .apple].first { $0.issuer == client.provider.issuer?.rawValue }
        var findings = redirectURI.findings(app, effectiveResponseMode, known, clientID: client.id)
        let leadsToApp = redirectURI.hasAppScheme || app != nil && !redirectURI.isLoopback
        if client.credential.isStaticSecret, leadsToApp { findings.append(.secretInApp) }
        return (findings + offline).errorsFirst
    }
}

extension RedirectURI {
    /// Whether the scheme is neither http nor https: an app's own.
    package var hasAppScheme: Bool { !parts.hasScheme("http") && !parts.hasScheme("https") }
}

extension ClientCredential {
    /// Whether every copy of a program carries the same secret; one that registration issued, or a private key, is its
    /// own.
    fileprivate var isStaticSecret: Bool {
        switch source {
        case .none, .issued, .function: false
        case .environment, .file, .value: method != .privateKeyJWT && !isAssertion
        }
    }
}

extension Finding {
    /// RFC 8252, section 8.5. Not an error: some providers issue a secret to clients for apps.
    fileprivate static let secretInApp = Finding(
        .secretInApp, .warning, "A secret inside an app is none: every user of the app can read it.",
        hint: "Register a client without a secret (public, native or iOS at the provider) and rely on PKCE; when the "
            + "provider insists on the secret, let a server of yours exchange the code.")

    /// OpenID Connect Core, section 11.
    fileprivate static let offlineAccessWithoutConsent = Finding(
        .offlineAccessWithoutConsent, .warning,
        "Without prompt=consent the provider may ignore offline_access and give no refresh token.",
        hint: "Add consent to the prompts, or leave the prompts out: consent is asked for then.")
}

extension [Finding] {
    fileprivate var errorsFirst: Self { filter { $0.severity == .error } + filter { $0.severity != .error } }
}

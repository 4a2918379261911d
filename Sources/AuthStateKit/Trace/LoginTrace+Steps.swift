import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

extension LoginTrace.Detail {
    /// Parameters whose values are no secrets and say nothing of a user. The values of others are not shown.
    package static let harmless: Set<String> = [
        "acr_values", "access_type", "audience", "client_id", "code_challenge_method", "display", "error",
        "error_description", "error_uri", "grant_type", "iss", "max_age", "prompt", "redirect_uri", "resource",
        "response_mode", "response_type", "scope", "ui_locales",
    ]

    /// Returns a particular for each value that is not nil.
    static func list(_ values: [(String, String?)]) -> [Self] {
        values.compactMap { name, value in value.map { Self(name, $0) } }
    }

    static func time(_ date: Date?) -> String? { date?.formatted(.iso8601) }
}

extension LoginTrace {
    /// Returns a particular whose value is not shown.
    private func hidden(_ name: String, _ value: String?) -> Detail {
        var detail = Detail(name, "…")
        if let value, let recorder { detail.mark = recorder.mark(value) }
        return detail
    }

    /// Returns a particular whose value is not shown, for each value that is not nil.
    private func hidden(_ values: [(String, String?)]) -> [Detail] {
        values.compactMap { name, value in value.map { hidden(name, $0) } }
    }

    /// Returns particulars of parameters by name, with the values that are harmless.
    private func list(_ parameters: Parameters) -> [Detail] {
        parameters.names.map { name in
            let value = parameters.values(name).joined(separator: " ")
            return Detail.harmless.contains(name) ? Detail(name, value) : hidden(name, value)
        }
    }

    func noteDiscovery(_ configuration: ProviderConfiguration) {
        note(
            .discovery, "Knows the provider",
            Detail.list([
                ("issuer", configuration.issuer?.rawValue),
                ("authorization_endpoint", configuration.authorizationEndpoint?.redactedDescription),
                ("token_endpoint", configuration.tokenEndpoint.redactedDescription),
            ]))
    }

    func noteRequest(_ request: AuthorizationRequest) {
        let way =
            request.mustBePushed
            ? "Pushed the authorization request to the provider"
            : request.requestURI != nil
                ? "Made a reference to the authorization request"
                : request.mustBeSigned ? "Signed the authorization request" : "Made the authorization request"
        note(.request, way, (try? request.parameters()).map(list) ?? [])
    }

    func noteBrowser(_ url: URL, expecting redirectURI: RedirectURI) {
        note(
            .browser, "Sends the user to the provider, and waits for the answer",
            Detail.list([("at", url.redactedDescription), ("expected at", redirectURI.rawValue)]))
    }

    func noteCallback(_ callback: AuthorizationCallback, to request: AuthorizationRequest) {
        let (mode, parameters) = callback.answer(to: request)
        note(
            .callback, "The browser came back",
            Detail.list([("at", callback.description), ("by", mode.rawValue)]) + list(parameters))
    }

    func noteAnswer(_ parameters: Parameters, to request: AuthorizationRequest) {
        let isSigned = request.effectiveResponseMode.isSigned
        let checks = "place mode state" + (isSigned ? " signature iss aud exp" : parameters["iss"] == nil ? "" : " iss")
        note(.answer, "The answer belongs to this login, and has a code", [Detail("checked", checks)])
    }

    package func noteLogout(_ pending: PendingLogout) {
        let request = pending.request
        note(
            .browser, "Sends the user to the provider to log out",
            Detail.list([
                ("at", pending.url.redactedDescription), ("expected at", request.postLogoutRedirectURI?.rawValue),
                ("client_id", request.clientID),
            ]) + hidden([("id_token_hint", request.idTokenHint)]))
    }

    package func noteReturn(_ callback: AuthorizationCallback) {
        let parameters = URIReference(callback.url).query.flatMap { Parameters(decoding: $0) } ?? [:]
        note(
            .callback, "The browser came back from a logout",
            Detail.list([("at", callback.description)]) + list(parameters))
    }

    package func noteLogoutAnswer() {
        note(.answer, "The answer belongs to this logout", [Detail("checked", "place state")])
    }

    func noteTokenRequest(_ message: TransportRequest, by client: Client, _ authentication: ClientAuthentication) {
        var form = message.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } ?? [:]
        form["client_id"] = client.id
        note(
            .tokenRequest, "Asks for tokens",
            list(form) + [Detail("client authentication", authentication.method.rawValue)]
                + hidden([("DPoP", message.headers["DPoP"])]))
    }

    func noteWaiting(_ reason: AuthStateError, pause: Duration) {
        note(
            .tokens, "No tokens yet; asks again",
            Detail.list([("code", reason.code.rawValue), ("after", "\(pause.inSeconds) s")]))
    }

    func noteTokens(_ response: TokenResponse, hiding secrets: RequestSecrets) {
        let lifetime = response.accessTokenExpirationDate.map { Int($0.timeIntervalSince(response.issuedAt).rounded()) }
        let others = response.additionalMembers.keys.sorted()
        note(
            .tokens, "Received tokens",
            Detail.list([
                ("token_type", secrets.hiding(foreign: response.tokenType)), ("expires_in", lifetime.map { "\($0) s" }),
                ("scope", response.scope.map { secrets.hiding(foreign: $0) }),
            ])
                + hidden([
                    ("access_token", response.accessToken), ("refresh_token", response.refreshToken),
                    ("id_token", response.idToken),
                ]) + others.map { hidden($0, response.additionalMembers[$0]?.text) })
    }

    func noteIDToken(_ token: IDToken, _ trust: IDTokenTrust) {
        note(
            .idToken, "The ID token is right",
            Detail.list([
                (
                    "checked",
                    "\(trust == .signature ? "signature " : "")iss aud exp\(token.nonce == nil ? "" : " nonce")"
                ),
                ("trusted for its", trust == .signature ? "signature" : "way over TLS"), ("iss", token.issuer),
                ("aud", token.audience.joined(separator: " ")), ("iat", Detail.time(token.issuedAt)),
                ("exp", Detail.time(token.expiresAt)),
            ]) + hidden([("nonce", token.nonce), ("sub", token.subject)]))
    }

    /// - Parameter checks: The claims that passed their checks, and the one that did not.
    func noteRefusedIDToken(_ checks: (passed: [String], failed: String?), _ trust: IDTokenTrust) {
        let passed = (trust == .signature ? ["signature"] : []) + checks.passed
        note(
            .idToken, "The ID token is not right",
            Detail.list([("checked", passed.joined(separator: " ")), ("failed", checks.failed)]))
    }

    func noteLeniency(_ leniency: Leniency, _ subject: String) {
        note(.leniency, "Read an answer leniently", [Detail(leniency.rawValue, subject)])
    }

    func noteUserInfo(_ info: UserInfo) {
        note(
            .userinfo, "Read the claims about the user\(info.isSigned ? ", which are signed" : "")",
            info.claims.keys.sorted().map { hidden($0, info.claims[$0]?.text) })
    }
}

extension JSONValue {
    /// A string as it is, everything else as JSON.
    fileprivate var text: String { stringValue ?? String(decoding: serialized(), as: UTF8.self) }
}

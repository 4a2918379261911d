import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension ProviderState {
    /// An authorization request with a valid client and redirect URI: from here on errors travel back to the client.
    private struct Login {
        var client: Client
        var redirectURI: String
        var mode: AuthorizationRequest.ResponseMode
        var parameters: Parameters
        /// The parameters as the browser brought them: a reference, when the request was pushed.
        var brought: Parameters
    }

    /// The authorization endpoint (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2).
    mutating func authorize(_ request: Request) throws(ProviderRefusal) -> ProviderDecision {
        guard let client = configuration.client(request.parameters["client_id"]) else {
            let names = configuration.clients.map(\.id).prefix(10).joined(separator: ", ")
            let given = request.parameters["client_id"].map { ": \($0.printable(100))" } ?? ": client_id is missing"
            return .problem("This client is not known here\(given). Known: \(names).")
        }
        let parameters: Parameters
        do throws(ProviderRefusal) {
            parameters = try resolved(request.parameters, of: client)
        } catch {
            return .problem("\(error.error): \(error.description ?? "")")
        }
        guard let redirectURI = parameters["redirect_uri"], client.allowsRedirect(to: redirectURI) else {
            let given = parameters["redirect_uri"].map { ": \($0.printable(200))" } ?? ": redirect_uri is missing"
            let known = client.redirectURIs.prefix(10).joined(separator: ", ")
            return .problem("This redirect URI is not registered for the client\(given). Registered: \(known).")
        }
        let login = Login(
            client: client, redirectURI: redirectURI, mode: mode(of: parameters), parameters: parameters,
            brought: request.parameters)
        do throws(ProviderRefusal) {
            try check(parameters, of: client)
            let known = session(for: login, request)
            guard let user = try user(for: login, request, known: known) else {
                let isOther = request.parameters["decision"] == "other"
                let message =
                    request.method == .post && !isOther ? "The name or the password is wrong." : nil
                return .response(
                    ProviderPage.login(
                        parameters, sent: login.brought, client: client.id, session: isOther ? nil : known,
                        message: message
                    ).response)
            }
            forget(request.parameters["request_uri"])
            if let known, known.user == user { return .authorization(try grant(login, to: user, in: known)) }
            // The same user again is the same session: a logout is still told to all of its clients.
            let former = browser(of: request).flatMap { $0.user == user ? $0.sessionID : nil }
            let session = BrowserSession(
                user: user, authenticatedAt: now, sessionID: former ?? newToken(), formToken: newToken())
            let name = newToken()
            if browsers.count >= 1000 { browsers = [:] }
            browsers[name] = session
            var answer = try grant(login, to: user, in: session)
            answer.cookie = "\(cookieName)=\(name); Path=\(configuration.issuerPath)/; HttpOnly; SameSite=Lax"
            return .authorization(answer)
        } catch {
            forget(request.parameters["request_uri"])
            var answer: Parameters = ["error": error.error]
            answer["error_description"] = error.description
            return .authorization(complete(answer, login))
        }
    }

    /// Refuses an invalid request before the login.
    func check(_ parameters: Parameters, of client: Client) throws(ProviderRefusal) {
        guard client.grantTypes.contains(.authorizationCode) else {
            throw ProviderRefusal("unauthorized_client", "The client may not use the code flow.")
        }
        guard ["code", "code id_token", "id_token code"].contains(parameters["response_type"] ?? "") else {
            throw ProviderRefusal("unsupported_response_type", "Only code and code id_token are supported.")
        }
        let wanted = scopes(parameters["scope"])
        let isHybrid = parameters["response_type"] != "code"
        guard !isHybrid || wanted.contains("openid") && parameters["nonce"] != nil else {
            throw .invalidRequest("An ID token beside the code needs the scope openid, and a nonce.")
        }
        let foreign = wanted.first { !configuration.scopes.contains($0) }
        if let foreign { throw .invalidScope("The scope \(foreign) is not known here.") }
        try check(resources: parameters.values("resource"))
        try authorizationDetails(parameters)
        if configuration.requiresPKCE || parameters["code_challenge"] != nil {
            guard parameters["code_challenge"] != nil, parameters["code_challenge_method"] == "S256" else {
                throw .invalidRequest("PKCE with S256 is required.")
            }
        }
    }

    /// The session of the browser, unless the client or the user wants another login (OpenID Connect Core, section 3.1.2.1).
    private func session(for login: Login, _ request: Request) -> BrowserSession? {
        let parameters = login.parameters
        let prompts = (parameters["prompt"] ?? "").split(separator: " ")
        guard !prompts.contains("login"), !prompts.contains("select_account"),
            request.parameters["username"] == nil, let session = browser(of: request),
            parameters["login_hint"].map({ user(named: $0) == session.user }) ?? true,
            parameters["max_age"].flatMap({ Double($0) }).map({ now - session.authenticatedAt <= $0 }) ?? true
        else { return nil }
        return session
    }

    /// The user who logs in; nil when a page has to ask.
    ///
    /// - Parameter known: The session of the browser.
    private func user(for login: Login, _ request: Request, known: BrowserSession?) throws(ProviderRefusal) -> User? {
        if login.parameters["prompt"] == "none", let error = configuration.promptNoneError {
            throw ProviderRefusal(error, "A page would have to be shown.")
        }
        switch configuration.login {
        case .denied: throw ProviderRefusal("access_denied", "The user denied access.")
        case .automatic:
            let hinted = login.parameters["login_hint"].flatMap(user(named:))
            guard let user = hinted ?? configuration.users.first else {
                throw ProviderRefusal("login_required", "There are no users.")
            }
            return user
        case .page:
            if login.parameters["prompt"] == "none" {
                guard let known else { throw ProviderRefusal("login_required") }
                guard hasConsented(known.user, to: login) else { throw ProviderRefusal("consent_required") }
                return known.user
            }
            let answer = request.method == .post ? request.parameters : [:]
            if answer["decision"] == "deny" { throw ProviderRefusal("access_denied", "The user denied access.") }
            // An answer to the page that this session was shown: other pages can send forms too.
            if let known {
                return answer["decision"] == "allow" && answer["form"] == known.formToken ? known.user : nil
            }
            return configuration.user(in: answer)
        }
    }

    /// Whether a user has granted a client what it asks for before.
    private func hasConsented(_ user: User, to login: Login) -> Bool {
        let wanted = Set(scopes(login.parameters["scope"]))
        return grants.values.contains {
            $0.clientID == login.client.id && $0.user.subject == user.subject && !$0.isRevoked
                && wanted.isSubset(of: $0.scopes)
        }
    }

    private mutating func grant(
        _ login: Login, to user: User, in session: BrowserSession? = nil
    ) throws(ProviderRefusal) -> AuthorizationAnswer {
        let (id, code, parameters) = (newToken(), newToken(), login.parameters)
        let granted = consented(scopes(parameters["scope"]))
        let grant = Grant(
            clientID: login.client.id, user: user, scopes: granted, nonce: parameters["nonce"],
            requestedClaims: try RequestedClaims(parameters["claims"]), resources: parameters.values("resource"),
            authorizationDetails: try authorizationDetails(parameters),
            authenticatedAt: session?.authenticatedAt ?? now, sessionID: session?.sessionID ?? newToken())
        grants[id] = grant
        codes[code] = Code(
            grant: id, redirectURI: login.redirectURI, challenge: parameters["code_challenge"],
            key: parameters["dpop_jkt"], expiresAt: now + configuration.codeLifetime.inSeconds)
        var answer = complete(["code": code], login)
        if parameters["response_type"] != "code" {
            answer.idToken = idToken(for: grant, nonce: grant.nonce, accessToken: nil)
            answer.idToken?.code = code
        }
        return answer
    }

    /// Adds the parameters of every answer (RFC 6749, section 4.1.2; RFC 9207), and those of a signed one (JARM,
    /// section 2.1).
    private func complete(_ parameters: Parameters, _ login: Login) -> AuthorizationAnswer {
        var parameters = parameters
        parameters["state"] = login.parameters["state"]
        if configuration.sendsIssuerInAuthorizationResponse { parameters["iss"] = issuer }
        var answer = AuthorizationAnswer(redirectURI: login.redirectURI, mode: login.mode, parameters: parameters)
        if login.mode.isSigned {
            let end = JSONNumber(Int64(now.rounded(.down)) + 600)
            answer.signing = UnsignedToken(
                claims: ["iss": .string(issuer), "aud": .string(login.client.id), "exp": .number(end)],
                algorithm: configuration.answerAlgorithm)
        }
        return answer
    }

    /// The response mode: the requested one, where it is known here, else the default of the response type.
    private func mode(of parameters: Parameters) -> AuthorizationRequest.ResponseMode {
        let asked = parameters["response_mode"].flatMap { name in
            Self.responseModes.first { $0.rawValue == name }
        }
        return .effective(asked, isHybrid: parameters["response_type"]?.contains("id_token") == true)
    }

    /// The supported response modes.
    static let responseModes: [AuthorizationRequest.ResponseMode] = [
        .query, .fragment, .formPost, .jwt, .queryJWT, .fragmentJWT, .formPostJWT,
    ]

    /// What the user grants of the scopes that were asked for.
    func consented(_ scopes: [String]) -> [String] {
        scopes.filter { configuration.consentedScopes?.contains($0) ?? true }
    }

    func scopes(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
}

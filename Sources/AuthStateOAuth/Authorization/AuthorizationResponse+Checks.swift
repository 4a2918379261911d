package import AuthStateJOSE

extension AuthorizationResponse {
    /// The answer in a callback that belongs to a request.
    package enum Answer: Sendable {
        /// Parameters, to be read.
        case plain(Parameters)
        /// A JWT that they are in, to be verified first.
        case signed(SignedAuthorizationResponse)
    }

    /// Returns the answer of a callback after the checks that come before anything in it is believed. Throws
    /// `AuthStateError`: the callback is elsewhere, came by another mode, has a parameter twice or another `state`.
    /// Such a callback may come from an attacker.
    package static func answer(of callback: AuthorizationCallback, for request: AuthorizationRequest) throws -> Answer {
        try checkPlace(callback, request)
        let mode = callback.mode(preferring: request.effectiveResponseMode)
        guard let text = callback.parameters(by: mode), let parameters = Parameters(answer: text),
            !parameters.isEmpty
        else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The callback carries no answer.",
                expected: "parameters by \(mode.rawValue)", received: "none",
                hint: "Start the login again; if it happens again, ask for the response mode that the provider uses.")
        }
        try checkMode(mode, parameters, request)
        let repeated = parameters.repeatedNames
        guard TrustCheck.callbackParameters.holds(Parameters.decisive.isDisjoint(with: repeated)) else {
            throw AuthStateError(
                .duplicateParameter, stage: .authorization, "The answer has a parameter twice.",
                received: repeated.filter(Parameters.decisive.contains).joined(separator: ", "),
                hint: "Start the login again; if it happens again, the provider or a page before it alters the answer.")
        }
        for name in repeated { Leniency.repeatedParameter.note(name) }
        if request.effectiveResponseMode.isSigned, let compact = parameters["response"] {
            return .signed(try SignedAuthorizationResponse(parsing: compact, for: request))
        }
        if parameters["response"] != nil, parameters["state"] == nil {
            throw AuthStateError(
                .malformedResponse, stage: .authorization,
                "The answer is a signed one (JARM), which was not asked for.", expected: "code or error, and state",
                received: "response",
                hint: "Ask for the response mode jwt, or let the provider answer this client without signing.")
        }
        try checkState(parameters, request)
        return .plain(parameters)
    }

    private static func checkPlace(_ callback: AuthorizationCallback, _ request: AuthorizationRequest) throws {
        guard let redirectURI = request.redirectURI, TrustCheck.callbackPlace.holds(redirectURI.matches(callback.url))
        else {
            throw AuthStateError(
                .callbackMismatch, stage: .authorization, "The callback is not at the redirect URI.",
                expected: request.redirectURI?.rawValue, received: callback.description,
                hint: "Behind a proxy, give the callback the address that the browser shows: its scheme, host and port."
            )
        }
        guard TrustCheck.callbackQuery.holds(redirectURI.keepsQuery(in: callback.url)) else {
            throw AuthStateError(
                .callbackMismatch, stage: .authorization,
                "The callback has not the query of the redirect URI.", expected: redirectURI.rawValue,
                received: "another query, or none",
                hint: "Do not continue: a callback for another provider's login looks like this.")
        }
    }

    /// A code has to arrive by the response mode that was asked for, because each mode hides it from other observers.
    /// Errors are accepted by any mode, since providers send errors about the request itself by query; where the answer
    /// has to be signed, only signed errors are accepted.
    private static func checkMode(
        _ mode: AuthorizationRequest.ResponseMode, _ parameters: Parameters, _ request: AuthorizationRequest
    ) throws {
        let expected = request.effectiveResponseMode
        let isFitting =
            expected.isSigned
            ? mode == expected && parameters["response"] != nil : mode == expected || parameters["error"] != nil
        guard TrustCheck.callbackMode.holds(isFitting) else {
            let received = parameters["response"] == nil ? mode.carrier : mode
            let error = parameters["error"].map { ", with the error \($0.printable(60))" } ?? ""
            throw AuthStateError(
                .malformedResponse, stage: .authorization,
                expected.isSigned && mode == expected
                    ? "The answer is not signed." : "The answer came by another response mode.",
                expected: expected.rawValue, received: received.rawValue + error,
                hint: "Ask for the response mode \(received.rawValue)"
                    + (expected.isSigned ? " if the provider does not sign its answers." : ", which the provider uses.")
            )
        }
    }

    /// Compares `state` in constant time, before anything else of the answer is used.
    static func checkState(_ parameters: Parameters, _ request: AuthorizationRequest) throws {
        let state = parameters["state"]
        let isRight = state.map { ConstantTime.equals($0, request.state) } ?? false
        guard TrustCheck.callbackState.holds(isRight) else {
            let error = parameters["error"].map { $0.printable(60) }
            throw AuthStateError(
                .stateMismatch, stage: .authorization,
                "The answer does not belong to this login: state does not match.",
                expected: "the state of the request",
                received: state != nil
                    ? "a different state" : "no state" + (error.map { ", with the error \($0)" } ?? ""))
        }
    }

    /// RFC 9207, section 2.4; a plain OAuth configuration without an issuer has nothing to compare with.
    static func checkIssuer(_ parameters: Parameters, _ request: AuthorizationRequest) throws {
        guard let issuer = parameters["iss"], let expected = request.client.provider.issuer else { return }
        // Some providers percent-encode the values of a form that the browser encodes again.
        let spellings = [expected.rawValue, PercentEncoding.uri(expected.rawValue)]
        guard TrustCheck.callbackIssuer.holds(spellings.containsExactly(issuer)) else {
            throw AuthStateError(
                .issuerParameterMismatch, stage: .authorization, "The answer comes from another provider.",
                expected: expected.rawValue, received: issuer)
        }
    }

    /// An ID token in the answer names the issuer too, and is verified before the code is redeemed (RFC 9207, 4).
    static func checkIssuerPresence(_ parameters: Parameters, _ request: AuthorizationRequest) throws {
        let isInIDToken = request.responseType.includesIDToken && parameters["id_token"] != nil
        let isMissing = !isInIDToken && lacksPromisedIssuer(parameters, request)
        guard TrustCheck.callbackIssuerPresence.holds(!isMissing) else {
            throw AuthStateError(
                .issuerParameterMismatch, stage: .authorization, "The answer lacks iss, which the provider promises.",
                expected: request.client.provider.issuer?.rawValue, received: "no iss",
                hint: "Start the login again; if it happens again the answer may come from another server.")
        }
    }

    /// Returns the error in an answer; an empty one is none. Facebook names some by a number in another parameter.
    static func error(in parameters: Parameters) -> String? {
        let error = parameters["error"] ?? (parameters["code"] == nil ? parameters["error_code"] : nil)
        guard error?.isEmpty == true else { return error }
        Leniency.unusableMember.note("error")
        return nil
    }

    /// The provider's error response; not every provider that promises `iss` sends it with errors.
    static func refusal(_ error: String, _ parameters: Parameters, _ request: AuthorizationRequest) -> AuthStateError {
        let response = OAuthErrorResponse(
            error: error,
            errorDescription: parameters.joined("error_description") ?? parameters.joined("error_message"),
            errorURI: parameters.joined("error_uri")
        ).tolerating(request.client.provider.tolerances)
        var message = "The provider refused the login: \(response.summary)."
        let listed = request.client.provider.metadata?.scopesSupported
        let unlisted = request.scopes.map(\.rawValue).filter { listed?.contains($0) == false }
        if response.code == .invalidScope, !unlisted.isEmpty {
            message += " Its metadata do not list \(unlisted.joined(separator: " "))."
        }
        if lacksPromisedIssuer(parameters, request) { message += " (Unconfirmed: the answer lacks the promised iss.)" }
        return AuthStateError(
            response.code, stage: .authorization, message, hint: hint(response, request, unlisted), response: response)
    }

    /// The advice for a refused request. Some providers refuse `offline_access` without `prompt=consent` (OpenID Connect
    /// Core, section 11), each in words of its own.
    private static func hint(
        _ response: OAuthErrorResponse, _ request: AuthorizationRequest, _ unlisted: [String]
    ) -> String? {
        let hint = response.hint(at: .authorization)
        let needsPage: [AuthStateError.Code] = [
            .loginRequired, .consentRequired, .accountSelectionRequired, .interactionRequired,
        ]
        if request.effectivePrompt.contains(.none), needsPage.contains(response.code) {
            return "Log in with a page: leave out prompt=none."
        }
        let asksOffline = request.scopes.contains(.offlineAccess) && !unlisted.contains(Scope.offlineAccess.rawValue)
        guard asksOffline, !request.effectivePrompt.contains(.consent),
            [.invalidRequest, .invalidScope].contains(response.code),
            [nil, .scopeRefused].contains(RecognizedFailure(response, at: .authorization)?.name)
        else { return hint }
        let advice = "Ask with prompt=consent, which offline_access needs at some providers."
        let isAboutConsent = response.errorDescription?.lowercased().contains("consent") == true
        return isAboutConsent ? advice : [hint, advice].compactMap(\.self).joined(separator: " ")
    }

    private static func lacksPromisedIssuer(_ parameters: Parameters, _ request: AuthorizationRequest) -> Bool {
        // A signed answer has said so already.
        parameters["iss"] == nil && !request.effectiveResponseMode.isSigned
            && request.client.provider.metadata?.authorizationResponseIssParameterSupported == true
    }
}

extension TrustCheck {
    /// PKCE: a provider that lists its methods has S256 among them (RFC 9700, 2.1.1).
    package static let challengeMethod = TrustCheck("challengeMethod")
    /// Hybrid flow: the request has a nonce (OpenID Connect Core, 3.3.2.11).
    package static let hybridNonce = TrustCheck("hybridNonce")
    /// The callback is at the request's redirect URI (RFC 9700, 4.4.2.2).
    package static let callbackPlace = TrustCheck("callbackPlace")
    /// The redirect URI's own query comes back, each pair once and unchanged (RFC 9700, 4.4.2.2).
    package static let callbackQuery = TrustCheck("callbackQuery")
    /// A code comes by the response mode, and signed, as asked for (OAuth 2.0 Multiple Response Types, 2.1; JARM, 2.3).
    package static let callbackMode = TrustCheck("callbackMode")
    /// No parameter comes twice (RFC 6749, 3.1).
    package static let callbackParameters = TrustCheck("callbackParameters")
    /// `state` is the request's, in errors too (RFC 6749, 10.12; RFC 9700, 4.7).
    package static let callbackState = TrustCheck("callbackState")
    /// `iss`, when it is sent, is the issuer (RFC 9207, 2.4).
    package static let callbackIssuer = TrustCheck("callbackIssuer")
    /// `iss` is sent when the provider promises it, unless an ID token names the issuer (RFC 9207, 2.4 and 4).
    package static let callbackIssuerPresence = TrustCheck("callbackIssuerPresence")
    /// Hybrid flow: the answer brings the ID token that ties the code to it (OpenID Connect Core, 3.3.2.5).
    package static let callbackIDToken = TrustCheck("callbackIDToken")
    /// Signed answer: the signature is the provider's, by an algorithm with a public key (JARM, 2.4).
    package static let signedResponseSignature = TrustCheck("signedResponseSignature")
    /// Signed answer: `typ` names no other kind of token (RFC 8725, 3.11).
    package static let signedResponseType = TrustCheck("signedResponseType")
    /// Signed answer: `iss` is the issuer (JARM, 2.4).
    package static let signedResponseIssuer = TrustCheck("signedResponseIssuer")
    /// Signed answer: `aud` names the client (JARM, 2.4).
    package static let signedResponseAudience = TrustCheck("signedResponseAudience")
    /// Signed answer: `exp` is present and in the future (JARM, 2.4).
    package static let signedResponseExpiry = TrustCheck("signedResponseExpiry")
    /// Signed answer: `nbf`, if present, is past (RFC 7519, 4.1.5).
    package static let signedResponseNotBefore = TrustCheck("signedResponseNotBefore")
    /// The issuer is one of those that the program allows (OpenID Connect Core, 4).
    package static let thirdPartyIssuer = TrustCheck("thirdPartyIssuer")
}

import AuthStateJOSE

extension AuthorizationRequest {
    /// Whether the parameters have to be pushed (RFC 9126, section 5).
    package var mustBePushed: Bool { isPushed ?? client.provider.metadata?.requirePushedAuthorizationRequests ?? false }

    /// Whether the parameters have to be signed here (RFC 9101, section 10.5).
    package var mustBeSigned: Bool {
        signingCredential != nil
            || requestURI == nil && client.provider.metadata?.requireSignedRequestObject == true
    }

    /// Whether the ID token may lack the nonce: by name, and where the provider promises to tie the code to the verifier.
    package var mayOmitNonce: Bool {
        let methods = client.provider.metadata.map { $0.codeChallengeMethodsSupported ?? [] } ?? ["S256"]
        return client.provider.tolerances.contains(.missingNonce) && methods.contains("S256")
            && !responseType.includesIDToken
    }

    /// The effective `prompt`: the request's own, or consent to offline access where the provider requires it (Core,
    /// 11).
    package var effectivePrompt: [Prompt] { prompt.isEmpty && needsOfflineConsent ? [.consent] : prompt }

    /// Whether `offline_access` needs consent: as the request says, else as the provider's metadata list the prompt.
    private var needsOfflineConsent: Bool {
        guard scopes.contains(.openID), scopes.contains(.offlineAccess) else { return false }
        return asksConsentForOfflineAccess
            ?? (client.provider.metadata?.promptValuesSupported?.contains(Prompt.consent.rawValue) == true)
    }

    /// Whether the provider may refuse offline access silently, because the request does not ask for consent.
    package var lacksOfflineConsent: Bool { needsOfflineConsent && !effectivePrompt.contains(.consent) }

    /// All parameters, for the browser's URL, a pushed request and a request object alike; throws when the redirect URI
    /// is missing, a scope is malformed, or an additional parameter would replace another.
    package func parameters() throws -> Parameters {
        guard let redirectURI else { throw Self.refusal(.invalidRedirectURI, "The request has no redirect URI.") }
        var result: Parameters = [
            "response_type": responseType.rawValue, "client_id": client.id, "redirect_uri": redirectURI.rawValue,
        ]
        result["scope"] = try scopes.joined(stage: .authorization, tolerating: client.provider.tolerances)
        result["state"] = state
        result["nonce"] = nonce
        result["code_challenge"] = try codeVerifier.challenge()
        result["code_challenge_method"] = "S256"
        // Named with an ID token although it is the default: some providers would put one into the query.
        result["response_mode"] = (responseMode ?? (responseType.includesIDToken ? .fragment : nil))?.rawValue
        let prompt = effectivePrompt
        result["prompt"] = prompt.isEmpty ? nil : prompt.map(\.rawValue).joined(separator: " ")
        result["login_hint"] = loginHint
        result["max_age"] = maxAge.map(String.init)
        result["ui_locales"] = uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")
        result["acr_values"] = acrValues.isEmpty ? nil : acrValues.joined(separator: " ")
        result["display"] = display
        result["id_token_hint"] = idTokenHint
        result["claims"] = claims.map { String(decoding: $0.serialized(), as: UTF8.self) }
        for resource in resources { result.append("resource", resource) }
        result["authorization_details"] = authorizationDetails.isEmpty ? nil : authorizationDetails.parameter
        result["dpop_jkt"] = dpopKey?.thumbprint
        try result.add(additionalParameters, reserved: ["request", "request_uri"], stage: .authorization)
        return result
    }
}

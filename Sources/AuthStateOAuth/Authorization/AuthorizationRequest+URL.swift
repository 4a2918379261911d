import AuthStateJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AuthorizationRequest {
    /// The URL to open in the person's browser; the endpoint's own query is kept.
    ///
    /// - Throws: `AuthStateError`: the redirect URI is missing, the provider does not support PKCE with S256, this library
    ///   not the response type or mode, a scope is malformed, or `openid` is asked for without an issuer and its keys.
    public func url() throws -> URL {
        guard let endpoint = configuration.authorizationEndpoint else {
            throw Self.refusal(.endpointMissing, "The provider has no authorization endpoint.")
        }
        try check()
        return try endpoint.appending(parameters(), stage: .authorization)
    }

    private func parameters() throws -> Parameters {
        guard let redirectURI else {
            throw Self.refusal(.invalidRedirectURI, "The request has no redirect URI.")
        }
        var result: Parameters = [
            "response_type": responseType.rawValue, "client_id": clientID, "redirect_uri": redirectURI.rawValue,
        ]
        result["scope"] = try scopes.joined(stage: .authorization, tolerating: configuration.tolerances)
        result["state"] = state
        result["nonce"] = nonce
        result["code_challenge"] = try codeVerifier.challenge()
        result["code_challenge_method"] = "S256"
        // Named with an ID token although it is the default: there are providers that would put one into the query.
        result["response_mode"] = (responseMode ?? (responseType.includesIDToken ? .fragment : nil))?.rawValue
        result["prompt"] = prompt.isEmpty ? nil : prompt.map(\.rawValue).joined(separator: " ")
        result["login_hint"] = loginHint
        result["max_age"] = maxAge.map(String.init)
        result["ui_locales"] = uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")
        result["acr_values"] = acrValues.isEmpty ? nil : acrValues.joined(separator: " ")
        result["display"] = display
        result["id_token_hint"] = idTokenHint
        result["claims"] = claims.map { String(decoding: $0.serialized(), as: UTF8.self) }
        for resource in resources { result.append("resource", resource) }
        if let clash = additionalParameters.names.first(where: { result[$0] != nil }) {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "An additional parameter would replace \(clash).",
                hint: "Set the property of the request instead."
            )
        }
        result.merge(additionalParameters)
        return result
    }

    private static func refusal(_ code: AuthStateError.Code, _ message: String) -> AuthStateError {
        AuthStateError(code, stage: .authorization, message)
    }
}

import AuthStateJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AuthorizationRequest {
    /// The URL to open in the person's browser; the endpoint's own query is kept.
    ///
    /// - Throws: `AuthStateError`: the redirect URI is missing, the provider does not support PKCE with S256 or the
    ///   response type, a scope is malformed, or `openid` is asked for without an issuer and its keys.
    public func url() throws -> URL {
        guard let endpoint = configuration.authorizationEndpoint else {
            throw Self.refusal(.endpointMissing, "The provider has no authorization endpoint.")
        }
        try checkSupport()
        return try endpoint.appending(parameters(), stage: .authorization)
    }

    private func checkSupport() throws {
        if let methods = configuration.metadata?.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw AuthStateError(
                .pkceUnsupported, stage: .authorization, "The provider does not support PKCE with S256.",
                expected: "S256", received: methods.joined(separator: " "),
                hint: "Ask the provider to support S256; the method plain does not protect the code."
            )
        }
        guard responseType.isSupported else {
            throw AuthStateError(
                .unsupported, stage: .authorization, "This response type is not supported.",
                expected: "code, or code id_token", received: responseType.rawValue,
                hint: "Implicit response types put tokens into URLs; use the code flow."
            )
        }
        if isOpenID, !configuration.canVerifyIDTokens(fromBrowser: responseType.includesIDToken) {
            throw AuthStateError(
                .invalidMetadata, stage: .authorization, "The ID token could not be verified.",
                expected: "an issuer and a jwks_uri in the service configuration",
                hint: "Use discovery, give issuer and jwksURI, or leave out the scope openid."
            )
        }
        if responseType.includesIDToken, nonce == nil {
            throw Self.refusal(.invalidArgument, "The hybrid flow needs a nonce.")
        }
        if prompt.contains(.none), prompt.count > 1 {
            throw Self.refusal(.invalidArgument, "prompt=none cannot be combined with another prompt.")
        }
    }

    private func parameters() throws -> Parameters {
        guard let redirectURI else {
            throw Self.refusal(.invalidRedirectURI, "The request has no redirect URI.")
        }
        var result: Parameters = [
            "response_type": responseType.rawValue, "client_id": clientID, "redirect_uri": redirectURI.rawValue,
        ]
        result["scope"] = try scopes.joined(stage: .authorization)
        result["state"] = state
        result["nonce"] = nonce
        result["code_challenge"] = try codeVerifier.challenge()
        result["code_challenge_method"] = "S256"
        result["response_mode"] = responseMode?.rawValue
        result["prompt"] = prompt.isEmpty ? nil : prompt.map(\.rawValue).joined(separator: " ")
        result["login_hint"] = loginHint
        result["max_age"] = maxAge.map(String.init)
        result["ui_locales"] = uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")
        result["acr_values"] = acrValues.isEmpty ? nil : acrValues.joined(separator: " ")
        result["display"] = display
        result["id_token_hint"] = idTokenHint
        result["claims"] = claims.map { String(decoding: $0.serialized(), as: UTF8.self) }
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

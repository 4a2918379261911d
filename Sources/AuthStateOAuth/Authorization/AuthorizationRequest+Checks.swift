import AuthStateJOSE

extension AuthorizationRequest {
    /// Refuses a request that would fail or be insecure, before the browser is sent to the provider.
    func check() throws {
        try checkChallengeMethod()
        try checkResponseType()
        try checkResponseMode()
        try checkReference()
        try ResourceIndicators.check(resources, stage: .authorization)
        try authorizationDetails.check(client.provider.metadata, stage: .authorization)
        if needsIDToken { try client.provider.checkIDTokens(fromBrowser: responseType.includesIDToken) }
        guard TrustCheck.hybridNonce.holds(!responseType.includesIDToken || nonce != nil) else {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "The hybrid flow needs a nonce.",
                hint: "Ask for the scope openid, and leave the nonce to the request.")
        }
        if let dpopKey { try client.provider.check(dpopAlgorithm: dpopKey.algorithm, stage: .authorization) }
        if prompt.contains(.none), prompt.count > 1 {
            throw AuthStateError(
                .invalidArgument, stage: .authorization, "prompt=none cannot be combined with another prompt.",
                hint: "Leave out none, or the others.")
        }
    }

    private func checkChallengeMethod() throws {
        guard let methods = client.provider.metadata?.codeChallengeMethodsSupported else { return }
        guard TrustCheck.challengeMethod.holds(methods.contains("S256")) else {
            throw AuthStateError(
                .pkceUnsupported, stage: .authorization, "The provider does not support PKCE with S256.",
                expected: "S256", received: methods.joined(separator: " "),
                hint: "Ask the provider to support S256; the method plain does not protect the code.")
        }
    }

    /// Only types with a code and without an access token: everything else puts tokens into URLs (RFC 9700, 2.1.2).
    private func checkResponseType() throws {
        guard !responseType.isSupported else { return }
        throw AuthStateError(
            .unsupported, stage: .authorization,
            responseType.isImplicit
                ? "Implicit response types are not supported: they put tokens into URLs."
                : "This response type is not supported.",
            expected: "code, or code id_token", received: responseType.rawValue,
            hint: "Use the code flow; it gives the same tokens.")
    }

    /// A reference of the client's own, which leads over https or to this machine, so that its target cannot be changed
    /// on the way (RFC 9101, section 10.4.1).
    private func checkReference() throws {
        guard let requestURI else { return }
        guard client.provider.metadata?.requestURIParameterSupported != false else {
            throw Self.refusal(
                .unsupported, "The provider does not follow references to requests.",
                hint: "Send the signed request itself: set signingCredential instead of requestURI.")
        }
        let parts = URIReference(requestURI)
        guard requestURI.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), parts.hasScheme("https") || parts.isLoopback
        else {
            throw Self.refusal(
                .invalidArgument, "The reference to the request cannot be used.", expected: "an https URL",
                received: parts.redacted)
        }
    }
}

extension AuthorizationRequest.ResponseType {
    /// Whether the authorization endpoint would issue tokens itself, without a code.
    fileprivate var isImplicit: Bool { words.contains("token") || words == ["id_token"] }
}

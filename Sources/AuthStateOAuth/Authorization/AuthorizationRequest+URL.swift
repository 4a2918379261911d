public import AuthStateFoundation

extension AuthorizationRequest {
    /// The URL to open in the user's browser, with all parameters in it, or `requestURI` when that is set; the
    /// endpoint's own query is kept.
    ///
    /// - Throws: `AuthStateError`: the redirect URI is missing, the provider does not support PKCE with S256, this library
    ///   not the response type or mode, a scope or resource is malformed, `openid` is asked for without an issuer and its
    ///   keys, or the request has to be signed or pushed, which `AuthorizationService` does.
    public func url() throws -> URL {
        let endpoint = try checkedEndpoint()
        guard !mustBePushed else {
            throw Self.refusal(
                .invalidArgument, "This request has to be pushed to the provider before the browser opens.",
                hint: "Use AuthorizationService.begin(_:).")
        }
        if let requestURI { return try endpoint.appending(outside(["request_uri": requestURI]), stage: .authorization) }
        guard !mustBeSigned else {
            throw Self.refusal(
                .invalidArgument, "This request has to be signed.",
                hint: "Use AuthorizationService.begin(_:).")
        }
        return try endpoint.appending(parameters(), stage: .authorization)
    }

    /// The URL to open when the request was pushed (RFC 9126, section 4), with client and reference; throws as `url()`.
    package func url(pushedAs response: PushedAuthorizationResponse) throws -> URL {
        try checkedEndpoint().appending(
            ["client_id": client.id, "request_uri": response.requestURI], stage: .authorization)
    }

    /// The URL to open when the request is signed (RFC 9101, section 5.1), with the compact form of its object in it;
    /// throws `AuthStateError`, as `url()`.
    package func url(signedAs requestObject: String) throws -> URL {
        let endpoint = try checkedEndpoint()
        guard client.provider.metadata?.requestParameterSupported != false else {
            throw Self.refusal(
                .unsupported, "The provider does not take signed requests from the browser.",
                hint: "Push the request (isPushed), or leave out signingCredential.")
        }
        return try endpoint.appending(outside(["request": requestObject]), stage: .authorization)
    }

    /// The parameters beside a request object: the client (RFC 9101, section 5), and those that keep the request valid
    /// for OAuth software that does not read the object (OpenID Connect Core, sections 6.1 and 6.2).
    private func outside(_ object: Parameters) throws -> Parameters {
        var result: Parameters = ["client_id": client.id, "response_type": responseType.rawValue]
        result["scope"] = try scopes.joined(stage: .authorization, tolerating: client.provider.tolerances)
        result.merge(object)
        return result
    }

    private func checkedEndpoint() throws -> URL {
        let endpoint = try client.provider.authorizationEndpoint.required(
            at: .authorization, "The provider has no authorization endpoint.")
        try check()
        return endpoint
    }

    static func refusal(
        _ code: AuthStateError.Code, _ message: String, expected: String? = nil, received: String? = nil,
        hint: String? = nil
    ) -> AuthStateError {
        AuthStateError(code, stage: .authorization, message, expected: expected, received: received, hint: hint)
    }
}

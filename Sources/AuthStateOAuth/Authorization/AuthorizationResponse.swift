import AuthStateJOSE

/// What the authorization endpoint answered, checked against the request (RFC 6749, section 4.1.2; RFC 9207).
public struct AuthorizationResponse: Sendable, Hashable, Codable {
    /// The request that this answers.
    public let request: AuthorizationRequest
    /// The authorization code, good for one exchange.
    public let code: String
    /// The first ID token of the hybrid flow, not verified yet.
    public let idToken: String?
    /// What was granted, when it is not what was asked for.
    public let scope: String?
    /// Everything else that came.
    public let additionalParameters: Parameters

    /// Reads a callback and checks it: its place, repeated parameters, `state`, `iss`, then error or code.
    ///
    /// - Throws: `AuthStateError` that names the first check that failed, or carries the provider's error response.
    public init(callback: AuthorizationCallback, for request: AuthorizationRequest) throws {
        let parameters = try Self.parameters(of: callback, for: request)
        try Self.checkState(parameters, request)
        let issuer = try Self.checkIssuer(parameters, request)
        if let error = parameters["error"] {
            throw Self.refusal(error, parameters, request, isConfirmed: issuer != nil)
        }
        if issuer == nil, request.configuration.metadata?.authorizationResponseIssParameterSupported == true {
            throw AuthStateError(
                .issuerParameterMismatch, stage: .authorization, "The answer lacks iss, which the provider promises.",
                expected: request.configuration.issuer?.rawValue, received: "no iss",
                hint: "Start the login again; if it happens again the answer may come from another server."
            )
        }
        guard let code = parameters["code"], !code.isEmpty else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The answer has neither a code nor an error.",
                expected: "code", received: parameters.names.joined(separator: ", ")
            )
        }
        if request.responseType.includesIDToken, parameters["id_token"] == nil {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The answer lacks the ID token that was asked for.")
        }
        self.request = request
        self.code = code
        idToken = request.responseType.includesIDToken ? parameters["id_token"] : nil
        scope = parameters["scope"]
        var rest = parameters
        for name in ["code", "state", "iss", "id_token", "scope"] { rest[name] = nil }
        additionalParameters = rest
    }

    private static func parameters(
        of callback: AuthorizationCallback, for request: AuthorizationRequest
    ) throws -> Parameters {
        guard let redirectURI = request.redirectURI, redirectURI.matches(callback.url) else {
            throw AuthStateError(
                .callbackMismatch, stage: .authorization, "The callback is not at the redirect URI.",
                expected: request.redirectURI?.rawValue, received: callback.description
            )
        }
        let parts = URIReference(callback.url)
        let text: Substring?
        switch request.effectiveResponseMode {
        case .formPost: text = callback.formBody.map { $0[...] }
        case .fragment: text = parts.fragment
        default: text = parts.query
        }
        guard let text, let parameters = Parameters(decoding: text), !parameters.isEmpty else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The callback carries no answer.",
                expected: "parameters by \(request.effectiveResponseMode.rawValue)"
            )
        }
        if let name = parameters.repeatedName {
            throw AuthStateError(
                .duplicateParameter, stage: .authorization, "The answer has a parameter twice.", received: name)
        }
        return parameters
    }

    private static func checkState(_ parameters: Parameters, _ request: AuthorizationRequest) throws {
        guard let state = parameters["state"], ConstantTime.equals(state, request.state) else {
            throw AuthStateError(
                .stateMismatch, stage: .authorization,
                "The answer does not belong to this login: state does not match.",
                expected: "the state of the request",
                received: parameters["state"] == nil ? "no state" : "a different state",
                hint: "Start the login again, and use the newest browser tab."
            )
        }
    }

    private static func checkIssuer(_ parameters: Parameters, _ request: AuthorizationRequest) throws -> String? {
        guard let issuer = parameters["iss"] else { return nil }
        guard let expected = request.configuration.issuer, issuer == expected.rawValue else {
            // A plain OAuth configuration without an issuer has nothing to compare with.
            if request.configuration.issuer == nil { return issuer }
            throw AuthStateError(
                .issuerParameterMismatch, stage: .authorization, "The answer comes from another provider.",
                expected: request.configuration.issuer?.rawValue, received: issuer,
                hint: "Do not continue: this is how a mix-up attack looks."
            )
        }
        return issuer
    }

    private static func refusal(
        _ error: String, _ parameters: Parameters, _ request: AuthorizationRequest, isConfirmed: Bool
    ) -> AuthStateError {
        let response = OAuthErrorResponse(
            error: error, errorDescription: parameters["error_description"], errorURI: parameters["error_uri"])
        let promised = request.configuration.metadata?.authorizationResponseIssParameterSupported == true
        var message = "The provider refused the login: \(response.summary)."
        if promised, !isConfirmed { message += " (Unconfirmed: the answer lacks the promised iss.)" }
        return AuthStateError(
            response.code, stage: .authorization, message, hint: response.hint, response: response)
    }
}

extension AuthorizationResponse: CustomStringConvertible, CustomReflectable {
    /// The client, never the code.
    public var description: String { "authorization response for \(request.clientID)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

public import AuthStateJOSE

/// The authorization endpoint's answer, checked against the request (RFC 6749, section 4.1.2; RFC 9207).
public struct AuthorizationResponse: Sendable, Hashable, Codable, Redacted {
    /// The request that this answers.
    public package(set) var request: AuthorizationRequest
    /// The authorization code, valid for one exchange.
    public package(set) var code: String
    /// The first ID token of the hybrid flow, not verified yet.
    public let idToken: String?
    /// The granted scope, when it differs from the requested one.
    public package(set) var scope: String?
    /// Everything else that came.
    public package(set) var additionalParameters: Parameters

    /// Reads a callback and checks it: its place and mode, repeated parameters, `state`, `iss`, then error or code.
    ///
    /// - Throws: `AuthStateError` that names the first check that failed, or carries the provider's error response;
    ///   `.unsupported` for a signed answer (JARM), which `AuthorizationService` verifies with the provider's keys.
    public init(callback: AuthorizationCallback, for request: AuthorizationRequest) throws {
        guard case .plain(let parameters) = try Self.answer(of: callback, for: request) else {
            throw AuthorizationRequest.refusal(
                .unsupported, "A signed answer cannot be read without the provider's keys.",
                hint: "Use AuthorizationService.authorizationResponse(for:callback:).")
        }
        try self.init(parameters, for: request)
    }

    /// Reads the parameters of a callback that belongs to the request: `iss`, then error or code. Throws
    /// `AuthStateError` that names the first check that failed, or carries the provider's error response.
    package init(_ parameters: Parameters, for request: AuthorizationRequest) throws {
        try Self.checkIssuer(parameters, request)
        let error = Self.error(in: parameters)
        if error == nil || request.client.provider.namedByResource == true {
            try Self.checkIssuerPresence(parameters, request)
        }
        if let error { throw Self.refusal(error, parameters, request) }
        guard let code = parameters["code"], !code.isEmpty else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The answer has neither a code nor an error.",
                expected: "code", received: parameters.names.joined(separator: ", "),
                hint:
                    "Start the login again; if it happens again, the provider does not complete logins of this client.")
        }
        let idToken = request.responseType.includesIDToken ? parameters["id_token"] : nil
        guard TrustCheck.callbackIDToken.holds(!request.responseType.includesIDToken || idToken != nil) else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The answer lacks the ID token that was asked for.",
                expected: "id_token", received: parameters.names.joined(separator: ", "),
                hint: "Start the login again; if it happens again the answer may have been tampered with.")
        }
        self.request = request
        self.code = code
        self.idToken = idToken
        scope = request.client.provider.tolerances.grantedScope(parameters["scope"])
        var rest = parameters
        // Tokens that the request did not ask for are not kept either.
        for name in ["code", "state", "iss", "id_token", "scope", "access_token"] { rest[name] = nil }
        additionalParameters = rest
    }

    /// The client, never the code.
    public var description: String { "authorization response for \(request.client.id)" }
}

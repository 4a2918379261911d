import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The pushed authorization request endpoint (RFC 9126, section 2).
    mutating func push(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        let client = try authenticate(request)
        guard request.parameters["request_uri"] == nil else { throw .invalidRequest("A reference cannot be pushed.") }
        var parameters = request.parameters
        // The parameters of the client's proof are no part of the request.
        for name in ["client_secret", "client_assertion", "client_assertion_type"] { parameters[name] = nil }
        parameters["client_id"] = client.id
        parameters = try signedParameters(parameters, of: client)
        guard let redirectURI = parameters["redirect_uri"], client.allowsRedirect(to: redirectURI) else {
            throw .invalidRequest("The redirect URI is not registered for the client.")
        }
        try check(parameters, of: client)
        if let key = try provenKey(of: request) {
            guard parameters["dpop_jkt"] ?? key == key else {
                throw ProviderRefusal("invalid_dpop_proof", "The proof's key is not that of dpop_jkt.")
            }
            parameters["dpop_jkt"] = key
        }
        pushedRequests = pushedRequests.filter { now < $0.value.expiresAt }
        let reference = "urn:ietf:params:oauth:request_uri:\(newToken())"
        pushedRequests[reference] = PushedRequest(
            clientID: client.id, parameters: parameters, expiresAt: now + configuration.pushedRequestLifetime.inSeconds)
        return .json(
            [
                "request_uri": .string(reference),
                "expires_in": JSONValue(floatLiteral: configuration.pushedRequestLifetime.inSeconds),
            ], status: 201)
    }

    /// The effective parameters of a request at the authorization endpoint: its own, those of a request object, or
    /// those that were pushed; the login page's additions stay.
    func resolved(_ parameters: Parameters, of client: Client) throws(ProviderRefusal) -> Parameters {
        guard let reference = parameters["request_uri"], configuration.publishedRequestObjects[reference] == nil else {
            guard !configuration.requiresPushedAuthorizationRequests else {
                throw .invalidRequest("Authorization requests have to be pushed.")
            }
            return try signedParameters(parameters, of: client)
        }
        guard let pushed = pushedRequests[reference], pushed.clientID == client.id, now < pushed.expiresAt else {
            throw ProviderRefusal("invalid_request_uri", "The reference is not known, expired, or another client's.")
        }
        var result = pushed.parameters
        for name in ["username", "password", "decision"] { result[name] = parameters[name] }
        return result
    }

    /// Forgets a reference, which is valid for one login: reloading the page that asks for a password does not use it
    /// up.
    mutating func forget(_ reference: String?) { if let reference { pushedRequests[reference] = nil } }
}

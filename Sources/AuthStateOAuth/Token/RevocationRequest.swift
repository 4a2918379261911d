import AuthStateJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request to the revocation endpoint (RFC 7009, section 2.1).
public struct RevocationRequest: Sendable, Hashable {
    /// The provider.
    public var configuration: ServiceConfiguration
    /// The client that the token was issued to.
    public var clientID: String
    /// The token.
    public var token: String
    /// What kind of token it is; nil leaves it to the provider to find out.
    public var tokenTypeHint: TokenTypeHint?

    /// Makes a request.
    public init(
        configuration: ServiceConfiguration, clientID: String, token: String, tokenTypeHint: TokenTypeHint? = nil
    ) {
        self.configuration = configuration
        self.clientID = clientID
        self.token = token
        self.tokenTypeHint = tokenTypeHint
    }

    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            guard let endpoint = configuration.revocationEndpoint else {
                throw AuthStateError(.endpointMissing, stage: .logout, "The provider has no revocation endpoint.")
            }
            return endpoint
        }
    }

    /// The HTTP request: a form, with the client's proof.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`.
    public func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        let endpoint = try endpoint
        var form: Parameters = ["token": token]
        form["token_type_hint"] = tokenTypeHint?.rawValue
        return try TransportRequest(posting: form, to: endpoint, authentication: authentication, stage: .logout)
    }
}

extension RevocationRequest {
    /// Checks an answer (RFC 7009, section 2.2): success is the same for a token that was unknown.
    ///
    /// There are providers, Google one of them, that say `invalid_token` to one that counts no more: that is success too.
    ///
    /// - Throws: `AuthStateError` of stage logout.
    public func validate(_ response: TransportResponse) throws {
        if (200...299).contains(response.status) { return }
        let json = try? JSONValue(parsing: [UInt8](response.body))
        guard response.status < 500, let error = OAuthErrorResponse(json) else {
            if response.status == 401 || response.status == 403 {
                throw AuthStateError(
                    .invalidClient, stage: .logout,
                    "The revocation endpoint does not serve this client (status \(response.status)).",
                    hint: "The tokens count until they end; allow the client to revoke them, if the provider can.",
                    httpStatus: response.status)
            }
            throw AuthStateError.endpoint("revocation endpoint", response, stage: .logout)
        }
        if response.status == 400, error.error == "invalid_token" { return }
        throw AuthStateError(
            error.code, stage: .logout, "The revocation endpoint refused: \(error.summary).", hint: error.hint,
            response: error, httpStatus: response.status)
    }
}

extension RevocationRequest: CustomStringConvertible, CustomReflectable {
    /// The client; the token stays secret.
    public var description: String { "revocation request of \(clientID)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

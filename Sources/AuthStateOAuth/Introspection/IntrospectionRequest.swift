#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A question to the provider about a token (RFC 7662, section 2.1).
///
/// A client asks about its own tokens. A resource server, which asks about tokens that come in, has more to check.
public struct IntrospectionRequest: Sendable, Hashable {
    /// The provider.
    public var configuration: ServiceConfiguration
    /// The client that asks.
    public var clientID: String
    /// The token.
    public var token: String
    /// What kind of token it is; nil leaves it to the provider to find out.
    public var tokenTypeHint: TokenTypeHint?
    /// Whatever else the provider understands.
    public var additionalParameters: Parameters = [:]

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
            guard let endpoint = configuration.introspectionEndpoint else {
                throw AuthStateError(.endpointMissing, stage: .token, "The provider has no introspection endpoint.")
            }
            return endpoint
        }
    }

    /// The HTTP request: a form, with the client's proof.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`, or `.invalidArgument` when an additional parameter would replace
    ///   one of the request's.
    public func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        var form: Parameters = ["token": token]
        form["token_type_hint"] = tokenTypeHint?.rawValue
        return try TransportRequest(
            posting: form, additional: additionalParameters, to: endpoint, authentication: authentication,
            stage: .token)
    }
}

extension IntrospectionRequest: CustomStringConvertible, CustomReflectable {
    /// The client; the token stays secret.
    public var description: String { "introspection request of \(clientID)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

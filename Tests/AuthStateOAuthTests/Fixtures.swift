import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Values that many tests start from.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    static func configuration() throws -> ProviderConfiguration {
        ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: try url("https://op.example/authorize"),
            tokenEndpoint: try url("https://op.example/token"), jwksURI: try url("https://op.example/keys"),
            endSessionEndpoint: try url("https://op.example/logout"),
            registrationEndpoint: try url("https://op.example/register"))
    }

    /// The metadata that OpenID Connect Discovery requires, with a test's changes.
    static func metadata(_ changes: [String: JSONValue?] = [:]) throws -> ProviderMetadata {
        var document: [String: JSONValue] = [
            "issuer": "https://op.example",
            "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token",
            "jwks_uri": "https://op.example/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
        for (name, value) in changes { document[name] = value }
        return try ProviderMetadata(document: document)
    }

    static func configuration(metadata changes: [String: JSONValue?]) throws -> ProviderConfiguration {
        try ProviderConfiguration(metadata: metadata(changes), issuer: Issuer("https://op.example"))
    }

    /// A request whose secrets carry the marker.
    static func request(
        _ configuration: ProviderConfiguration? = nil, scopes: [Scope] = [.openID, .profile]
    ) throws -> AuthorizationRequest {
        var request = AuthorizationRequest(
            Client(try configuration ?? Fixtures.configuration(), id: "client"), scopes: scopes,
            redirectURI: try RedirectURI("https://app.example/callback"))
        request.state = Secrets.make("state")
        request.nonce = Secrets.make("nonce")
        request.codeVerifier = try CodeVerifier(Secrets.make("verifier-0123456789-0123456789-0123456789"))
        return request
    }

    /// The answer to a request, by query.
    static func response(
        _ query: String, to request: AuthorizationRequest
    ) throws -> AuthorizationResponse {
        try AuthorizationResponse(
            callback: AuthorizationCallback(url: "https://app.example/callback?\(query)"), for: request)
    }

    static func json(_ text: String, status: Int = 200, headers: TransportHeaders = [:]) -> TransportResponse {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return TransportResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}

/// The library's error that a body throws; every other outcome is recorded as an issue.
func refusal(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) -> AuthStateError? {
    do {
        let result = try body()
        Issue.record("accepted: \(result)", sourceLocation: sourceLocation)
    } catch let error as AuthStateError {
        Secrets.expectNone(in: error, sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
    return nil
}

extension TransportRequest {
    var form: Parameters? { body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } }
}

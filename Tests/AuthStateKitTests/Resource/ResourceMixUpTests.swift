import AuthStateFoundation
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// A hostile resource, whose own authorization server sends the browser to an honest server's page (RFC 9700, section 4.4).
struct ResourceMixUpTests {
    @Test(
        "a client that both servers may know gets no page, and its code does not reach the resource's server",
        arguments: [ResourceClient.document(ResourceMixUp.document), .known("app")])
    func refused(_ client: ResourceClient) async throws {
        let error = await authError { try await ResourceMixUp.logIn([client]) }
        #expect(error?.code == .unsupported && error?.stage == .registration)
        #expect(error?.expected?.contains("authorization_response_iss_parameter_supported") == true)
        #expect(error?.received == "https://honest.example/authorize")
        #expect(error?.hint?.contains("Tolerate foreignAuthorizationEndpoint") == true)
    }

    @Test("a client that one server alone can know is used; a document is passed over for a registration")
    func otherWays() async throws {
        try await ResourceMixUp.logIn([.known("app", issuer: ResourceMixUp.issuer)])
        let key = ClientCredential(.value(ClientKeys.pkcs8), method: .privateKeyJWT)
        try await ResourceMixUp.logIn([.document(ResourceMixUp.document, credential: key)])
        let asked = try await ResourceMixUp.logIn([.document(ResourceMixUp.document), .registering(.init())])
        #expect(asked["client_id"] == "registered")
    }

    @Test(
        "a promise of iss, a page at the issuer's own origin and the tolerance admit the client",
        arguments: [
            ["authorization_response_iss_parameter_supported": true],
            ["authorization_endpoint": "https://op.example:443/login"],
            [:],
        ] as [[String: JSONValue]])
    func admitted(_ changes: [String: JSONValue]) async throws {
        let asked = try await ResourceMixUp.logIn([.document(ResourceMixUp.document)], changes) {
            if changes.isEmpty { $0.tolerances = [.foreignAuthorizationEndpoint] }
        }
        #expect(asked["client_id"] == ResourceMixUp.document)
    }

    @Test(
        "a code for another device comes from the server itself, or by a client that it alone knows",
        arguments: [ResourceClient.document(ResourceMixUp.document), .known("app")])
    func device(_ client: ResourceClient) async throws {
        let error = await authError { try await ResourceMixUp.logInOnDevice(client) }
        #expect(error?.code == .unsupported && error?.received == "https://honest.example/device")
        #expect(error?.expected?.hasPrefix("a device_authorization_endpoint at") == true)
        try await ResourceMixUp.logInOnDevice(client, at: "https://op.example/device")
        try await ResourceMixUp.logInOnDevice(.known("app", issuer: ResourceMixUp.issuer))
    }
}

/// A login of a web server for `https://api.example/v1`, whose metadata name `https://op.example`, whose page is
/// `https://honest.example/authorize`.
enum ResourceMixUp {
    static let document = "https://app.example/client.json"
    static let issuer = "https://op.example"

    /// Logs in on another device: the server's own metadata name an honest server's endpoint for devices.
    static func logInOnDevice(_ client: ResourceClient, at endpoint: String = "https://honest.example/device")
        async throws
    {
        let device: [String: JSONValue] = [
            "device_code": "code", "user_code": "BCDF", "verification_uri": "https://honest.example/enter",
            "expires_in": 60,
        ]
        let transport = transport(
            [
                "device_authorization_endpoint": .string(endpoint),
                "authorization_response_iss_parameter_supported": true,
            ], [endpoint: .object(device), "https://op.example/token": ["access_token": "a", "token_type": "Bearer"]])
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [client], login: .device { _ in }, store: InMemoryAuthStateStore(),
            service: AuthorizationService(transport: transport))
        try await access.logIn()
    }

    /// Begins the login; returns the parameters with which the browser is sent to the page.
    @discardableResult
    static func logIn(
        _ clients: [ResourceClient], _ changes: [String: JSONValue] = [:],
        _ change: (inout ResourceAccess.Options) -> Void = { _ in }
    ) async throws -> Parameters {
        let transport = transport(changes, ["https://op.example/register": ["client_id": "registered"]])
        var options = ResourceAccess.Options()
        change(&options)
        let access = try ResourceAccess(
            "https://api.example/v1", clients: clients, store: InMemoryAuthStateStore(),
            service: AuthorizationService(transport: transport), options: options)
        let pending = try await access.beginLogin(redirectURI: RedirectURI("https://app.example/callback"))
        return Parameters(decoding: URIReference(pending.url.absoluteString).query.map(String.init) ?? "") ?? [:]
    }

    private static func transport(
        _ changes: [String: JSONValue?], _ pages: [String: JSONValue]
    ) -> ScriptedTransport {
        var members: [String: JSONValue?] = [
            "authorization_endpoint": "https://honest.example/authorize", "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": true, "token_endpoint_auth_methods_supported": ["none"],
        ]
        for (name, value) in changes { members[name] = value }
        return ScriptedPages.transport(
            [
                "https://api.example/.well-known/oauth-protected-resource/v1": [
                    "resource": "https://api.example/v1", "authorization_servers": [.string(issuer)],
                ],
                ScriptedPages.oauth: ScriptedPages.document(members),
            ].merging(pages) { $1 })
    }
}

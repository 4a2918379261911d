import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting

extension Attack {
    /// Metadata and WebFinger answers that would send codes, tokens or people to another party.
    static let discovery: [Attack] =
        [
            Attack(.metadataIssuer) {
                try await discover([ScriptedPages.openID: ScriptedPages.document(["issuer": "https://evil.example"])])
            },
            Attack(.metadataIssuer) {
                try await discover([ScriptedPages.oauth: ScriptedPages.document(["issuer": "https://evil.example"])])
            },
            Attack(.metadataRedirect) {
                let service = AuthorizationService(transport: StrangersDocument())
                _ = try await service.discoverConfiguration(issuer: "https://op.example")
            },
            Attack(.completingIssuer) {
                let other: JSONValue = [
                    "issuer": "https://evil.example", "revocation_endpoint": "https://evil.example/revoke",
                ]
                let found = try await discover([
                    ScriptedPages.openID: ScriptedPages.document(["revocation_endpoint": nil]),
                    ScriptedPages.oauth: other,
                ])
                // A second document that is not believed is left out, which is no error.
                guard found.revocationEndpoint != nil else {
                    throw AuthStateError(.endpointMissing, stage: .discovery, "Nothing was taken over.")
                }
            },
            Attack(.endpointTLS) {
                try await discover(
                    ["http://op.example/.well-known/openid-configuration": document("http://op.example")],
                    issuer: "http://op.example")
            },
            Attack(.endpointTLS) { try await find("http://op.example") },
            Attack(.issuerAllowList) { try await find("https://evil.example") },
            Attack(.issuerForm) { _ = try Issuer("https://op.example?tenant=evil") },
            Attack(.issuerForm) { _ = try Issuer("https://op.example#evil") },
            Attack(.issuerForm) { try await find("https://op.example@evil.example") },
        ]
        + endpoints.map { endpoint in
            Attack(.endpointTLS) {
                let page = ScriptedPages.document([endpoint: "http://op.example/x"])
                try await discover([ScriptedPages.openID: page])
            }
        }
        + ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"].flatMap {
            host in
            [
                Attack(.endpointHost) {
                    let page = ScriptedPages.document(["token_endpoint": .string("https://\(host)/token")])
                    try await discover([ScriptedPages.openID: page])
                },
                Attack(.endpointHost) { try await find("https://\(host)") },
            ]
        }

        // Addresses that are not public, where a user or a stranger's document names them.
        + ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "0x0a000001", "[::ffff:10.0.0.1]"].map { host in
            Attack(.publicAddress) { try await find("https://op.example", typing: "https://\(host)/ada") }
        }
        + ["10.0.0.1", "169.254.169.254", "100.64.0.1", "0x0a000001", "[fd00::1]"].map { host in
            Attack(.publicAddress) { try await find("https://\(host)", addresses: .publicOnly) }
        }
        + endpoints.map { endpoint in
            Attack(.publicAddress) {
                let page = ScriptedPages.document([endpoint: "https://192.168.0.1/x"])
                try await discover([ScriptedPages.openID: page], addresses: .publicOnly)
            }
        }

    private static let endpoints = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "registration_endpoint",
        "revocation_endpoint", "introspection_endpoint", "end_session_endpoint",
    ]

    private static func document(_ issuer: String) -> JSONValue { ScriptedPages.document(["issuer": .string(issuer)]) }

    @discardableResult
    private static func discover(
        _ pages: [String: JSONValue], issuer: String = "https://op.example", addresses: AddressPolicy = .any
    ) async throws -> ProviderConfiguration {
        try await AuthorizationService(transport: ScriptedPages.transport(pages)).discoverConfiguration(
            issuer: issuer, addressPolicy: addresses)
    }

    /// WebFinger leads to an issuer; all are allowed but `https://evil.example`.
    private static func find(
        _ issuer: String, typing identifier: String? = nil, addresses: AddressPolicy = .any
    ) async throws {
        let descriptor = TransportResponse(status: 200, body: Data(ScriptedPages.descriptor(issuer).serialized()))
        var configuration = AuthorizationService.Configuration()
        configuration.outsideAddressPolicy = identifier == nil ? addresses : .publicOnly
        let service = AuthorizationService(
            transport: ScriptedTransport(then: .response(descriptor)), configuration: configuration)
        _ = try await service.discoverIssuer(
            identifier: identifier ?? "ada@example.com",
            allowedIssuers: IssuerAllowList { $0.rawValue != "https://evil.example" })
    }
}

/// Redirects to another origin, whose document names the issuer as it likes.
private struct StrangersDocument: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.url.absoluteString == ScriptedPages.openID {
            return TransportResponse(status: 302, headers: ["Location": "https://evil.example/op"])
        }
        guard request.url.host() == "evil.example" else { return TransportResponse(status: 404) }
        return TransportResponse(status: 200, body: Data(ScriptedPages.document().serialized()))
    }
}

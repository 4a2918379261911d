import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateOAuth
@testable import AuthStateResource

@Suite(.timeLimit(.minutes(5))) struct LeniencyTests {
    /// An input that deviates in one way, and its neighbour by which an attacker would gain something.
    private struct Example: Sendable {
        let untidy: @Sendable (AuthorizationService) async throws -> Void
        let attack: @Sendable (AuthorizationService) async throws -> Void
    }

    private static let examples: [Leniency: Example] = [
        .byteOrderMark: Example {
            _ = try await perform($0, "\u{FEFF}\(tokens())")
        } attack: {
            _ = try await perform($0, tokens() + tokens())
        },
        .unusableMember: Example {
            _ = try await perform($0, tokens(#","error":"","refresh_token":null,"expires_in":"","id_token":5"#))
        } attack: {
            _ = try await perform($0, tokens(#","error":"x""#))
        },
        .textForList: Example { service in
            try service.reading { _ = try metadata(["token_endpoint_auth_methods_supported": "client_secret_basic"]) }
        } attack: { _ in
            _ = try metadata(["token_endpoint": ["https://op.example/token"]])
        },
        .listForText: Example {
            _ = try await perform($0, tokens(#","scope":["a","b"]"#))
        } attack: {
            _ = try await perform($0, #"{"access_token":["a","b"],"token_type":"Bearer"}"#)
        },
        .textForScalar: Example {
            _ = try await perform($0, tokens(#","expires_in":"60""#))
        } attack: {
            _ = try await perform($0, tokens(#","expires_in":"-60""#))
        },
        .otherSuccess: Example {
            _ = try await perform($0, tokens(), status: 201)
        } attack: {
            _ = try await perform($0, tokens(), status: 302)
        },
        .bearerTokenType: Example {
            _ = try await perform($0, #"{"access_token":"a","token_type":"BearerToken"}"#)
        } attack: {
            _ = try await perform($0, #"{"access_token":"a","token_type":"mac"}"#)
        },
        .methodOfSecret: Example { service in
            try service.reading {
                _ = try register(#"{"client_id":"c","client_secret":"s","client_secret_expires_at":0}"#)
            }
        } attack: { _ in
            _ = try register(#"{"client_id":["c"],"client_secret":"s","client_secret_expires_at":0}"#)
        },
        .secretExpiry: Example { service in
            let members = #""client_secret":"s","token_endpoint_auth_method":"client_secret_basic""#
            try service.reading { _ = try register("{\"client_id\":\"c\",\(members)}") }
        } attack: { _ in
            _ = try register(#"{"client_id":"c","client_secret":"s","error":"x"}"#)
        },
        .unmanageableRegistration: Example { service in
            try service.reading {
                _ = try register(#"{"client_id":"c","registration_client_uri":"https://op.example/c"}"#)
            }
        } attack: { _ in
            _ = try register(#"{"client_id":"","registration_client_uri":"https://op.example/c"}"#)
        },
        .repeatedParameter: Example { service in
            // Some providers write the description once per letter.
            try service.reading {
                do { try callback("error=access_denied&error_description=n&error_description=o") } catch {
                    guard (error as? AuthStateError)?.response?.errorDescription == "no" else { throw error }
                }
            }
        } attack: { _ in
            try callback("code=one&code=two")
        },
        .nonceStatus: Example { service in
            try service.reading {
                guard ResourceVerdict(status: 400, challenges: [#"DPoP error="use_dpop_nonce""#]) == .nonceWanted else {
                    throw LeniencyError()
                }
            }
        } attack: { _ in
            // A challenge with another status ends no token.
            guard ResourceVerdict(status: 400, challenges: [#"DPoP error="invalid_token""#]) == .tokenRejected else {
                throw LeniencyError()
            }
        },
        .challengeSpaces: Example { service in
            try service.reading { try readChallenge(#"Bearer error="insufficient_scope" scope="a""#) }
        } attack: { _ in
            try readChallenge(#"Bearer scope="a" scope="b""#)
        },
        .challengeQuotes: Example { service in
            try service.reading { try readChallenge("Bearer error=x, resource_metadata=https://api.example/m") }
        } attack: { _ in
            try readChallenge("Bearer error=x, scope=api:read, scope=api:write")
        },
        .metadataRedirect: Example {
            _ = try await discover($0, [redirect("https://op.example/metadata"), document()])
        } attack: {
            _ = try await discover($0, [redirect("https://evil.example/metadata"), absent])
        },
        .metadataPlace: Example {
            _ = try await discover($0, [page, document()])
        } attack: {
            _ = try await discover($0, [page, document(issuer: "https://evil.example")])
        },
        .rootMetadata: Example { service in
            try service.reading {
                _ = try resource("https://api.example/a").check(
                    for: ResourceIdentifier("https://api.example/a"), from: .root)
            }
        } attack: { _ in
            _ = try resource("https://api.example/b").check(
                for: ResourceIdentifier("https://api.example/a"), from: .root)
        },
        .metadataForIssuer: Example { service in
            let place = "https://op.example/.well-known/oauth-authorization-server"
            let servers = try service.reading { try resource(servers: [.string(place)]).authorizationServers }
            guard servers.map(\.rawValue) == ["https://op.example"] else { throw LeniencyError() }
        } attack: { service in
            let place = "https://op.example/.well-known/oauth-authorization-server"
            let servers = try resource(servers: [.string(place)]).authorizationServers
            let other = document(issuer: "https://evil.example")
            _ = try await scripted(service, [other]).discoverAuthorizationServer(
                servers[0], of: ResourceIdentifier("https://api.example"), requiresPKCE: false)
        },
        .issuerSlash: Example {
            _ = try await discoverServer($0, named: "https://op.example/")
        } attack: {
            _ = try await discoverServer($0, named: "https://op.example/tenant")
        },
        .keyEncoding: Example { service in
            try service.reading {
                _ = try JSONWebKey(json: ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64.encode(keyBytes))])
            }
        } attack: { _ in
            let (longer, crv) = (Base64.encode(keyBytes + [0]), JSONValue("Ed25519"))
            _ = try JSONWebKey(json: ["kty": "OKP", "crv": crv, "x": .string(longer)])
        },
        .numberForName: Example { service in
            try service.reading { _ = try JSONWebKey(json: key(["kid": 7])) }
        } attack: { _ in
            _ = try JSONWebKey(json: key(["kid": ["7"]]))
        },
        .subjectLetters: Example { service in
            try service.reading { try validate(subject: "Zo\u{EB}") }
        } attack: { _ in
            try validate(subject: "Zoe\u{308}", after: "Zo\u{EB}")
        },
        .nullClaim: Example { service in
            try service.reading { _ = try IDToken(parsing: compact(#"{"at_hash":null,"nonce":null}"#)) }
        } attack: { _ in
            var expectation = try IDTokenFixtures.expectation()
            expectation.nonce = "other"
            try IDTokenFixtures.token("good").validateClaims(expectation: expectation, stage: .refresh)
        },
        .unwantedIDToken: Example {
            guard try await exchange($0, ["a"]).idToken == nil else { throw LeniencyError() }
        } attack: {
            _ = try await exchange($0, [.openID])
        },
        .movedAuthenticationTime: Example { service in
            try service.reading { try renew(keepsAuthenticationTime: false) }
        } attack: { _ in
            try renew(keepsAuthenticationTime: true)
        },
    ]

    private struct LeniencyError: Error {}

    private static func callback(_ answer: String) throws {
        var request = AuthorizationRequest(
            AuthStateOAuth.Client(try provider(), id: "c"), redirectURI: try RedirectURI("https://app.example/back"))
        request.state = "state"
        let callback = AuthorizationCallback(url: "https://app.example/back?state=state&\(answer)")
        _ = try AuthorizationResponse(callback: callback, for: request)
    }

    private static func trace(_ body: (AuthorizationService) async throws -> Void) async throws -> Set<String> {
        let found = Lock<Set<String>>([])
        let trace = LoginTrace { entry in
            guard entry.step == .leniency, let name = entry.details.first?.name else { return }
            found.withLock { _ = $0.insert(name) }
        }
        try await body(AuthorizationService(ScriptedTransport()) { $0.trace = trace })
        return found.withLock { $0 }
    }

    @Test("an untidy input is read as it is meant, and the trace tells of it", arguments: Leniency.allCases)
    func untidy(_ leniency: Leniency) async throws {
        let example = try #require(Self.examples[leniency])
        #expect(try await Self.trace(example.untidy) == [leniency.rawValue])
    }

    @Test("the neighbouring attack is refused", arguments: Leniency.allCases)
    func attacks(_ leniency: Leniency) async throws {
        let example = try #require(Self.examples[leniency])
        await #expect(throws: (any Error).self) { _ = try await Self.trace(example.attack) }
    }

    @Test func `Docs/Conformance.md lists each leniency, and no other`() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Docs/Conformance.md")
        let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("| L-") }
        let listed = lines.map { $0.split(separator: " ")[1].dropFirst(2) }.map(String.init)
        #expect(listed == Leniency.allCases.map(\.rawValue))
    }
}

extension LeniencyTests {
    private static let keyBytes = [UInt8](repeating: 0xFB, count: 32)
    private static let absent = ScriptedTransport.Reply.response(TransportResponse(status: 404))
    private static let page = ScriptedTransport.Reply.response(
        TransportResponse(status: 200, body: Data("<html>".utf8)))

    private static func redirect(_ location: String) -> ScriptedTransport.Reply {
        .response(TransportResponse(status: 302, headers: ["Location": location]))
    }

    private static func document(issuer: String = "https://op.example") -> ScriptedTransport.Reply {
        .json(String(decoding: ScriptedPages.document(["issuer": .string(issuer)]).serialized(), as: UTF8.self))
    }

    private static func tokens(_ members: String = "") -> String {
        #"{"access_token":"a","token_type":"Bearer"\#(members)}"#
    }

    private static func provider() throws -> ProviderConfiguration {
        ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
    }

    private static func scripted(
        _ service: AuthorizationService, _ replies: [ScriptedTransport.Reply]
    ) -> AuthorizationService {
        AuthorizationService(transport: ScriptedTransport(replies, then: absent), configuration: service.configuration)
    }

    private static func perform(
        _ service: AuthorizationService, _ body: String, status: Int = 200
    ) async throws -> TokenResponse {
        try await scripted(service, [.json(body, status: status)])
            .perform(TokenRequest(Client(provider(), id: "c"), .clientCredentials))
    }

    private static func discover(
        _ service: AuthorizationService, _ replies: [ScriptedTransport.Reply]
    ) async throws -> ProviderConfiguration {
        try await scripted(service, replies).discoverConfiguration(issuer: "https://op.example")
    }

    private static func discoverServer(
        _ service: AuthorizationService, named name: String
    ) async throws -> ProviderConfiguration {
        try await scripted(service, [document()]).discoverAuthorizationServer(
            Issuer(name), of: ResourceIdentifier("https://api.example"), requiresPKCE: false)
    }

    private static func metadata(_ document: [String: JSONValue]) throws -> ProviderMetadata {
        try ProviderMetadata(document: document)
    }

    private static func register(_ body: String) throws -> RegistrationResponse {
        var metadata = ClientMetadata()
        metadata.tokenEndpointAuthMethod = ClientAuthenticationMethod.none
        let answer = TransportResponse(status: 201, body: Data(body.utf8))
        return try RegistrationRequest(provider(), metadata).answer(answer)
    }

    private static func exchange(_ service: AuthorizationService, _ scopes: [Scope]) async throws -> TokenResponse {
        let provider = try ProviderConfiguration(
            metadata: metadata(ScriptedPages.document().objectValue ?? [:]), issuer: Issuer("https://op.example"))
        var request = AuthorizationRequest(
            Client(provider, id: "c"), scopes: scopes, redirectURI: try RedirectURI("https://app.example/back"))
        request.state = "state"
        let callback = AuthorizationCallback(url: "https://app.example/back?state=state&code=c")
        let answer = try AuthorizationResponse(callback: callback, for: request)
        return try await scripted(service, [.json(tokens(#","id_token":"no token""#))]).exchange(answer)
    }

    private static func resource(
        _ name: String = "https://api.example", servers: [JSONValue] = []
    ) throws -> ProtectedResourceMetadata {
        try ProtectedResourceMetadata(document: [
            "resource": .string(name), "authorization_servers": .array(servers),
        ])
    }

    private static func readChallenge(_ line: String) throws {
        guard AuthenticationChallenge.parse([line])?.first?.parameters.count == 2 else { throw LeniencyError() }
    }

    private static func key(_ members: [String: JSONValue]) -> JSONValue {
        .object(["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(keyBytes))].merging(members) { $1 })
    }

    private static func compact(_ claims: String) -> String {
        [#"{"alg":"EdDSA"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    private static func validate(subject: String, after former: String? = nil) throws {
        func token(_ subject: String) throws -> IDToken {
            let claims: JSONValue = [
                "iss": "https://op.example", "sub": .string(subject), "aud": "client", "nonce": "nonce",
                "iat": 1_800_000_000, "exp": 1_800_000_300,
            ]
            return try IDToken(parsing: compact(String(decoding: claims.serialized(), as: UTF8.self)))
        }
        var expectation = try IDTokenFixtures.expectation()
        expectation.previous = try former.map(token)
        try token(subject).validateClaims(expectation: expectation, stage: .token)
    }

    private static func renew(keepsAuthenticationTime: Bool) throws {
        var expectation = try IDTokenFixtures.expectation()
        expectation.previous = try IDTokenFixtures.token("good")
        expectation.keepsAuthenticationTime = keepsAuthenticationTime
        try IDTokenFixtures.token("otherAuthenticationTime").validateClaims(expectation: expectation, stage: .refresh)
    }

}

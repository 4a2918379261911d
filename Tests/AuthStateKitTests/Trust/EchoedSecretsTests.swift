import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// A server that repeats what it was sent, in every part of its answer and in every way of writing.
@Suite(.timeLimit(.minutes(5))) struct EchoedSecretsTests {
    @Test("no error shows a secret of its request", arguments: Operation.all)
    func hidden(_ operation: Operation) async throws {
        for secret in operation.secrets {
            for text in Self.writings(of: secret) {
                for place in Self.places {
                    let transport = ScriptedTransport(then: .dynamic { _ in place.answer(text) })
                    var configuration = AuthorizationService.Configuration()
                    let heard = Heard()
                    configuration.trace = LoginTrace { heard.take("\($0)") }
                    let service = AuthorizationService(transport: transport, configuration: configuration)
                    do {
                        try await operation.run(service)
                        Issue.record("\(operation) took \(place.name) for an answer")
                    } catch {
                        var shown = heard.text
                        dump(error, to: &shown)
                        shown += "\(error)"
                        if let error = error as? AuthStateError {
                            shown += String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
                        }
                        #expect(!shown.contains(text), "\(operation): \(secret) in \(place.name)")
                        #expect(!shown.contains(secret), "\(operation): \(secret) in \(place.name)")
                    }
                    #expect(!transport.requests.isEmpty)
                }
            }
        }
    }

    @Test("a secret that the provider's words or our limit cut off is hidden too")
    func cutOff() async throws {
        let token = "SECRET-refresh-0123456789"
        for description in ["the token \(token.prefix(14))... is spent", String(repeating: "x ", count: 143) + token] {
            let fixture = try Fixture(
                [.json(#"{"error":"invalid_grant","error_description":"\#(description)"}"#, status: 400)],
                refreshToken: token)
            let error = await authError { try await fixture.state().refresh() }
            #expect(error?.description.contains("SECRET-r") == false)
            #expect(error?.code == .invalidGrant)
        }
    }

    @Test("a secret of four characters is hidden where it stands alone, a shorter one not at all, and words stay")
    func short() {
        let secrets = RequestSecrets(["a", "123", "1234", "word"])
        #expect(secrets.hiding(foreign: "user code 1234 is wrong") == "user code … is wrong")
        #expect(secrets.hiding(foreign: "user_code=1234, 51234, a password") == "user_code=…, 51234, a password")
        #expect(secrets.hiding("a word of ours") == "a word of ours")
        let long = RequestSecrets(["the-token-of-the-endpoint"])
        #expect(long.hiding("The token endpoint refused.") == "The token endpoint refused.")
    }

    @Test("a text of more parts of secrets than can be looked for is cut off")
    func manyParts() {
        let secrets = RequestSecrets(["SECRET-refresh-0123456789"])
        let text = String(repeating: "SECRET-refresh-01 another-word ", count: 10_000)
        let hidden = secrets.hiding(foreign: text)
        #expect(!hidden.contains("SECRET") && hidden.hasPrefix("… another-word … another-word "))
        #expect(hidden.utf8.count < 20_000)
    }

    @Test func `the client identifier beside the secret stays readable`() throws {
        let credentials = Data("example-application:s3cret-s3cret".utf8).base64EncodedString()
        let request = try TransportRequest(
            "https://op.example/token", headers: ["Authorization": "Basic \(credentials)"])
        let secrets = RequestSecrets(request)
        #expect(secrets.hiding(foreign: "Unknown client example-application") == "Unknown client example-application")
        #expect(secrets.hiding(foreign: "got example-application:s3cret-s3cret") == "got …")
        #expect(!secrets.hiding(foreign: "got s3cret-s3...").contains("s3cret"))
    }

    @Test("a resource's body that the program asked for is left as it is")
    func data() async throws {
        let body = #"{"you_sent":"SECRET-access-0"}"#
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/")))
        for status in [200, 404] {
            let response = try await Fixture([.json(body, status: status)]).state().performAction(request)
            #expect(String(decoding: response.body, as: UTF8.self) == body)
        }
    }

    @Test("a program that sends requests itself can have the secrets hidden as well")
    func own() throws {
        let configuration = try Operation.configuration()
        let request = RevocationRequest(Client(configuration, id: "client"), token: "SECRET-token-12345")
        let message = try request.transportRequest(authentication: .none(clientID: "client"))
        let answer = TransportResponse(
            status: 400, body: Data(#"{"error":"invalid_request","error_description":"SECRET-token-12345"}"#.utf8))
        let error = #expect(throws: AuthStateError.self) { try message.hidingSecrets { try request.validate(answer) } }
        #expect(error?.response?.errorDescription == "…")
    }

    /// A place of an answer where a text can stand.
    struct Place: Sendable {
        var name: String
        var answer: @Sendable (String) -> TransportResponse
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static let places: [Place] =
        ["error", "error_description", "error_uri"].map { member in
            Place(name: member) { text in
                var members = ["error": "invalid_request"]
                members[member] = "x \(text) y"
                let body = try? JSONEncoder().encode(members)
                return TransportResponse(
                    status: 400, headers: ["Content-Type": "application/json"], body: body ?? Data())
            }
        }
        + ["error_description", "realm", "scope", "acr_values"].map { parameter in
            Place(name: "challenge \(parameter)") { text in
                let value =
                    "Bearer error=\"insufficient_user_authentication\", \(parameter)=\"x \(quoted(text)) y\""
                return TransportResponse(
                    status: 403, headers: ["WWW-Authenticate": value], body: Data("<p>\(text)</p>".utf8))
            }
        }
        + [
            Place(name: "body of a 401") { text in
                TransportResponse(
                    status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"\(quoted(text))\""],
                    body: Data("<p>\(text)</p>".utf8))
            },
            Place(name: "media type") { text in
                TransportResponse(status: 500, headers: ["Content-Type": text], body: Data(text.utf8))
            },
            Place(name: "location") { text in
                TransportResponse(status: 302, headers: ["Location": "https://op.example/\(text)"])
            },
        ]

    private static func writings(of secret: String) -> [String] {
        let escaped = [PercentEncoding.uri(secret), PercentEncoding.form(secret)]
        return [
            secret, secret.replacing("\"", with: "\\\"").replacing("/", with: "\\/"),
            secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;"),
            Data(secret.utf8).base64EncodedString(),
        ] + escaped + escaped.map { $0.replacing("%E2", with: "%e2").replacing("%2F", with: "%2f") }
    }
}

/// Collects the lines of a trace.
private final class Heard: Sendable {
    private let lines = Lock<String>("")
    func take(_ line: String) { lines.withLock { $0 += line + "\n" } }
    var text: String { lines.withLock { $0 } }
}

extension EchoedSecretsTests {
    /// A request that carries secrets, and what they are.
    struct Operation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var secrets: [String]
        var run: @Sendable (AuthorizationService) async throws -> Void
    }
}

extension EchoedSecretsTests.Operation {
    private static let clientSecret = "S3cr€t/+ \"&<Key>="
    private static let token = "SECRET-Token/+123=="

    static func configuration() throws -> ProviderConfiguration {
        func url(_ path: String) throws -> URL { try #require(URL(string: "https://op.example/\(path)")) }
        return ProviderConfiguration(
            authorizationEndpoint: try url("authorize"), tokenEndpoint: try url("token"),
            userInfoEndpoint: try url("userinfo"), registrationEndpoint: try url("register"),
            revocationEndpoint: try url("revoke"), introspectionEndpoint: try url("introspect"),
            deviceAuthorizationEndpoint: try url("device"), pushedAuthorizationRequestEndpoint: try url("par"),
            backchannelAuthenticationEndpoint: try url("ciba"))
    }

    private static func token(
        _ name: String, _ secrets: [String], credential: ClientCredential = .none,
        _ make: @escaping @Sendable (ProviderConfiguration) throws -> TokenRequest
    ) -> Self {
        Self(testDescription: name, secrets: secrets) { service in
            _ = try await service.perform(make(configuration()).with(credential))
        }
    }

    private static func state(
        _ service: AuthorizationService, accessToken: String = token
    ) throws -> AuthState {
        let record = AuthState.Record(Client(try configuration(), id: "client")).applying(
            .tokens(TokenResponse(accessToken: accessToken, issuedAt: Date(), refreshToken: nil)))
        return AuthState(record, service: service, store: InMemoryAuthStateStore())
    }

    static let all: [Self] = [
        token("client secret by Basic, refresh token", [clientSecret, token], credential: .secret(clientSecret)) {
            TokenRequest(Client($0, id: "client:1"), .refreshToken(token))
        },
        token(
            "Basic credentials as a whole", ["client:\(clientSecret)"], credential: .secret(clientSecret)
        ) { TokenRequest(Client($0, id: "client"), .refreshToken(token)) },
        token(
            "client secret in the form", [clientSecret], credential: .secret(clientSecret, method: .clientSecretPost)
        ) { TokenRequest(Client($0, id: "client"), .refreshToken(token)) },
        token("assertion", [token]) { TokenRequest(Client($0, id: "client"), .assertion(token)) },
        token("device code", [token]) { TokenRequest(Client($0, id: "client"), .deviceCode(token)) },
        token("auth_req_id", [token]) { TokenRequest(Client($0, id: "client"), .backchannelAuthentication(token)) },
        token("exchanged tokens", [token, "SECRET-actor-123"]) {
            var exchange = TokenExchange(of: TypedToken(token, type: .accessToken))
            exchange.actorToken = TypedToken("SECRET-actor-123", type: .accessToken)
            return TokenRequest(Client($0, id: "client"), .tokenExchange(exchange))
        },
        Self(testDescription: "revocation", secrets: [token, clientSecret]) { service in
            try await service.revoke(
                RevocationRequest(Client(configuration(), id: "client"), token: token).with(.secret(clientSecret)))
        },
        Self(testDescription: "introspection", secrets: [token]) { service in
            _ = try await service.introspect(IntrospectionRequest(Client(configuration(), id: "client"), token: token))
        },
        Self(testDescription: "registration access token", secrets: [token]) { service in
            let registered = TransportResponse(
                status: 201,
                body: Data(
                    #"{"client_id":"c","registration_client_uri":"https://op.example/c","registration_access_token":"\#(token)"}"#
                        .utf8))
            _ = try await service.readRegistration(
                RegistrationResponse(registered), issuer: Issuer("https://op.example"))
        },
        Self(testDescription: "userinfo", secrets: [token]) { service in _ = try await state(service).userInfo() },
        Self(testDescription: "performAction", secrets: [token, "SECRET-cookie-1", "SECRET-query-1"]) { service in
            let request = TransportRequest(
                url: try #require(URL(string: "https://api.example/?access_token=SECRET-query-1")),
                headers: ["Cookie": "a=SECRET-cookie-1"])
            let response = try await state(service).performAction(request)
            // A resource that the program requested is its own, with all that is in it.
            throw AuthStateError(.providerError, stage: .resource, "Status \(response.status).")
        },
        Self(testDescription: "withFreshToken", secrets: [token]) { service in
            try await state(service).withFreshToken { tokens in
                let request = TransportRequest(url: try #require(URL(string: "https://api.example/")))
                throw TokenRejected(try await service.transport.send(request))
            }
        },
    ]
}

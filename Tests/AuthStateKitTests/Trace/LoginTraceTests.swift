import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

struct LoginTraceTests {
    private let scene: Scene

    init() async throws { scene = try await Scene() }

    /// A provider, a traced service, the entries of its trace, and the secrets that it sent and received.
    private struct Scene {
        let provider: OpenIDProvider
        let service: AuthorizationService
        let log = Log()
        let wire: Wire

        init(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
            var configuration = OpenIDProvider.Configuration()
            change(&configuration)
            provider = try await OpenIDProvider(configuration: configuration)
            wire = Wire()
            var limits = AuthorizationService.Configuration()
            limits.requestTimeout = .seconds(20)
            limits.trace = LoginTrace { [log] in log.add($0) }
            service = AuthorizationService(transport: wire, configuration: limits)
        }

        func request(_ scopes: [Scope] = [.openID, .profile, .email, .offlineAccess]) async throws
            -> AuthorizationRequest
        {
            let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
            return AuthorizationRequest(Client(configuration, id: "service"), scopes: scopes)
        }

        func logIn(
            _ request: AuthorizationRequest? = nil, agent: DirectUserAgent = DirectUserAgent()
        ) async throws -> AuthState {
            let asked: AuthorizationRequest
            if let request { asked = request } else { asked = try await self.request() }
            return try await AuthState.logIn(
                .browser(asked.with(.secret("service-secret")), agent), at: .memory(service: service))
        }

        /// The entries without the exchanges.
        var story: [LoginTrace.Entry] { log.entries.filter { $0.step != .http } }

        /// Expects that no entry tells a secret that travelled, or anything about the user.
        func expectNoSecret(
            besides others: [String] = [], atLeast count: Int, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let secrets = wire.secrets.union(others)
            #expect(secrets.count >= count, sourceLocation: sourceLocation)
            var told = ""
            for entry in log.entries {
                told += "\(entry)\n"
                dump(entry, to: &told)
            }
            for secret in secrets {
                #expect(!told.contains(secret), "\(secret) was told", sourceLocation: sourceLocation)
                let escaped = PercentEncoding.uri(secret)
                #expect(!told.contains(escaped), "\(escaped) was told", sourceLocation: sourceLocation)
            }
        }
    }

    private final class Log: Sendable {
        private let told = Lock<[LoginTrace.Entry]>([])
        var entries: [LoginTrace.Entry] { told.withLock { $0 } }
        func add(_ entry: LoginTrace.Entry) { told.withLock { $0.append(entry) } }
    }

    /// Sends for real, and notes every secret on the way.
    private final class Wire: HTTPTransport {
        private let seen = Lock<Set<String>>([])
        var secrets: Set<String> { seen.withLock { $0 } }

        private static let open: Set<String> = [
            "client_id", "grant_type", "redirect_uri", "scope", "token_type", "token_type_hint",
        ]

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let form = Parameters(decoding: String(decoding: request.body ?? Data(), as: UTF8.self)) ?? [:]
            note(form.names.filter { !Self.open.contains($0) }.compactMap { form[$0] })
            note(
                request.headers[values: "Authorization"].flatMap {
                    $0.split(separator: " ").dropFirst().map(String.init)
                })
            let response = try await SystemTransport.shared.send(request)
            let isMetadata = request.url.path.hasSuffix("openid-configuration") || request.url.path.hasSuffix("jwks")
            if !isMetadata, let json = try? JSONValue(parsing: [UInt8](response.body)).objectValue {
                note(json.filter { !Self.open.contains($0.key) }.compactMap(\.value.stringValue))
            }
            return response
        }

        func note(_ values: [String]) { seen.withLock { $0.formUnion(values.filter { $0.count > 3 }) } }
    }

    @Test("a trace tells every step in order, from the provider's endpoints to the end of the login")
    func wholeLife() async throws {
        let state = try await scene.logIn()
        let steps: [LoginTrace.Step] = [
            .discovery, .request, .browser, .callback, .answer, .tokenRequest, .tokens, .idToken, .store,
        ]
        #expect(scene.story.map(\.step) == steps)
        _ = try await state.userInfo()
        _ = try await state.refresh()
        _ = await state.logOut(.everywhere(DirectUserAgent()))
        let later = scene.story.dropFirst(steps.count).map(\.step)
        #expect(
            later.first == .userinfo && later.contains(.tokens) && later.suffix(3) == [.browser, .callback, .answer])
        #expect(!later.contains(.failure))
        let exchanges = scene.log.entries.filter { $0.step == .http }.map(\.message)
        #expect(
            exchanges.contains { $0.hasPrefix("POST \(scene.provider.url(of: .token)) 200 ") && $0.hasSuffix(" ms") })
        await scene.provider.stop()
    }

    @Test("a trace tells no secret, and nothing of the user")
    func noSecret() async throws {
        var request = try await scene.request()
        request.loginHint = "ada@hint.example"
        request.additionalParameters = ["ticket": "a-ticket-of-value"]
        let state = try await scene.logIn(request)
        _ = try await state.userInfo()
        _ = try await state.refresh()
        let sent = try #require(state.record.lastAuthorizationResponse?.request)
        _ = await state.logOut(.everywhere(DirectUserAgent()))
        let challenge = try request.codeVerifier.challenge()
        scene.expectNoSecret(
            besides: [
                request.state, request.nonce ?? "", request.codeVerifier.rawValue, challenge, sent.state,
                "ada@hint.example", "a-ticket-of-value", "service-secret", "lovelace",
            ], atLeast: 18)
        await scene.provider.stop()
    }

    @Test func `a trace shows what has to be compared with the provider's set-up`() async throws {
        _ = try await scene.logIn()
        func values(_ step: LoginTrace.Step) -> [String: String] {
            let details = scene.story.first { $0.step == step }?.details ?? []
            return Dictionary(details.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        let request = values(.request)
        #expect(request["client_id"] == "service" && request["scope"] == "openid profile email offline_access")
        #expect(request["redirect_uri"] == "http://127.0.0.1:49152/callback")
        #expect(request["code_challenge_method"] == "S256")
        for name in ["state", "nonce", "code_challenge"] { #expect(request[name] == "…", "\(name)") }
        #expect(values(.callback)["code"] == "…" && values(.callback)["by"] == "query")
        #expect(values(.answer)["checked"] == "place mode state iss")
        #expect(values(.tokenRequest)["client authentication"] == "client_secret_basic")
        #expect(values(.tokens)["expires_in"]?.hasSuffix(" s") == true && values(.tokens)["access_token"] == "…")
        #expect(values(.idToken)["aud"] == "service" && values(.idToken)["iss"] == scene.provider.issuer)
        await scene.provider.stop()
    }

    @Test(
        "a trace tells of a failure once, with advice", arguments: [DirectUserAgent.Behavior.denying, .changingState])
    func failure(_ behavior: DirectUserAgent.Behavior) async throws {
        let error = await authError { try await scene.logIn(agent: DirectUserAgent(behavior)) }
        let told = scene.story.filter { $0.step == .failure }
        let hint = try #require(error?.hint)
        #expect(told.count == 1 && error.map { "Failed: \($0)" } == told.first.map { "\($0.message) \(hint)" })
        #expect(told.first?.details.map(\.value) == error.map { [$0.code.rawValue, $0.stage.rawValue, hint] })
        #expect(scene.story.last == told.last && told.first?.description.contains(".:") == false)
        scene.expectNoSecret(atLeast: 0)
        await scene.provider.stop()
    }

    @Test func `a trace tells of a return from another logout`() async throws {
        let state = try await scene.logIn()
        _ = await state.logOut(.everywhere(DirectUserAgent(.changingState)))
        #expect(scene.story.map(\.step).suffix(3) == [.browser, .callback, .failure])
        let (sent, back) = (scene.story.suffix(3).first, scene.story.suffix(2).first)
        #expect(sent?.message.contains("log out") == true && back?.message.contains("from a logout") == true)
        #expect(back?.details.contains(.init("state", "…")) == true)
        #expect(scene.story.last?.details.first == .init("code", "stateMismatch"))
        scene.expectNoSecret(atLeast: 5)
        await scene.provider.stop()
    }

    @Test func `a trace tells of a failure at the token endpoint, and of a renewal that fails`() async throws {
        scene.provider.inject(.status(503), at: .token)
        let error = await authError { try await scene.logIn() }
        #expect(error?.kind == .transient && scene.story.last?.step == .failure)
        let state = try await scene.logIn()
        let count = scene.story.count
        scene.provider.inject(.status(400), at: .token)
        _ = await authError { try await state.refresh() }
        let failures = scene.story.dropFirst(count).filter { entry in entry.step == .failure }
        #expect(failures.count == 1)
        await scene.provider.stop()
    }

    @Test("a trace tells nothing that the provider repeats of the request's secrets", arguments: [false, true])
    func echo(_ isCut: Bool) async throws {
        let secret = "SECRET-" + String(repeating: "0123456789abcdef.", count: isCut ? 40 : 2)
        let log = Log()
        let transport = ScriptedTransport([
            .json(
                #"{"error":"invalid_grant","error_description":"The token '\#(secret)' is not known any more."}"#,
                status: 400)
        ])
        let service = AuthorizationService(transport) { $0.trace = LoginTrace { log.add($0) } }
        let endpoint = try #require(URL(string: "https://op.example/token"))
        let request = TokenRequest(
            Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: endpoint), id: "app"),
            .refreshToken(secret))
        let error = await authError { try await service.perform(request) }
        #expect(error?.response?.errorDescription?.hasPrefix("The token '…") == true)
        let told = log.entries.map { "\($0)" }.joined()
        #expect(told.contains("The token") && !told.contains("SECRET") && !told.contains("0123456789"))
    }

    @Test("a trace keeps its entries in order in a stream, the newest ones when they are not read")
    func stream() async throws {
        let (trace, entries) = LoginTrace.makeStream(keeping: 2)
        let (provider, service) = (try await OpenIDProvider(), AuthorizationService { $0.trace = trace })
        _ = try await service.discoverConfiguration(issuer: provider.issuer)
        var kept: [LoginTrace.Entry] = []
        for await entry in entries {
            kept.append(entry)
            if kept.count == 2 { break }
        }
        #expect(kept.first?.step == .http && kept.last?.step == .discovery)
        #expect(kept.last.map { "\($0)".hasPrefix("Knows the provider: issuer=\(provider.issuer), ") } == true)
        await provider.stop()
    }

    @Test("a trace names parameters of a query without their values, and leaves out user and fragment")
    func addresses() async throws {
        let log = Log()
        let service = AuthorizationService(ScriptedTransport()) { $0.trace = LoginTrace { log.add($0) } }
        let url = try #require(URL(string: "https://u:SECRET@api.example/x?key=SECRET&SECRET#SECRET"))
        _ = try? await service.transport.send(TransportRequest(url: url))
        let told = try #require(log.entries.first?.message)
        #expect(told.hasPrefix("GET https://api.example/x?key=…&… ") && !told.contains("SECRET"))
    }
}

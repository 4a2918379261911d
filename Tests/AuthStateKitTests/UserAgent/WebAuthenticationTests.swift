import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import AuthStateUserAgent
import Dispatch
import Testing

/// The system's window, played by a script; it calls back on another thread, as macOS does.
@MainActor
private final class FakeWindow: WebAuthenticationBrowser {
    enum Act: Sendable {
        case end(String)
        case fail(WebAuthenticationFailure)
        /// Before `start` returns.
        case failAtOnce(WebAuthenticationFailure)
        /// On the main queue, after `start` has returned.
        case failNext(WebAuthenticationFailure)
        case refuse(WebAuthenticationFailure)
    }

    let script: [Act]
    var pages: [WebAuthenticationPage] = []
    var cancellations = 0
    private var completion: (@Sendable (Result<URL, WebAuthenticationFailure>) -> Void)?

    init(_ script: [Act]) { self.script = script }

    func start(
        _ page: WebAuthenticationPage,
        completion: @escaping @Sendable (Result<URL, WebAuthenticationFailure>) -> Void
    ) throws(WebAuthenticationFailure) {
        pages.append(page)
        self.completion = completion
        for act in script {
            switch act {
            case .end(let address):
                guard let url = URL(string: address) else { continue }
                DispatchQueue.global().async { completion(.success(url)) }
            case .fail(let failure): DispatchQueue.global().async { completion(.failure(failure)) }
            case .failAtOnce(let failure): completion(.failure(failure))
            case .failNext(let failure): Task { completion(.failure(failure)) }
            case .refuse(let failure): throw failure
            }
        }
    }

    /// Some versions of the system call the completion handler after a cancellation, and some do not.
    func cancel() {
        cancellations += 1
        completion?(.failure(.canceledLogin(reason: nil)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct WebAuthenticationTests {
    private static let custom = "com.example.app:/callback"

    @MainActor
    private static func present(
        _ script: [FakeWindow.Act], at redirectURI: String? = custom, purpose: UserAgentPurpose = .login,
        page: String = "https://op.example/authorize?state=1", features: WebAuthenticationFeatures = .all,
        configuration: WebAuthenticationUserAgent.Configuration = .init()
    ) async throws -> (callback: AuthorizationCallback, window: FakeWindow) {
        let window = FakeWindow(script)
        let agent = WebAuthenticationUserAgent(configuration: configuration, features: features) { window }
        let session = try await agent.prepare(redirectURI: redirectURI.map { try RedirectURI($0) }, for: purpose)
        do {
            let callback = try await session.present(try #require(URL(string: page)))
            await session.finish(.completed)
            #expect(window.cancellations == 0)
            return (callback, window)
        } catch {
            await session.finish(.cancelled)
            throw error
        }
    }

    @Test("the window ends at the app's scheme, and the answer is handed on as it came")
    func scheme() async throws {
        let (callback, window) = try await Self.present([.end("com.example.app:/callback?code=1&state=%7E")])
        #expect(callback.url == "com.example.app:/callback?code=1&state=%7E")
        let page = try #require(await window.pages.first)
        #expect(page.callback == .scheme("com.example.app"))
        #expect(!page.isEphemeral && page.additionalHeaderFields.isEmpty)
    }

    @Test("a refusal of the login that lacks its state is shown as one, unconfirmed")
    func refusalWithoutState() async throws {
        let refused = "com.example.app:/callback?error=access_denied"
        let error = await authError { _ = try await Self.present([.end(refused)]) }
        #expect(error?.code == .accessDenied && error?.message.contains("Unconfirmed") == true)
        for (address, purpose) in [("\(refused)&state=x", UserAgentPurpose.login), (refused, .logout)] {
            #expect(try await Self.present([.end(address)], purpose: purpose).callback.url == address)
        }
    }

    @Test("options and an https callback reach the window")
    func https() async throws {
        let (callback, window) = try await Self.present(
            [.end("https://app.example/callback?code=1#_")], at: "https://app.example/callback",
            configuration: .init(prefersEphemeralWebBrowserSession: true, additionalHeaderFields: ["X-App": "example"]))
        #expect(callback.url == "https://app.example/callback?code=1#_")
        let page = try #require(await window.pages.first)
        #expect(page.callback == .https(host: "app.example", path: "/callback"))
        #expect(page.isEphemeral && page.additionalHeaderFields == ["X-App": "example"])
    }

    @Test("an answer that a page at the redirect URI hands over counts as one there")
    func redirectPage() async throws {
        let (callback, window) = try await Self.present(
            [.end("com.example.app.dev://redirect?code=a%2Fb&state=x+y#_=_")],
            at: "https://app.example/redirect?from=op", features: .none,
            configuration: .init(callbackURL: RedirectURI("com.example.app.dev://redirect")))
        #expect(callback.url == "https://app.example/redirect?code=a%2Fb&state=x+y#_=_")
        #expect(await window.pages.first?.callback == .scheme("com.example.app.dev"))
    }

    @Test(
        "an address elsewhere is refused",
        arguments: [
            "com.example.app:/other?code=1", "com.example.app://callback?code=1", "https://app.example/callback",
        ])
    func elsewhere(address: String) async {
        let error = await authError { try await Self.present([.end(address)]) }
        #expect(error?.code == .callbackMismatch && error?.stage == .authorization)
        #expect(error?.received?.contains("code") == false)
    }

    @Test func `an answer at the redirect URI is refused when a page there has to hand it over`() async throws {
        let callbackURL = try RedirectURI("com.example.app:/redirect")
        let error = await authError {
            try await Self.present(
                [.end("com.example.app:/callback?code=1")], configuration: .init(callbackURL: callbackURL))
        }
        #expect(error?.code == .callbackMismatch)
    }

    private static let failures: [(WebAuthenticationFailure, String, AuthStateError.Code)] = [
        (.canceledLogin(reason: nil), custom, .userCancelled),
        (.canceledLogin(reason: "x"), custom, .userCancelled),
        (.canceledLogin(reason: nil), "https://app.example/callback", .userCancelled),
        (.canceledLogin(reason: "not associated"), "https://app.example/callback", .invalidRedirectURI),
        (.presentationContextNotProvided, custom, .browserUnavailable),
        (.presentationContextInvalid, custom, .browserUnavailable),
        (.notStarted, custom, .browserUnavailable), (.other("-1"), custom, .browserUnavailable),
    ]

    @Test("each failure of the window is its own error", arguments: failures)
    func failure(_ failure: WebAuthenticationFailure, _ redirectURI: String, _ code: AuthStateError.Code) async {
        for purpose in [UserAgentPurpose.login, .logout] {
            let error = await authError { try await Self.present([.fail(failure)], at: redirectURI, purpose: purpose) }
            #expect(error?.code == code && error?.stage == purpose.stage)
            #expect(error?.kind == (code == .userCancelled ? .cancelled : .configuration))
            #expect((error?.hint == nil) == (code == .userCancelled))
        }
    }

    @Test(
        "header fields that the system refuses are told from a missing association and from a user who cancels",
        arguments: [
            (custom, "Headers are invalid.", .invalidArgument), (custom, nil, .userCancelled),
            ("https://app.example/callback", "Headers are invalid.", .invalidArgument),
            ("https://app.example/callback", "Not associated with domain app.example.", .invalidRedirectURI),
            ("https://app.example/callback", nil, .userCancelled),
        ] as [(String, String?, AuthStateError.Code)])
    func headerFields(redirectURI: String, reason: String?, code: AuthStateError.Code) async {
        let error = await authError {
            try await Self.present(
                [.fail(.canceledLogin(reason: reason))], at: redirectURI,
                configuration: .init(additionalHeaderFields: ["Cookie": "a=b"]))
        }
        #expect(error?.code == code && error?.received == reason)
    }

    @Test("a refusal to open is an error; what the system explained beside it counts more")
    func refusal() async {
        let silent = await authError { try await Self.present([.refuse(.notStarted)]) }
        #expect(silent?.message.contains("refused to open") == true)
        for act in [FakeWindow.Act.failAtOnce(.presentationContextInvalid), .failNext(.presentationContextInvalid)] {
            let explained = await authError { try await Self.present([act, .refuse(.notStarted)]) }
            #expect(explained?.message.contains("cannot show") == true)
        }
        let twice = await authError {
            try await Self.present([.refuse(.presentationContextNotProvided), .fail(.notStarted)])
        }
        #expect(twice?.message.contains("no window") == true)
    }

    @Test("the first of several results counts")
    func several() async throws {
        let error = await authError {
            try await Self.present([
                .failAtOnce(.other("first")), .end("com.example.app:/callback?code=1"),
                .fail(.canceledLogin(reason: nil)),
            ])
        }
        #expect(error?.received == "first")
    }

    @Test("a cancelled task closes the window, whose late result changes nothing")
    func cancellation() async throws {
        let window = await FakeWindow([])
        let agent = WebAuthenticationUserAgent(configuration: .init(), features: .all) { window }
        let service = AuthorizationService()
        let request = try Self.request()
        let task = Task { try await service.authorize(request, presenting: agent) }
        try await bounded { while await window.pages.isEmpty { await Task.yield() } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await bounded { try await task.value } }
        #expect(await window.cancellations == 1)
    }

    @Test func `a task that is cancelled already opens nothing`() async throws {
        let window = await FakeWindow([])
        let agent = WebAuthenticationUserAgent(configuration: .init(), features: .all) { window }
        let session = try await agent.prepare(redirectURI: RedirectURI(Self.custom), for: .login)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.present(LoopbackTrip.page)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await session.finish(.cancelled)
        #expect(await window.pages.isEmpty)
    }

    @Test("a session is presented once, and only with a page of the web")
    func once() async throws {
        let window = await FakeWindow([.end("com.example.app:/callback?code=1")])
        let agent = WebAuthenticationUserAgent(configuration: .init(), features: .all) { window }
        let session = try await agent.prepare(redirectURI: RedirectURI(Self.custom), for: .login)
        for address in ["file:///etc/passwd", "javascript:alert(1)", "com.example.app:/callback"] {
            let url = try #require(URL(string: address))
            #expect(await authError { try await session.present(url) }?.code == .invalidArgument)
        }
        _ = try await session.present(LoopbackTrip.page)
        #expect(await authError { try await session.present(LoopbackTrip.page) }?.code == .invalidArgument)
        await session.finish(.completed)
        #expect(await window.pages.count == 1)
    }

    @Test(
        "redirect URIs that cannot reach an app are refused before anything opens",
        arguments: [
            nil, "http://127.0.0.1:0/callback", "https://app.example:8443/callback", "https://app.example",
            "https://user@app.example/callback",
        ])
    func unreachable(redirectURI: String?) async {
        let error = await authError { try await Self.present([], at: redirectURI) }
        #expect(error?.code == .invalidRedirectURI && error?.hint != nil)
    }

    @Test("a system that is too old says so")
    func tooOld() async {
        let https = await authError { try await Self.present([], at: "https://app.example/callback", features: .none) }
        #expect(https?.code == .unsupported && https?.expected?.contains("17.4") == true)
        let headers = await authError {
            try await Self.present([], features: .none, configuration: .init(additionalHeaderFields: ["A": "b"]))
        }
        #expect(headers?.code == .unsupported)
    }

    private static func request() throws -> AuthorizationRequest {
        AuthorizationRequest(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: URL(string: "https://op.example/authorize"),
                    tokenEndpoint: try #require(URL(string: "https://op.example/token"))), id: "app"), scopes: [],
            redirectURI: try RedirectURI(custom))
    }
}

import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension ProviderTests {
    struct ResponseModeTests {
        @Test(
            "the hybrid flow verifies the ID token that comes in the fragment before it spends the code",
            arguments: Provider.complete)
        func hybrid(_ provider: Provider) async throws {
            let state = try await Flow(provider).client("hybrid").answering(.codeIDToken).logIn()
            let response = try #require(state.record.lastAuthorizationResponse)
            let first = try IDToken(parsing: try #require(response.idToken))
            let second = try IDToken(parsing: try #require(state.record.idToken))
            #expect(first.subject == second.subject && first.claims["c_hash"] != nil)
            #expect(try await state.userInfo().email == "alice@example.test")
        }

        @Test("a code comes in the fragment when that is asked for", arguments: Provider.complete)
        func fragment(_ provider: Provider) async throws {
            #expect(try await Flow(provider).answering(by: .fragment).logIn().isAuthorized)
        }

        @Test("glewlwyd posts forms", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func formPost(_ provider: Provider) async throws {
            #expect(try await Flow(provider).answering(by: .formPost).logIn().isAuthorized)
            let hybrid = try Flow(provider).client("hybrid").answering(.codeIDToken, by: .formPost)
            #expect(try await hybrid.logIn().isAuthorized)
        }

        @Test(
            "glewlwyd signs its answers (JARM), and they are verified", arguments: [Provider.glewlwyd, .glewlwydTLS],
            [.jwt, .queryJWT, .fragmentJWT, .formPostJWT] as [AuthorizationRequest.ResponseMode])
        func signed(_ provider: Provider, _ mode: AuthorizationRequest.ResponseMode) async throws {
            let state = try await Flow(provider).answering(by: mode).logIn()
            #expect(state.isAuthorized && state.record.idToken != nil)
            #expect(try await state.userInfo().email == "alice@example.test")
        }

        @Test("a signed answer of the hybrid flow, and one signed with another algorithm, are verified")
        func signedOthers() async throws {
            let hybrid = try Flow(.glewlwyd).client("hybrid").answering(.codeIDToken, by: .formPostJWT)
            #expect(try await hybrid.logIn().record.lastAuthorizationResponse?.idToken != nil)
            let curve = try Flow(.glewlwyd).client("public-es256").answering(by: .queryJWT)
            #expect(try await curve.logIn().isAuthorized)
        }

        @Test("glewlwyd's page answers a user who declines without signing, which counts for nothing")
        func unsigned() async throws {
            let flow = try Flow(.glewlwyd).answering(by: .queryJWT)
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn(.decline) }
            #expect(error?.code == .malformedResponse && error?.received?.contains("access_denied") == true)
            #expect(try await flow.tokenRequests() == 0)
        }

        @Test(
            "an answer by query is refused where a form was asked for: django-oauth-toolkit knows none, Doorkeeper's page forgets",
            arguments: [Provider.django, .doorkeeper])
        func otherMode(_ provider: Provider) async throws {
            let flow = try Flow(provider).answering(by: .formPost)
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .malformedResponse && error?.stage == .authorization)
            #expect(error?.expected == "form_post" && error?.received == "query")
            #expect(try await flow.tokenRequests() == 0)
        }

        @Test("a client that may not use the hybrid flow gets the provider's own words", arguments: Provider.complete)
        func unauthorized(_ provider: Provider) async throws {
            let flow = try Flow(provider).answering(.codeIDToken)
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.code == .unauthorizedClient && error?.stage == .authorization)
        }
    }
}

/// A real browser at a provider in this process, whose login needs no user.
@Suite(.whereChromiumIsInstalled, .takingTurns, .serialized, .timeLimit(.minutes(5)))
struct ChromiumResponseModeTests {
    private func logIn(
        _ type: AuthorizationRequest.ResponseType, by mode: AuthorizationRequest.ResponseMode?,
        pages: LoopbackPages = .default, givesUp: Bool = false,
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws -> (result: Result<AuthState, any Error>, page: JSONValue) {
        // On a busy machine a Chromium hangs at its start now and then; one that has asked the provider is not excused.
        do { return try await attempt(type, by: mode, pages: pages, givesUp: givesUp, change) } catch let hang
            as NothingAsked
        {
            print("A browser is started again: \(hang.reason)")
            return try await attempt(type, by: mode, pages: pages, givesUp: givesUp, change)
        }
    }

    /// The browser never came as far as the provider: whatever is wrong, it is not what is tested here.
    private struct NothingAsked: Error { var reason: String }

    private func attempt(
        _ type: AuthorizationRequest.ResponseType, by mode: AuthorizationRequest.ResponseMode?,
        pages: LoopbackPages, givesUp: Bool, _ change: (inout OpenIDProvider.Configuration) -> Void
    ) async throws -> (result: Result<AuthState, any Error>, page: JSONValue) {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        let provider = try await OpenIDProvider(configuration: configuration)
        let service = AuthorizationService()
        var request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"),
            redirectURI: try RedirectURI("http://127.0.0.1:0/callback"))
        request.responseType = type
        request.responseMode = mode
        let (browsers, started) = AsyncStream.makeStream(of: Program.self)
        let browser = Browser.custom { url in
            let script = "\(Provider.scripts)/chromium.py"
            let place = ["--provider", provider.issuer]
            started.yield(
                try Program.start([LoginBrowser.python, script, "--timeout", "120"] + place + [url.absoluteString]))
        }
        let agent = LoopbackUserAgent(browser: browser, timeout: .seconds(150), pages: pages)
        let login = Task { [request] in
            defer { started.finish() }
            return try await AuthState.logIn(.browser(request, agent), at: .memory(service: service))
        }
        let seen: Program.Result
        do {
            let program = try #require(await browsers.first { _ in true }, "no browser was opened")
            seen = try await program.result(within: .seconds(140))
            if seen.status != 0, provider.requests(at: .authorization).isEmpty {
                throw NothingAsked(reason: seen.errors)
            }
        } catch {
            login.cancel()
            throw error
        }
        if givesUp || seen.status != 0 { login.cancel() }
        let result = await login.result
        await provider.stop()
        #expect(seen.status == 0, "\(seen.errors)")
        return (result, try JSONValue(parsing: Array(seen.output.utf8)))
    }

    @Test(
        "each way leads to a login, and to our page, whose address has no fragment any more",
        arguments: [
            (.code, .query), (.code, .fragment), (.code, .formPost), (.codeIDToken, nil), (.codeIDToken, .formPost),
            (.code, .fragmentJWT), (.codeIDToken, .formPostJWT),
        ] as [(AuthorizationRequest.ResponseType, AuthorizationRequest.ResponseMode?)])
    func login(_ type: AuthorizationRequest.ResponseType, _ mode: AuthorizationRequest.ResponseMode?) async throws {
        let (result, page) = try await logIn(type, by: mode)
        #expect(try result.get().isAuthorized)
        #expect(page["text"]?.stringValue?.contains("You are signed in") == true, "\(page)")
        #expect(page["hasFragment"] == false && page["title"]?.stringValue?.contains("signed in") == true)
    }

    @Test(
        "an error reaches the program, and the user",
        arguments: [.fragment, .formPost] as [AuthorizationRequest.ResponseMode])
    func error(_ mode: AuthorizationRequest.ResponseMode) async throws {
        let (result, page) = try await logIn(.code, by: mode) { $0.login = .denied }
        let error = #expect(throws: AuthStateError.self) { try result.get() }
        #expect(error?.code == .accessDenied)
        #expect(page["text"]?.stringValue?.contains("Sign-in failed") == true, "\(page)")
    }

    @Test(
        "a browser that brings no answer is told so, and the login goes on waiting",
        arguments: [.query, .fragment] as [AuthorizationRequest.ResponseMode])
    func noAnswer(_ mode: AuthorizationRequest.ResponseMode) async throws {
        let (result, page) = try await logIn(.code, by: mode, givesUp: true) {
            $0.deviations.authorizationResponse = { $0 = [:] }
        }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(page["text"]?.stringValue?.contains("Nothing to see here") == true, "\(page)")
        #expect(page["title"]?.stringValue == "Nothing to see here")
    }

    @Test("the page that hands the fragment over may lead on to a page of the program's own")
    func ownPage() async throws {
        let other = try await OpenIDProvider()
        let pages = LoopbackPages(success: .redirect(other.url(of: .discovery)))
        let (result, page) = try await logIn(.codeIDToken, by: nil, pages: pages)
        #expect(try result.get().isAuthorized)
        #expect(page["url"]?.stringValue == other.url(of: .discovery).absoluteString)
        await other.stop()
    }
}

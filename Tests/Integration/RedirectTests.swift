import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// Apps that the system opens with the redirect: by a scheme of their own, or through a page that hands over to it.
    struct RedirectTests {
        private static let scheme = "com.example.app:/callback"
        private static let page = "https://app.example.test/callback"

        /// An app at a provider: its pending redirects are in files, its browser is the flow's.
        private struct App: Sendable {
            let flow: Flow
            let router: RedirectRouter
            let opened = AsyncStream.makeStream(of: URL.self)
            private let folder: TemporaryFolder

            init(_ flow: Flow, folder: TemporaryFolder) throws {
                self.flow = flow
                self.folder = folder
                router = RedirectRouter(
                    redirectURIs: [try RedirectURI(scheme)],
                    store: FileAuthStateStore(folder: URL(fileURLWithPath: folder("pending"))))
            }

            func request(at redirectURI: String) async throws -> AuthorizationRequest {
                var request = try await flow.request()
                request.redirectURI = try RedirectURI(redirectURI)
                return request
            }

            /// Begins a login whose page opens, and waits for the redirect in vain or not.
            func begin(
                _ request: AuthorizationRequest, callbackURL: String? = nil
            ) async throws -> (answer: URL, login: Task<AuthState, any Error>) {
                let agent = RedirectUserAgent(
                    router: router, callbackURL: try callbackURL.map { try RedirectURI($0) }, label: "alice"
                ) { [opened] url in
                    opened.continuation.yield(url)
                    return true
                }
                let login = Task { [flow] in
                    try await AuthState.logIn(.browser(request, agent), at: .memory(service: flow.service))
                }
                let url = try #require(await opened.stream.first { _ in true })
                return (try await flow.browser.redirect(from: url), login)
            }
        }

        @Test("a login by a scheme of the app's own is taken when the app is opened with it", arguments: Provider.all)
        func scheme(_ provider: Provider) async throws {
            let app = try App(try Flow(provider), folder: try TemporaryFolder())
            let (answer, login) = try await app.begin(try await app.request(at: Self.scheme))
            #expect(answer.scheme == "com.example.app")
            #expect(app.router.open(answer))
            #expect(try await login.value.isAuthorized)
        }

        @Test("a login whose app was killed is completed by the next start, once", arguments: Provider.all)
        func killed(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            let flow = try Flow(provider)
            let first = try App(flow, folder: folder)
            let (answer, lost) = try await first.begin(try await first.request(at: Self.scheme))

            let second = try App(flow, folder: folder)
            #expect(second.router.open(answer))
            let redirect = try #require(await second.router.restored.first { _ in true })
            #expect(redirect.label == "alice")
            guard case .login(let pending) = redirect.flow else {
                Issue.record("\(redirect)")
                return
            }
            let state = try await AuthState.logIn(
                .callback(redirect.callback, of: pending), at: .memory(service: flow.service))
            #expect(state.isAuthorized)
            #expect(try IDToken(parsing: try #require(state.record.idToken)).nonce == pending.request.nonce)
            #expect(!second.router.open(answer))
            // It writes to the folder when it ends.
            lost.cancel()
            _ = await lost.result
        }

        @Test(
            "an answer that a page hands over is exchanged like one at the redirect URI", arguments: Provider.all)
        func redirectPage(_ provider: Provider) async throws {
            let app = try App(try Flow(provider), folder: try TemporaryFolder())
            let (answer, login) = try await app.begin(
                try await app.request(at: Self.page), callbackURL: "com.example.app://redirect")
            #expect(!app.router.open(answer))
            let text = answer.absoluteString
            #expect(text.hasPrefix(Self.page))
            let handedOver = "com.example.app://redirect" + text.dropFirst(Self.page.count)
            #expect(app.router.open(try #require(URL(string: handedOver))))
            #expect(try await login.value.isAuthorized)
        }
    }
}

import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension RedirectPageTests {
    @Test(
        "a login comes back through the page, and the app exchanges the code",
        arguments: [AuthorizationRequest.ResponseMode.query, .fragment])
    func login(mode: AuthorizationRequest.ResponseMode) async throws {
        let host = try await PageHost(#require(PageHost.page))
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [.init(id: "app", redirectURIs: ["\(host.origin)/callback"])]
        let provider = try await OpenIDProvider(configuration: configuration)
        let service = AuthorizationService()
        var request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"),
            scopes: [.openID, .profile], redirectURI: try RedirectURI("\(host.origin)/callback"))
        request.responseMode = mode
        try await Chromium.run { [request] browsers in
            let userAgent = try RedirectUserAgent { url in
                try await browsers[0].open(url.absoluteString)
                #expect(try await browsers[0].url == "\(host.origin)/callback")
                return try await browsers[0].script("return document.querySelector('a').href").stringValue
            }
            let state = try await AuthState.logIn(.browser(request, userAgent), at: .memory(service: service))
            #expect(try await state.userInfo().name == "Ada Lovelace")
        }
    }
}

extension ProviderTests {
    @Suite(.whereChromiumIsInstalled, .takingTurns) struct RedirectLoginTests {
        @Test(
            "a user logs in at a real provider, and the page hands the answer over",
            arguments: [Provider.glewlwyd, .django])
        func login(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let host = try await PageHost(#require(PageHost.page), port: RedirectPorts.next())
            var request = try await flow.request()
            request.redirectURI = try RedirectURI("\(host.origin)/callback")
            let userAgent = try RedirectUserAgent { url in
                let script = "\(Provider.scripts)/chromium.py"
                let result = try await Program.run([LoginBrowser.python, script, url.absoluteString])
                #expect(result.status == 0, "\(result.errors)")
                return try JSONValue(parsing: Array(result.output.utf8))["link"]?.stringValue
            }
            let state = try await AuthState.logIn(
                .browser(request, userAgent), at: .memory(service: flow.service))
            #expect(try await state.userInfo().email == "alice@example.test")
        }
    }
}

extension RedirectUserAgent {
    /// An app whose scheme the page knows: the system opens it with the address that a browser ends at.
    fileprivate init(browser: @escaping @Sendable (URL) async throws -> String?) throws {
        let router = RedirectRouter()
        self.init(router: router, callbackURL: try RedirectURI(PageHost.app)) { url in
            let address = try #require(try await browser(url).flatMap { URL(string: $0) })
            return router.open(address)
        }
    }
}

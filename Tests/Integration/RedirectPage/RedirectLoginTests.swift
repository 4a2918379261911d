import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension RedirectPageTests {
    @Test(
        "a login comes back through the page, and the app exchanges the code",
        arguments: [AuthorizationRequest.ResponseMode.query, .fragment])
    func login(mode: AuthorizationRequest.ResponseMode) async throws {
        let host = try PageHost(#require(PageHost.page))
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [.init(id: "app", redirectURIs: ["\(host.origin)/callback"])]
        let provider = try await OpenIDProvider(configuration: configuration)
        let service = AuthorizationService()
        var request = AuthorizationRequest(
            configuration: try await service.discoverConfiguration(issuer: provider.issuer), clientID: "app",
            scopes: [.openID, .profile], redirectURI: try RedirectURI("\(host.origin)/callback"))
        request.responseMode = mode
        let pending = try service.begin(request)
        try await Chromium.run { browsers in
            try await browsers[0].open(pending.url.absoluteString)
            #expect(try await browsers[0].url == "\(host.origin)/callback")
            let link = try await browsers[0].script("return document.querySelector('a').href").stringValue
            let state = try await AuthState.complete(
                pending, callback: PageHost.callback(try #require(link), of: pending.request), service: service)
            #expect(try await state.userInfo().name == "Ada Lovelace")
        }
    }
}

extension ProviderTests {
    @Suite("redirect page", .whereChromiumIsInstalled) struct RedirectLoginTests {
        @Test(
            "a person logs in at a real provider, and the page hands the answer over",
            arguments: [
                Provider.glewlwyd, .django,
            ])
        func login(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let port = RedirectPorts.next()
            let host = try PageHost(#require(PageHost.page), port: port)
            var request = try await flow.request()
            request.redirectURI = try RedirectURI("\(host.origin)/callback")
            let pending = try flow.service.begin(request)
            let result = try await Program.run([
                LoginBrowser.python, "\(Provider.scripts)/chromium.py", pending.url.absoluteString,
            ])
            #expect(result.status == 0, "\(result.errors)")
            let shown = try JSONValue(parsing: Array(result.output.utf8))
            let link = try #require(shown["link"]?.stringValue)
            #expect(link.hasPrefix("\(PageHost.app)?"))
            let state = try await AuthState.complete(
                pending, callback: PageHost.callback(link, of: request), service: flow.service)
            #expect(try await state.userInfo().email == "alice@example.test")
        }
    }
}

extension PageHost {
    /// The answer that the app got, at the redirect URI where the provider sent it.
    static func callback(_ link: String, of request: AuthorizationRequest) -> AuthorizationCallback {
        AuthorizationCallback(url: (request.redirectURI?.rawValue ?? "") + link.dropFirst(app.count))
    }
}

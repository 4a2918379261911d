import AuthStateJOSE
import AuthStateOAuth
import AuthStateProviders
import Testing

struct RequestDiagnosisTests {
    private func codes(
        _ redirectURI: String?, _ credential: ClientCredential = .none, app: AppDeclarations? = nil,
        _ change: (inout AuthorizationRequest) throws -> Void = { _ in }
    ) throws -> [Finding.Code] {
        var request = try Fixtures.request()
        request.redirectURI = try redirectURI.map(RedirectURI.init)
        try change(&request)
        return request.with(credential).diagnose(app: app).map(\.code)
    }

    @Test(
        "a secret that every copy of an app has is a warning, never an error",
        arguments: [
            ClientCredential.secret("s"), .environment("S"), .file("/s"),
            .appleSecret(teamID: "T", keyID: "K", key: .value("k")),
        ])
    func secretInApp(_ credential: ClientCredential) throws {
        let app = AppDeclarations(urlSchemes: [], associatedDomains: ["applinks:app.example"])
        #expect(try codes("com.example.app:/cb", credential) == [.secretInApp])
        #expect(try codes("https://app.example/cb", credential, app: app) == [.secretInApp])
        var request = try Fixtures.request()
        request.redirectURI = try RedirectURI("com.example.app:/cb")
        #expect(request.with(credential).diagnose().map(\.severity) == [.warning])
        // A program of one's own machine, and a web server.
        #expect(try codes("http://127.0.0.1:0/cb", credential).isEmpty)
        #expect(try codes("https://app.example/cb", credential).isEmpty)
        #expect(try codes("http://127.0.0.1:0/cb", credential, app: app).isEmpty)
    }

    @Test(
        "a secret or key of this copy alone is no finding",
        arguments: [
            ClientCredential.none, ClientCredential(.issued("s")), .privateKey(file: "/key.pem"), .certificate(),
        ])
    func ownSecret(_ credential: ClientCredential) throws {
        #expect(try codes("com.example.app:/cb", credential).isEmpty)
    }

    @Test("offline access without prompt=consent is a finding, where the provider has that prompt")
    func offlineAccess() throws {
        let listed = try Fixtures.configuration(metadata: ["prompt_values_supported": ["none", "login", "consent"]])
        func codes(
            _ configuration: ProviderConfiguration, _ prompt: [AuthorizationRequest.Prompt]
        ) throws -> [Finding.Code] {
            var request = try Fixtures.request(configuration, scopes: [.openID, .offlineAccess])
            request.prompt = prompt
            return request.diagnose().map(\.code)
        }
        #expect(try codes(listed, [.login]) == [.offlineAccessWithoutConsent])
        #expect(try codes(listed, []).isEmpty)
        #expect(try codes(listed, [.login, .consent]).isEmpty)
        #expect(try codes(Fixtures.configuration(), [.login]).isEmpty)
    }

    @Test func `the response mode is the request's, and the provider is known by its issuer`() throws {
        #expect(try codes("com.example.app:/cb") { $0.responseMode = .formPost } == [.formPostToApp])
        #expect(
            try codes("com.example.app:/cb") { $0.client.provider.issuer = try Issuer("https://accounts.google.com") }
                .isEmpty)
        #expect(
            try codes("com.example.app:/cb") {
                $0.client.provider.issuer = try Issuer("https://accounts.google.com")
                $0.client.id = "1.apps.googleusercontent.com"
            } == [.providerRule])
        #expect(try codes(nil, .secret("s")).isEmpty)
    }
}

import AuthStateApp
import Testing

struct SessionDiagnosisTests {
    private func codes(
        _ provider: AuthSessionConfiguration.Provider, _ redirectURI: String, clientID: String = "app",
        _ change: (inout AuthSessionConfiguration) -> Void = { _ in }
    ) throws -> [Finding.Code] {
        var configuration = AuthSessionConfiguration(
            provider, clientID: clientID, redirectURI: try RedirectURI(redirectURI))
        change(&configuration)
        return configuration.diagnose(app: AppDeclarations(urlSchemes: ["com.example.app"])).map(\.code)
    }

    @Test func `the rules of a provider count, by its issuer too`() throws {
        let google = "1.apps.googleusercontent.com"
        #expect(try codes(.issuer("https://op.example"), "com.example.app:/cb").isEmpty)
        #expect(try codes(.known(.google), "com.example.app:/cb", clientID: google) == [.providerRule])
        #expect(
            try codes(.issuer("https://accounts.google.com"), "com.example.app:/cb", clientID: google)
                == [.providerRule])
    }

    @Test("the credential and what `prepare` changes count")
    func request() throws {
        let issuer = AuthSessionConfiguration.Provider.issuer("https://op.example")
        #expect(try codes(issuer, "com.example.app:/cb") { $0.credential = .secret("s") } == [.secretInApp])
        #expect(
            try codes(issuer, "com.example.app:/cb") { $0.prepare = { $0.responseMode = .formPost } }
                == [.formPostToApp])
    }
}

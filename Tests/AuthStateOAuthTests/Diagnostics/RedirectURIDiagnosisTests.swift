import AuthStateOAuth
import AuthStateProviders
import Testing

struct RedirectURIDiagnosisTests {
    /// A redirect URI and all its findings.
    struct Row: Sendable, CustomTestStringConvertible {
        let uri: String
        var app: AppDeclarations?
        var mode: AuthorizationRequest.ResponseMode?
        var provider: KnownProvider?
        var clientID: String?
        let findings: [Finding.Code]

        init(
            _ uri: String, _ findings: Finding.Code..., app: AppDeclarations? = nil,
            mode: AuthorizationRequest.ResponseMode? = nil, provider: KnownProvider? = nil, clientID: String? = nil
        ) {
            self.uri = uri
            self.findings = findings
            self.app = app
            self.mode = mode
            self.provider = provider
            self.clientID = clientID
        }

        var testDescription: String { "\(uri) \(mode?.rawValue ?? "") \(provider?.title ?? "")" }
    }

    static let plain = [
        Row("http://127.0.0.1:0/callback"), Row("http://[::1]:8080/callback"), Row("https://app.example/callback"),
        Row("com.example.app:/callback"), Row("com.example.app:/oauth2/callback?from=app"),
        Row("com.example.app:///callback"), Row("net.openid.appauthdemo:/oauth2redirect"),
    ]

    static let schemes = [
        Row("myapp:/callback", .genericScheme), Row("oauth:/callback", .genericScheme),
        Row("OAuth:/callback", .genericScheme, .mixedCaseScheme), Row("callback:/x", .genericScheme),
        Row("acme:/callback", .schemeNotReverseDNS), Row("fb123:/callback", .schemeNotReverseDNS),
        Row("com..app:/callback", .schemeNotReverseDNS), Row("com.:/callback", .schemeNotReverseDNS),
        Row("com.Example.App:/callback", .mixedCaseScheme), Row("HTTPS://app.example/cb", .mixedCaseScheme),
        Row("file:///callback", .reservedScheme), Row("javascript:alert(1)", .reservedScheme),
        Row("MailTo:a@b.example", .reservedScheme, .mixedCaseScheme),
    ]

    static let forms = [
        Row("com.example.app://callback", .hostInsteadOfPath), Row("com.example.app://host/cb", .hostInsteadOfPath),
        Row("myapp://callback", .genericScheme, .hostInsteadOfPath), Row("com.example.app:", .missingPath),
        Row("com.example.app:/", .missingPath), Row("http://app.example/callback", .httpNotLoopback),
        Row("http://192.168.1.2/callback", .httpNotLoopback), Row("http://127.0.0.2/callback", .httpNotLoopback),
        Row("http://localhost:8080/callback", .localhostName), Row("https://localhost/callback"),
    ]

    static let refused = ["", "/callback", "com.example.app:/callback#top", "https://app.example/#", "https://"].map {
        Row($0, .invalidRedirectURI)
    }

    static let app = AppDeclarations(
        urlSchemes: ["com.example.app"], associatedDomains: ["webcredentials:app.example", "applinks:*.links.example"])

    static let apps = [
        Row("com.example.app:/callback", app: app), Row("COM.example.app:/callback", .mixedCaseScheme, app: app),
        Row("com.example.other:/callback", .schemeNotDeclared, app: app), Row("https://app.example/cb", app: app),
        Row("https://a.links.example/cb", app: app), Row("https://links.example/cb", .domainNotAssociated, app: app),
        Row("https://other.example/cb", .domainNotAssociated, app: app),
        Row("https://app.example/cb", .domainNotAssociated, app: AppDeclarations(urlSchemes: [])),
        Row("http://127.0.0.1/cb", app: app),
        Row("com.example.app:/callback", .formPostToApp, mode: .formPost),
        Row("https://app.example/callback", mode: .formPost),
        Row("https://app.example/callback", .formPostToApp, app: app, mode: .formPost),
        Row("com.example.app:/callback", mode: .fragment),
    ]

    private static let googleClient = "123-abc.apps.googleusercontent.com"

    static let providers: [Row] = [
        Row("com.googleusercontent.apps.123-abc:/callback", provider: .google, clientID: googleClient),
        Row("com.example.app:/callback", .providerRule, provider: .google, clientID: googleClient),
        Row("com.example.app:/callback", provider: .google),
        Row("http://127.0.0.1/", provider: .google, clientID: "a.b"),
        Row("https://app.example/cb", provider: .apple), Row("https://192.0.2.1/cb", .providerRule, provider: .apple),
        Row("https://localhost/cb", .providerRule, provider: .apple),
        Row("com.example.app:/callback", .providerRule, provider: .apple),
        Row("http://127.0.0.1/cb", .providerRule, provider: .apple),
        Row("com.example.app:/callback", provider: .gitHub, clientID: "a.b"),
        Row("http://localhost:8400/cb", provider: .microsoft()), Row("https://app.example/cb", provider: .microsoft()),
        Row("http://127.0.0.1:8400/cb", .providerRule, provider: .microsoft()),
        Row("http://[::1]:8400/cb", .providerRule, provider: .microsoft()),
        Row("com.example.app:/callback", provider: .microsoft()),
        Row("http://localhost:8400/cb", provider: .facebook), Row("https://app.example/cb", provider: .facebook),
        Row("http://127.0.0.1:8400/cb", .providerRule, provider: .facebook),
        Row("com.example.app:/callback", .providerRule, provider: .facebook),
        Row("http://127.0.0.1:8400/cb", provider: .spotify), Row("http://[::1]:8400/cb", provider: .spotify),
        Row("http://localhost:8400/cb", .providerRule, provider: .spotify),
        Row("https://localhost/cb", .providerRule, provider: .spotify),
        Row("com.example.app:/callback", provider: .spotify),
        Row("com.example.app://app.example/cb", provider: .strava),
        Row("http://localhost/cb", .localhostName, provider: .strava),
        Row("com.example.app:/callback", .providerRule, provider: .strava),
        Row("http://127.0.0.1:8400/cb", provider: .strava),
    ]

    @Test("each form has its findings, and no other", arguments: plain + schemes + forms + refused + apps + providers)
    func row(_ row: Row) {
        let findings = RedirectURI.diagnose(
            row.uri, app: row.app, responseMode: row.mode, provider: row.provider, clientID: row.clientID)
        #expect(Set(findings.map(\.code)) == Set(row.findings) && findings.count == row.findings.count)
        for finding in findings {
            #expect(finding.description.hasPrefix("\(finding.severity.rawValue): \(finding.message) "))
            #expect(finding.message.hasSuffix(".") && finding.hint.hasSuffix(".") && !finding.hint.contains("Optional"))
        }
    }

    @Test(
        "a redirect URI that cannot work or gives the code away is an error, which comes first",
        arguments: [
            ("http://app.example/cb", [Finding.Severity.error]), ("file:///x", [.error]), ("#", [.error]),
            ("com.example.app://callback", [.warning]), ("myapp:/callback", [.warning]),
            ("http://localhost/cb", [.warning]), ("MailTo:a", [.error, .warning]),
        ])
    func severity(_ uri: String, _ severities: [Finding.Severity]) {
        #expect(RedirectURI.diagnose(uri).map(\.severity) == severities)
    }

    @Test func `a finding says what to write instead`() {
        #expect(
            RedirectURI.diagnose("com.example.app://callback").first?.hint.contains("com.example.app:/callback") == true
        )
        #expect(
            RedirectURI.diagnose("com.example.app:/cb", provider: .google, clientID: Self.googleClient).first?.hint
                .contains("com.googleusercontent.apps.123-abc:/callback") == true)
        #expect(
            RedirectURI.diagnose("com.example.app:/cb", app: AppDeclarations(infoDictionary: nil)).first?.hint
                .contains("ASWebAuthenticationSession does not need it") == true)
    }

    @Test("the declared schemes come from an Info.plist")
    func infoDictionary() {
        let types: [[String: Any]] = [
            ["CFBundleURLName": "a", "CFBundleURLSchemes": ["com.example.app", "com.example.app.debug"]],
            ["CFBundleURLName": "without schemes"], ["CFBundleURLSchemes": ["fb123"]],
        ]
        let declared = AppDeclarations(infoDictionary: ["CFBundleURLTypes": types, "CFBundleName": "App"])
        #expect(declared.urlSchemes == ["com.example.app", "com.example.app.debug", "fb123"])
        #expect(AppDeclarations(infoDictionary: ["CFBundleURLTypes": "nonsense"]).urlSchemes.isEmpty)
    }
}

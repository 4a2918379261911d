import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateProviders
import Testing

struct KnownProviderTests {
    /// One provider of each kind.
    static func all() throws -> [KnownProvider] {
        [
            .google, .apple, .microsoft(), .microsoft(tenant: .consumers), .facebook, .gitHub, .spotify, .strava,
            try .okta(domain: "dev-1.okta.com"), try .auth0(domain: "example.eu.auth0.com"),
            try .keycloak(base: "https://sso.example/", realm: "staff"),
            try .forgeRock(base: "https://tenant.example:443/am", realm: "alpha"),
        ]
    }

    @Test("every entry is whole: an https issuer or endpoints, scopes, and a document for each quirk")
    func whole() throws {
        for provider in try Self.all() {
            #expect(provider.name == provider.name.lowercased())
            if let issuer = provider.issuer {
                #expect(try Issuer(issuer).rawValue.hasPrefix("https://"))
                #expect(try provider.configurationByHand() == nil)
            } else {
                let configuration = try #require(try provider.configurationByHand())
                #expect(configuration.authorizationEndpoint?.scheme == "https")
                #expect(configuration.tokenEndpoint.scheme == "https")
                #expect(configuration.tolerances == provider.tolerances)
                #expect(configuration.metadata?.tokenEndpointAuthMethodsSupported?.isEmpty == false)
            }
            #expect(!provider.scopes.isEmpty && provider.scopes.allSatisfy(\.isValid), "\(provider.name)")
            #expect(!provider.quirks.isEmpty && provider.quirks.allSatisfy { $0.documentation.hasPrefix("https://") })
        }
    }

    @Test(
        "issuers are as the provider writes them",
        arguments: [
            ("okta", "dev-1.okta.com", nil, "https://dev-1.okta.com"),
            ("okta", "dev-1.okta.com", "default", "https://dev-1.okta.com/oauth2/default"),
            ("auth0", "example.eu.auth0.com", nil, "https://example.eu.auth0.com/"),
            ("keycloak", "https://sso.example", "staff", "https://sso.example/realms/staff"),
            ("keycloak", "https://sso.example/auth/", "a b", "https://sso.example/auth/realms/a%20b"),
            ("forgerock", "https://t.example:443/am", nil, "https://t.example:443/am/oauth2/realms/root"),
            (
                "forgerock", "https://t.example/am", "/alpha/beta",
                "https://t.example/am/oauth2/realms/root/realms/alpha/realms/beta"
            ),
            ("microsoft", nil, nil, "https://login.microsoftonline.com/common/v2.0"),
            (
                "Microsoft", "consumers", nil,
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
            ),
            (
                "microsoft", "72F988BF-86f1-41af-91ab-2d7cd011db47", nil,
                "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0"
            ),
            ("GOOGLE", nil, nil, "https://accounts.google.com"),
        ] as [(String, String?, String?, String)])
    func issuers(_ name: String, _ place: String?, _ realm: String?, _ issuer: String) throws {
        #expect(try KnownProvider(named: name, at: place, realm: realm).issuer == issuer)
    }

    @Test func `every name that is listed leads to its provider`() throws {
        for listing in KnownProvider.listings {
            let place: String? =
                switch listing.place {
                case "domain": "op.example"
                case "base URL": "https://op.example"
                default: nil
                }
            let provider = try KnownProvider(named: listing.name, at: place, realm: listing.hasRealms ? "r" : nil)
            #expect(provider.name == listing.name && provider.title == listing.title)
        }
        #expect(Set(KnownProvider.listings.map(\.name)) == Set(try Self.all().map(\.name)))
    }

    @Test(
        "a missing or superfluous argument is reported",
        arguments: [
            ("nobody", nil, nil, "nobody"), ("okta", nil, nil, "Okta"), ("auth0", "https://op.example", nil, "domain"),
            ("auth0", "op.example/path", nil, "domain"), ("auth0", "user@op.example", nil, "domain"),
            ("keycloak", "https://sso.example", nil, "realms"), ("google", "op.example", nil, "Google"),
            ("github", nil, "r", "GitHub"), ("microsoft", "contoso.example", nil, "Directory (tenant) ID"),
            ("microsoft", "../consumers", nil, "GUID"),
        ] as [(String, String?, String?, String)])
    func refusals(_ name: String, _ place: String?, _ realm: String?, _ word: String) throws {
        let error = try #require(refusal { try KnownProvider(named: name, at: place, realm: realm) })
        #expect(error.code == .invalidArgument && error.stage == .usage)
        #expect("\(error)".contains(word))
    }

    @Test("the table says what to register, with a redirect URI that fits the provider's own rule")
    func registration() throws {
        for provider in try Self.all() {
            let registration = provider.registration
            #expect(registration.steps.hasSuffix(".") || registration.steps.hasSuffix(".)"), "\(provider.name)")
            #expect(registration.page?.hasPrefix("https://") != false)
            guard let text = registration.loopbackRedirectURI else {
                #expect(provider == .apple)
                continue
            }
            let redirectURI = try RedirectURI(text)
            #expect(redirectURI.isLoopback && redirectURI.path == "/callback")
            let findings = RedirectURI.diagnose(text, provider: provider, clientID: "a.b")
            #expect(!findings.contains { $0.code == .providerRule }, "\(provider.name): \(findings)")
            // The registered URI is the one in use, except for a port that may be any.
            let host = String(redirectURI.parts.host ?? "")
            #expect(registration.steps.contains(redirectURI.port == 0 ? host : text), "\(provider.name)")
        }
    }

    @Test func `a request is as the provider wants it`() throws {
        func query(_ provider: KnownProvider, scopes: [Scope]? = nil) throws -> Parameters {
            let configuration = try provider.configurationByHand() ?? Fixtures.configuration()
            let request = provider.request(
                Client(configuration, id: "c"), scopes: scopes,
                redirectURI: try RedirectURI("https://app.example/callback"))
            return try #require(Parameters(decoding: URIReference(request.url().absoluteString).query ?? ""))
        }
        let google = try query(.google)
        #expect(google["access_type"] == "offline" && google["prompt"] == "consent")
        #expect(try query(.apple)["response_mode"] == "form_post")
        #expect(try query(.apple, scopes: [.openID])["response_mode"] == nil)
        #expect(try query(.strava, scopes: ["read", "activity:read_all"])["scope"] == "read,activity:read_all")
        #expect(try query(.gitHub, scopes: ["read:user", "gist"])["scope"] == "read:user gist")
        #expect(try query(.auth0(domain: "op.example", audience: "https://api"))["audience"] == "https://api")
        #expect(try query(.auth0(domain: "op.example"))["audience"] == nil)
        #expect(try query(.microsoft())["scope"]?.contains("offline_access") == true)
    }
}

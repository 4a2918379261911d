import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting

extension Attack {
    /// ID tokens and metadata that would pass for another tenant's, where the issuer is a template.
    static let tenants: [Attack] = [
        // The token's own tenant does not fill the template, or another template is filled.
        tenant(.idTokenIssuer, issuer: "https://login.example/\(victim)/v2.0", tid: .string(evil)),
        tenant(.idTokenIssuer, issuer: "https://evil.example/\(evil)/v2.0", tid: .string(evil)),
        tenant(.idTokenIssuer, issuer: "https://login.example/\(evil)/v1.0", tid: .string(evil)),
        tenant(.idTokenIssuer, issuer: "https://login.example/{tenantid}/v2.0", tid: .string(evil)),
        // The value that fills the template is no tenant.
        tenant(.idTokenTenant, issuer: "https://login.example/common/v2.0", tid: "common"),
        tenant(.idTokenTenant, issuer: "https://login.example/{tenantid}/v2.0", tid: "{tenantid}"),
        tenant(.idTokenTenant, issuer: "https://login.example/x/../\(victim)/v2.0", tid: .string("x/../\(victim)")),
        tenant(.idTokenTenant, issuer: "https://login.example//v2.0", tid: nil),
        tenant(.idTokenTenant, issuer: "https://login.example//v2.0", tid: 5),
        // The key that signed is for another tenant, another cloud, or an issuer that is no name.
        tenant(
            .idTokenKeyIssuer, issuer: "https://login.example/\(evil)/v2.0", tid: .string(evil),
            keyIssuer: .string("https://login.example/\(victim)/v2.0")),
        tenant(
            .idTokenKeyIssuer, issuer: "https://login.example/\(evil)/v2.0", tid: .string(evil),
            keyIssuer: "https://other.example/{tenantid}/v2.0"),
        tenant(.idTokenKeyIssuer, issuer: "https://login.example/\(evil)/v2.0", tid: .string(evil), keyIssuer: ["x"]),
        // The next token is another tenant's.
        tenant(.idTokenKeepsTenant, issuer: "https://login.example/\(evil)/v2.0", tid: .string(evil)) {
            $0.previous = try token(issuer: "https://login.example/\(victim)/v2.0", tid: .string(victim))
        },
        tenant(.idTokenKeepsTenant, issuer: "https://login.example/\(evil)/v2.0", tid: .string(evil)) {
            $0.frontChannel = try token(issuer: "https://login.example/\(victim)/v2.0", tid: .string(victim))
        },
        // The template is not the one of the issuer that was asked for, or none was tolerated.
        metadata("https://login.example/common/v2.0", "https://evil.example/{tenantid}/v2.0", [.tenantIssuer]),
        metadata("https://login.example/common/v2.0", "https://{tenantid}/common/v2.0", [.tenantIssuer]),
        metadata("https://login.example/\(victim)/v2.0", "https://login.example/{tenantid}/v2.0", [.tenantIssuer]),
        metadata("https://login.example/common/v2.0", "https://login.example/{tenantid}/v2.0", []),
    ]

    private static let victim = "11111111-2222-3333-4444-555555555555"
    private static let evil = "66666666-7777-8888-9999-aaaaaaaaaaaa"
    private static let key = Result { try SigningKey.generate(.es256, keyID: "k") }
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func token(issuer: String, tid: JSONValue?) throws -> IDToken {
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "ada", "aud": "client", "iat": 1_800_000_000, "exp": 1_800_003_600,
        ]
        claims["tid"] = tid
        return try IDToken(parsing: JSONWebToken.sign(claims: .object(claims), with: key.get()))
    }

    private static func tenant(
        _ check: TrustCheck, issuer: String, tid: JSONValue?,
        keyIssuer: JSONValue? = nil,
        _ change: @escaping @Sendable (inout IDTokenExpectation) throws -> Void = { _ in }
    ) -> Attack {
        Attack(check) {
            var expectation = IDTokenExpectation(
                issuer: try Issuer("https://login.example/common/v2.0"), clientID: "client", now: now)
            expectation.tenantIssuer = TenantIssuer("https://login.example/{tenantid}/v2.0")
            try change(&expectation)
            var published = try key.get().publicKey.json.objectValue ?? [:]
            published["issuer"] = keyIssuer
            let keys = try JSONWebKeySet(json: ["keys": [.object(published)]])
            _ = try token(issuer: issuer, tid: tid).validate(keys: keys, expectation: expectation)
        }
    }

    private static func metadata(_ issuer: String, _ named: String, _ tolerances: Set<Tolerance>) -> Attack {
        Attack(.metadataIssuer) {
            let pages = [
                "\(issuer)/.well-known/openid-configuration": ScriptedPages.document(["issuer": .string(named)])
            ]
            _ = try await AuthorizationService(transport: ScriptedPages.transport(pages)).discoverConfiguration(
                issuer: issuer, tolerances: tolerances)
        }
    }
}

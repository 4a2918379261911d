import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting

extension IDTokenFixtures {
    static func token(_ name: String) throws -> IDToken { try IDToken(parsing: tokens[name] ?? "") }

    private static let parsedKeys = Result { try JSONWebKeySet(parsing: keySet.utf8) }

    static func keys() throws -> JSONWebKeySet { try parsedKeys.get() }

    /// The expectation that the good token meets.
    static func expectation() throws -> IDTokenExpectation {
        var expectation = IDTokenExpectation(
            issuer: try Issuer("https://op.example"), clientID: "client",
            now: Date(timeIntervalSince1970: Double(now)))
        expectation.nonce = "nonce"
        return expectation
    }
}

extension Attack {
    private static func idToken(
        _ check: TrustCheck, _ name: String,
        _ change: @escaping @Sendable (inout IDTokenExpectation) throws -> Void = { _ in }
    ) -> Attack {
        Attack(check) {
            var expectation = try IDTokenFixtures.expectation()
            try change(&expectation)
            _ = try IDTokenFixtures.token(name).validate(keys: IDTokenFixtures.keys(), expectation: expectation)
        }
    }

    private static func renewed(_ check: TrustCheck, _ name: String) -> Attack {
        idToken(check, name) { $0.previous = try IDTokenFixtures.token("good") }
    }

    /// An ID token without a signature, or one that cannot be verified, out of the browser.
    private static let unsigned: [Attack] = [
        idToken(.idTokenUnsigned, "unsigned"),
        idToken(.idTokenUnsigned, "unsignedFront") {
            $0.code = "code"
            $0.policy.algorithms.insert(.unsecured)
        },
        Attack(.idTokenUnsigned) {
            var expectation = try IDTokenFixtures.expectation()
            expectation.code = "code"
            expectation.policy.trustsTLS = true
            try IDTokenFixtures.token("front").validate(keys: nil, expectation: expectation)
        },
    ]

    /// An answer of the token endpoint without the ID token that the scope `openid` asks for.
    private static let absent = Attack(.idTokenPresent) {
        let configuration = ProviderConfiguration(
            issuer: try Issuer("https://op.example"),
            authorizationEndpoint: URL(string: "https://op.example/authorize"),
            tokenEndpoint: try url("https://op.example/token"), jwksURI: try url("https://op.example/keys"))
        let service = AuthorizationService(
            transport: ScriptedTransport([
                .json(IDTokenFixtures.keySet), .json(#"{"access_token":"a","token_type":"Bearer"}"#),
            ]))
        let request = AuthorizationRequest(
            Client(configuration, id: "client"), redirectURI: try RedirectURI("https://app.example/callback"))
        let pending = try await service.begin(request)
        let callback = AuthorizationCallback(url: "https://app.example/callback?code=c&state=\(request.state)")
        _ = try await service.complete(pending, callback: callback)
    }

    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw CancellationError() }
        return url
    }

    static let idToken: [Attack] =
        unsigned + [
            absent,
            idToken(.idTokenIssuer, "otherIssuer"),
            idToken(.idTokenSubject, "noSubject"),
            idToken(.idTokenSubject, "emptySubject"),
            idToken(.idTokenSubject, "longSubject"),
            idToken(.idTokenAudience, "otherAudience"),
            idToken(.idTokenTrustedAudiences, "moreAudiences") { $0.policy.trustedAudiences = ["other"] },
            idToken(.idTokenAuthorizedParty, "otherParty"),
            idToken(.idTokenAuthorizedParty, "noParty"),
            idToken(.idTokenExpiry, "expired"),
            idToken(.idTokenExpiry, "noExpiry"),
            idToken(.idTokenIssueTime, "noIssueTime"),
            idToken(.idTokenFromFuture, "fromFuture"),
            idToken(.idTokenTooOld, "tooOld"),
            idToken(.idTokenNotBefore, "notYet"),
            idToken(.idTokenNotBefore, "oddNotBefore"),
            idToken(.idTokenNonce, "otherNonce"),
            idToken(.idTokenNonce, "noNonce"),
            idToken(.idTokenNonce, "good") { $0.nonce = nil },
            renewed(.idTokenNonce, "otherNonce"),
            // A nonce may be absent by name, never another one, and never in the hybrid flow.
            idToken(.idTokenNonce, "otherNonce") { $0.mayOmitNonce = true },
            idToken(.idTokenNonce, "noNonce") {
                $0.mayOmitNonce = true
                $0.frontChannel = try IDTokenFixtures.token("front")
            },
            idToken(.idTokenContextClass, "good") { $0.contextClasses = ["gold"] },
            idToken(.idTokenContextClass, "bronze") { $0.policy.contextClasses = ["gold"] },
            idToken(.idTokenAuthenticationTime, "noAuthenticationTime") { $0.maxAge = 100 },
            idToken(.idTokenAuthenticationTime, "oldLogin") { $0.maxAge = 100 },
            idToken(.idTokenAccessTokenHash, "otherAccessTokenHash") { $0.accessToken = "access" },
            idToken(.idTokenAccessTokenHashPresent, "good") {
                $0.accessToken = "access"
                $0.policy.requiresAccessTokenHash = true
            },
            idToken(.idTokenCodeHash, "otherCodeHash") { $0.code = "code" },
            idToken(.idTokenCodeHash, "good") { $0.code = "code" },
            idToken(.idTokenSameSubject, "otherSubject") { $0.frontChannel = try IDTokenFixtures.token("front") },
            renewed(.idTokenKeepsSubject, "otherSubject"),
            idToken(.idTokenKeepsAudience, "moreAudiences") { $0.previous = try IDTokenFixtures.token("party") },
            renewed(.idTokenKeepsAuthorizedParty, "party"),
            idToken(.idTokenKeepsAuthenticationTime, "otherAuthenticationTime") {
                $0.previous = try IDTokenFixtures.token("good")
                $0.keepsAuthenticationTime = true
            },
        ]
}

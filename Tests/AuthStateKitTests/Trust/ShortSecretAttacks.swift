import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

@testable import AuthStateKit

extension Attack {
    /// A secret that can be found by trial: an attacker who has it signs for the provider, or for the client.
    static let shortSecret: [Attack] = [
        Attack(.shortSecret) { try believe(String(repeating: "s", count: 31), .hs256) },
        Attack(.shortSecret) { try believe(String(repeating: "s", count: 63), .hs512) },
        Attack(.shortSecret) {
            let service = ProviderConfiguration(
                authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!)
            let credential = ClientCredential.secret("guessable", method: .clientSecretJWT)
            _ = try credential.authentication(
                clientID: "client", provider: service, endpoint: service.tokenEndpoint, now: Date(), stage: .token)
        },
    ]

    /// An ID token that is signed with the client's secret.
    private static func believe(_ secret: String, _ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(JSONWebKey(secret: secret.utf8), algorithm: algorithm)
        let token = try IDToken(parsing: JSONWebToken.sign(claims: ["sub": "ada"], with: key))
        var expectation = IDTokenExpectation(issuer: try Issuer("https://op.example"), clientID: "client", now: Date())
        expectation.policy.algorithms = [algorithm]
        expectation.clientSecret = secret
        _ = try token.verifySignature(keys: nil, expectation: expectation)
    }
}

import AuthStateJOSE
import AuthStateOAuth
import Foundation
import Testing

@testable import AuthStateKit

/// RFC 7518, section 3.2: the key of an HMAC is at least as long as the hash.
struct ShortSecretTests {
    private static let lengths: [(SignatureAlgorithm, Int)] = [(.hs256, 32), (.hs384, 48), (.hs512, 64)]

    private func service(_ tolerances: Set<Tolerance> = []) throws -> ProviderConfiguration {
        var service = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
            tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        service.tolerances = tolerances
        service.idTokenPolicy.algorithms = [.hs256, .hs384, .hs512]
        return service
    }

    private func sign(_ length: Int, _ algorithm: SignatureAlgorithm, _ tolerances: Set<Tolerance> = []) throws {
        let secret = String(repeating: "s", count: length)
        var credential = ClientCredential.secret(secret, method: .clientSecretJWT)
        credential.signingAlgorithm = algorithm
        let service = try service(tolerances)
        _ = try credential.authentication(
            clientID: "client", provider: service, endpoint: service.tokenEndpoint, now: Date(), stage: .token)
        _ = try credential.requestSigningKey(provider: service)
    }

    private func verify(_ length: Int, _ algorithm: SignatureAlgorithm, _ tolerances: Set<Tolerance> = []) async throws
    {
        let secret = String(repeating: "s", count: length)
        let service = try service(tolerances)
        let now = Date()
        let claims: JSONValue = [
            "iss": "https://op.example", "sub": "ada", "aud": "client",
            "iat": .number(JSONNumber(Int64(now.timeIntervalSince1970))),
            "exp": .number(JSONNumber(Int64(now.timeIntervalSince1970) + 60)),
        ]
        let key = try SigningKey(JSONWebKey(secret: secret.utf8), algorithm: algorithm)
        let talker = AuthorizationService()
        let expectation = try talker.expectation(
            of: Client(service, id: "client", credential: .secret(secret)), issuer: try #require(service.issuer),
            stage: .token)
        _ = try await talker.validate(
            JSONWebToken.sign(claims: claims, with: key), expectation: expectation, provider: service, stage: .token)
    }

    @Test("a short secret signs nothing", arguments: lengths)
    func signing(_ algorithm: SignatureAlgorithm, _ length: Int) throws {
        try sign(length, algorithm)
        let error = #expect(throws: AuthStateError.self) { try sign(length - 1, algorithm) }
        #expect(error?.code == .credentialUnavailable && error?.expected == "at least \(length) bytes")
        #expect(error?.hint?.contains("shortSecret") == true)
    }

    @Test("a short secret verifies no ID token", arguments: lengths)
    func verifying(_ algorithm: SignatureAlgorithm, _ length: Int) async throws {
        try await verify(length, algorithm)
        let error = await authError { try await verify(length - 1, algorithm) }
        #expect(error?.code == .invalidSignature && error?.expected == "at least \(length) bytes")
        #expect(error?.hint?.contains("shortSecret") == true)
    }

    @Test("a short secret verifies no userinfo", arguments: lengths)
    func userInfo(_ algorithm: SignatureAlgorithm, _ length: Int) throws {
        try believeUserInfo(length, algorithm)
        #expect(throws: JOSEError.self) { try believeUserInfo(length - 1, algorithm) }
    }

    private func believeUserInfo(
        _ length: Int, _ algorithm: SignatureAlgorithm, isTolerated: Bool = false
    ) throws {
        let secret = String(repeating: "s", count: length)
        let key = try SigningKey(JSONWebKey(secret: secret.utf8), algorithm: algorithm)
        var expectation = IDTokenExpectation(issuer: try Issuer("https://op.example"), clientID: "client", now: Date())
        expectation.policy.algorithms = [algorithm]
        expectation.clientSecret = secret
        expectation.toleratesShortSecret = isTolerated
        let token = try SignedUserInfo(parsing: JSONWebToken.sign(claims: ["sub": "ada"], with: key))
        _ = try token.claims(keys: JSONWebKeySet(keys: []), expectation: expectation)
    }

    @Test("a short secret does all of it where that is tolerated by name", arguments: lengths)
    func tolerated(_ algorithm: SignatureAlgorithm, _ length: Int) async throws {
        try sign(6, algorithm, [.shortSecret])
        try await verify(6, algorithm, [.shortSecret])
        try believeUserInfo(6, algorithm, isTolerated: true)
    }

    @Test func `a short secret is sent as ever: nothing is signed with it`() throws {
        let service = try service()
        let proof = try ClientCredential.secret("s3cret").authentication(
            clientID: "client", provider: service, endpoint: service.tokenEndpoint, now: Date(), stage: .token)
        #expect(proof.method == .clientSecretBasic)
    }
}

import AuthStateJOSE
import AuthStateOAuth
import AuthStateSwiftCrypto
import Foundation
import JWTKit

/// An ID token's way from text to trust: parsing, signature and claims, beside vapor/jwt-kit, whose cryptography is
/// swift-crypto's too.
enum IDTokens {
    static let benchmarks = [
        Benchmark(name: "id-token-RS256", rounds: 9) {
            try await report(.rs256, goals: (system: 1.8, swiftCrypto: nil), calls: 20_000, rounds: $0)
        },
        Benchmark(name: "id-token-ES256", rounds: 9) {
            try await report(.es256, goals: (system: nil, swiftCrypto: 1.25), calls: 10_000, rounds: $0)
        },
    ]

    fileprivate static let issuer = "https://op.example"
    fileprivate static let client = "benchmark"
    fileprivate static let nonce = "n-0S6_WzA2MjE4Yjk2ZGVkYjQ2NzI"

    private static func report(
        _ algorithm: AuthStateJOSE.SignatureAlgorithm, goals: (system: Double?, swiftCrypto: Double?), calls: Int,
        rounds: Int
    ) async throws -> Report {
        let signer = try SigningKey.generate(algorithm, keyID: "2026-11")
        let now = Int64(Date().timeIntervalSince1970)
        let compact = try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": "248289761001", "aud": .string(client), "nonce": .string(nonce),
                "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 3_600)),
            ], with: signer)
        let published = JSONWebKeySet(keys: [signer.publicKey])
        let swiftCrypto = JSONWebKeySet(keys: [signer.publicKey], backend: SwiftCryptoBackend())
        let rows = try await compare(
            [
                try await jwtKit(compact, keys: published), try ours(compact, keys: published, goal: goals.system),
                try ours(compact, keys: swiftCrypto, by: " by swift-crypto", goal: goals.swiftCrypto),
            ], tasks: 1, calls: calls, rounds: rounds, of: .rate)
        return Report(rows, to: "jwt-kit")
    }

    private static func ours(
        _ compact: String, keys: JSONWebKeySet, by library: String = "", goal: Double?
    ) throws -> Contender {
        let issuer = try Issuer(Self.issuer)
        let name = "IDToken, \(keys.keys[0].algorithm ?? "")\(library)"
        return Contender(working: name, goal: goal.map(Goal.ratio)) { count in
            for _ in 0..<count {
                var expectation = IDTokenExpectation(issuer: issuer, clientID: client, now: Date())
                expectation.nonce = nonce
                try IDToken(parsing: compact).validate(keys: keys, expectation: expectation)
            }
        }
    }

    private static func jwtKit(_ compact: String, keys: JSONWebKeySet) async throws -> Contender {
        let collection = JWTKeyCollection()
        try await collection.add(jwksJSON: String(decoding: keys.json.serialized(), as: UTF8.self))
        return Contender(working: "jwt-kit, \(keys.keys[0].algorithm ?? "")") { count in
            for _ in 0..<count { _ = try await collection.verify(compact, as: Claims.self) }
        }
    }
}

/// The same checks for jwt-kit.
private struct Claims: JWTPayload {
    var iss: IssuerClaim
    var sub: SubjectClaim
    var aud: AudienceClaim
    var exp: ExpirationClaim
    var iat: IssuedAtClaim
    var nonce: String

    func verify(using algorithm: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(includes: IDTokens.client)
        guard iss.value == IDTokens.issuer, !sub.value.isEmpty, nonce == IDTokens.nonce,
            abs(iat.value.timeIntervalSinceNow) < 600
        else { throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "not what was asked for") }
    }
}

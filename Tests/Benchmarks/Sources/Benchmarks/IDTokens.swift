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
            try await report(.rs256, goal: .ratio(1.75), calls: 20_000, rounds: $0)
        },
        Benchmark(name: "id-token-ES256", rounds: 9) {
            try await report(.es256, calls: 10_000, rounds: $0)
        },
        Benchmark(name: "id-token-part", rounds: 9, report: part),
    ]

    fileprivate static let issuer = "https://op.example"
    fileprivate static let client = "benchmark"
    fileprivate static let nonce = "n-0S6_WzA2MjE4Yjk2ZGVkYjQ2NzI"

    private static func report(
        _ algorithm: AuthStateJOSE.SignatureAlgorithm, goal: Goal? = nil, calls: Int, rounds: Int
    ) async throws -> Report {
        let signer = try SigningKey.generate(algorithm, keyID: "2026-11")
        let compact = try token(by: signer)
        let published = JSONWebKeySet(keys: [signer.publicKey])
        let swiftCrypto = JSONWebKeySet(keys: [signer.publicKey], backend: SwiftCryptoBackend())
        let rows = try await compare(
            [
                try await jwtKit(compact, keys: published), try ours(compact, keys: published, goal: goal),
                try ours(compact, keys: swiftCrypto, by: " by swift-crypto"),
            ], tasks: 1, calls: calls, rounds: rounds, of: .rate)
        return Report(rows, to: "jwt-kit")
    }

    /// The whole of a token beside its signature alone, both by swift-crypto.
    private static func part(rounds: Int) async throws -> Report {
        let signer = try SigningKey.generate(.es256, keyID: "2026-11")
        let compact = try token(by: signer)
        let alone = try Signatures.contender(
            .es256, by: SwiftCryptoBackend(), named: "the signature alone, ES256 by swift-crypto")
        let keys = JSONWebKeySet(keys: [signer.publicKey], backend: SwiftCryptoBackend())
        let whole = try ours(compact, keys: keys, by: " by swift-crypto", goal: .ratio(0.9))
        let rows = try await compare([alone, whole], tasks: 1, calls: 10_000, rounds: rounds, of: .rate)
        return Report(rows, to: "the signature alone")
    }

    private static func token(by signer: SigningKey) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        return try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": "248289761001", "aud": .string(client), "nonce": .string(nonce),
                "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 3_600)),
            ], with: signer)
    }

    private static func ours(
        _ compact: String, keys: JSONWebKeySet, by library: String = "", goal: Goal? = nil
    ) throws -> Contender {
        let issuer = try Issuer(Self.issuer)
        let name = "IDToken, \(keys.keys[0].algorithm ?? "")\(library)"
        return Contender(working: name, goal: goal) { count in
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

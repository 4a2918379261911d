import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// A provider's key, and tokens signed with it.
struct TokenMint {
    let key: SigningKey
    let keys: JSONWebKeySet
    static let now = Fixtures.now.timeIntervalSince1970

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.forTests(algorithm, keyID: "k1")
        keys = JSONWebKeySet(keys: [key.publicKey])
    }

    /// A token that passes every check at login, some claims replaced or removed.
    func token(_ changes: [String: JSONValue?] = [:]) throws -> IDToken {
        var claims: [String: JSONValue] = [
            "iss": "https://op.example", "sub": "alice", "aud": "client", "nonce": "SECRET-nonce",
            "exp": JSONValue(Self.now + 300), "iat": JSONValue(Self.now), "auth_time": JSONValue(Self.now - 30),
        ]
        for (name, value) in changes { claims[name] = value }
        return try IDToken(parsing: JSONWebToken.sign(claims: .object(claims), with: key))
    }

    func expectation(_ change: (inout IDTokenExpectation) -> Void = { _ in }) throws -> IDTokenExpectation {
        var expectation = IDTokenExpectation(
            issuer: try Issuer("https://op.example"), clientID: "client", now: Fixtures.now)
        expectation.nonce = "SECRET-nonce"
        change(&expectation)
        return expectation
    }

    /// The error of a refused token; nil when the token passes.
    func failure(
        _ changes: [String: JSONValue?] = [:], _ change: (inout IDTokenExpectation) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AuthStateError? {
        let token = try token(changes)
        do {
            try token.validate(keys: keys, expectation: try expectation(change))
            return nil
        } catch let error as AuthStateError {
            Secrets.expectNone(in: error, sourceLocation: sourceLocation)
            return error
        }
    }
}

extension SigningKey {
    private static let rsa = Result { try SigningKey.generate(.rs256).privateKey }

    /// Returns a key for an algorithm. It is a new one, but for RSA: making such a key takes as long as a hundred others.
    static func forTests(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws -> SigningKey {
        switch algorithm.scheme {
        case .rsaPKCS1, .rsaPSS:
            var key = try rsa.get()
            (key.keyID, key.algorithm) = (keyID, algorithm.rawValue)
            return try SigningKey(key)
        default: return try generate(algorithm, keyID: keyID)
        }
    }
}

extension JSONValue {
    init(_ value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
}

import AuthStateJOSE

extension Attack {
    /// Forgeries that one check of AuthStateJOSE alone keeps from being taken for the owner's word.
    static let jose: [Attack] = [
        Attack(.base64URLAlphabet) { try believe("padded", keys: ["ec"]) },
        Attack(.base64URLRemainder) { try believe("leftOver", keys: ["ec"]) },
        Attack(.duplicateMembers) { try believe("twice", keys: ["ec"]) },
        Attack(.tokenParts) { try believe("fourParts", keys: ["ec"]) },
        Attack(.criticalHeader) { try believe("critical", keys: ["ec"]) },
        // The algorithm was confused: the public key's text is the secret of an HMAC.
        Attack(.allowedAlgorithm) {
            let text = JSONWebKey(secret: JOSEAttackFixtures.rsaPEM.utf8)
            try token("confused").verify(with: JSONWebKeySet(keys: [text]), allowed: [.rs256])
        },
        Attack(.keyID) { try believe("otherKey", keys: ["ec"]) },
        Attack(.keyType) { try believe("otherCurve", keys: ["ec"]) },
        Attack(.keyAlgorithm) { try believe("pkcs1", keys: ["rsa"], with: ["alg": "PS256"]) },
        Attack(.keyUse) { try believe("good", keys: ["ec"], with: ["use": "enc"]) },
        Attack(.keyOperations) { try believe("good", keys: ["ec"], with: ["key_ops": ["deriveKey"]]) },
        Attack(.rsaKeyLength) { try believe("small", keys: ["small"]) },
        Attack(.rsaExponent) { try believe("exponent1", keys: ["rsa"], with: ["e": "AQ"]) },
        Attack(.publishedSecret) { try believe("published", keys: ["oct"]) },
        Attack(.emptySecret) {
            let nothing = JSONWebKey(secret: [])
            try token("emptySecret").verify(with: JSONWebKeySet(keys: [nothing]), allowed: [.hs256])
        },
        Attack(.signatureLength) { try believe("longHalves", keys: ["ec"]) },
        Attack(.signature) { try believe("changed", keys: ["ec"]) },
    ]

    /// Verifies a token with published keys, whose members are changed before.
    private static func believe(
        _ name: String, keys names: [String], with changes: [String: JSONValue] = [:],
        allowed: Set<SignatureAlgorithm> = [.rs256, .ps256, .es256, .es384, .hs256]
    ) throws {
        let keys = try names.map { name in
            let key = try JSONValue(parsing: (JOSEAttackFixtures.keys[name] ?? "").utf8)
            return JSONValue.object((key.objectValue ?? [:]).merging(changes) { _, change in change })
        }
        try token(name).verify(with: JSONWebKeySet(json: ["keys": .array(keys)]), allowed: allowed)
    }

    private static func token(_ name: String) throws -> JSONWebToken {
        try JSONWebToken(parsing: JOSEAttackFixtures.tokens[name] ?? "")
    }
}

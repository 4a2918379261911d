extension JSONWebKey {
    /// The key as a JSON object without anything secret: fit for a key set, a registration or a proof's `jwk`.
    ///
    /// A symmetric key has no public numbers: its object has no `k`.
    public var json: JSONValue {
        .object(commonMembers.merging(publicMembers) { _, new in new })
    }

    /// The key as a JSON object with its private numbers: as secret as the key itself.
    public var privateJSON: JSONValue {
        .object(commonMembers.merging(publicMembers) { _, new in new }.merging(privateMembers) { _, new in new })
    }

    private var commonMembers: [String: JSONValue] {
        var members: [String: JSONValue] = ["kty": .string(keyType)]
        members["kid"] = keyID.map(JSONValue.string)
        members["use"] = use.map(JSONValue.string)
        members["alg"] = algorithm.map(JSONValue.string)
        members["issuer"] = issuer.map(JSONValue.string)
        members["key_ops"] = keyOperations.map { .array($0.map(JSONValue.string)) }
        return members
    }

    private var publicMembers: [String: JSONValue] {
        switch material {
        case .rsa(let modulus, let exponent):
            ["n": .base64URL(modulus), "e": .base64URL(exponent)]
        case .ellipticCurve(let curve, let x, let y):
            ["crv": .string(curve.rawValue), "x": .base64URL(x), "y": .base64URL(y)]
        case .ed25519(let x):
            ["crv": "Ed25519", "x": .base64URL(x)]
        case .symmetric:
            [:]
        }
    }

    private var privateMembers: [String: JSONValue] {
        switch (material, privateMaterial) {
        case (_, .rsa(let d, let p, let q, let dp, let dq, let qi)):
            [
                "d": .base64URL(d.bytes), "p": .base64URL(p.bytes), "q": .base64URL(q.bytes),
                "dp": .base64URL(dp.bytes), "dq": .base64URL(dq.bytes), "qi": .base64URL(qi.bytes),
            ]
        case (_, .scalar(let d)): ["d": .base64URL(d.bytes)]
        case (.symmetric(let secret), nil): ["k": .base64URL(secret.bytes)]
        case (_, nil): [:]
        }
    }
}

extension JSONValue {
    fileprivate static func base64URL(_ bytes: [UInt8]) -> JSONValue {
        .string(Base64URL.encode(bytes))
    }
}

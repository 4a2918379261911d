import Testing

@testable import AuthStateJOSE

struct JSONWebKeyTests {
    private func code(_ json: JSONValue) -> JOSEError.Code? {
        do throws(JOSEError) { _ = try JSONWebKey(json: json) } catch { return error.code }
        return nil
    }

    private func published() throws -> JSONValue { try JSONValue(parsing: Fixtures.keySet.utf8) }

    private func key(_ index: Int, replacing changes: [String: JSONValue?]) throws -> JSONValue {
        var members = try #require(try published()["keys"]?.arrayValue?[index].objectValue)
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    @Test func `a key set is read, and written the same`() throws {
        let keys = try JSONWebKeySet(parsing: Fixtures.keySet.utf8)
        #expect(keys.keys.map(\.keyType) == ["RSA", "EC", "EC", "EC", "OKP"])
        #expect(keys.json == (try published()))
    }

    @Test func `RSA keys below 2048 bits, and exponents that are even, 1 or too long, are refused`() throws {
        #expect(code(try JSONValue(parsing: Fixtures.smallKey.utf8)) == .malformed)
        for exponent in ["AQ", "Ag", "AA", "AQAAAAAAAAAB", ""] {
            #expect(code(try key(0, replacing: ["e": .string(exponent)])) == .malformed)
        }
        #expect(code(try key(0, replacing: ["n": nil])) == .malformed)
        #expect(code(try key(0, replacing: ["n": 5])) == .malformed)
        #expect(code(try key(0, replacing: ["kty": nil])) == .malformed)
    }

    @Test("private members without content are absent", arguments: [.null, ""] as [JSONValue])
    func emptyPrivateMembers(_ nothing: JSONValue) throws {
        for index in [0, 1, 4] {
            let empty = Dictionary(
                uniqueKeysWithValues: ["d", "p", "q", "dp", "dq", "qi", "oth"].map { ($0, nothing) })
            let found = try JSONWebKey(json: key(index, replacing: empty))
            #expect(try found == JSONWebKey(json: key(index, replacing: [:])))
        }
    }

    @Test func `a leading zero before an RSA modulus changes nothing`() throws {
        let original = try JSONWebKey(json: key(0, replacing: [:]))
        guard case .rsa(let modulus, _) = original.material else { throw JOSEError(.malformed, "not RSA") }
        let padded = try key(0, replacing: ["n": .string(Base64URL.encode([0] + modulus))])
        #expect(try JSONWebKey(json: padded) == original)
    }

    @Test func `a coordinate without its leading zero is padded; a longer one is refused`() throws {
        let key = try JSONWebKey(json: JSONValue(parsing: Fixtures.shortKey.utf8))
        guard case .ellipticCurve(.p256, let x, let y) = key.material else { throw JOSEError(.malformed, "not P-256") }
        #expect(x.count == 32 && x.first == 0 && y.count == 32)
        let token = try JSONWebToken(parsing: #require(Fixtures.tokens["short coordinate"]))
        try token.verify(with: JSONWebKeySet(keys: [key]), allowed: [.es256])
        let long = Base64URL.encode([0] + x)
        #expect(code(try self.key(1, replacing: ["x": .string(long)])) == .malformed)
    }

    @Test func `unknown types, curves and uses, symmetric and faulty keys in a set are skipped, not fatal`() throws {
        let keys: JSONValue = [
            "keys": [
                ["kty": "XYZ", "kid": "1"], ["kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"],
                ["kty": "oct", "k": "c2VjcmV0"], "text", ["kty": "RSA", "n": "!!", "e": "AQAB"],
                try key(1, replacing: [:]),
            ]
        ]
        #expect(try JSONWebKeySet(json: keys).keys.map(\.keyID) == ["ec256"])
    }

    @Test func `a document that is no key set is refused`() {
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#] {
            #expect(throws: JOSEError.self) { try JSONWebKeySet(parsing: text.utf8) }
        }
        let many = JSONValue.array(Array(repeating: nil, count: 257))
        #expect(throws: JOSEError.self) { try JSONWebKeySet(json: ["keys": many]) }
    }

    @Test func `candidates: by kid only keys of that name, without one every key that fits`() throws {
        let set = try JSONWebKeySet(json: [
            "keys": [
                key(1, replacing: ["kid": "a"]), key(1, replacing: ["kid": "b", "use": "enc"]),
                key(1, replacing: ["kid": nil, "key_ops": ["verify"]]),
                key(1, replacing: ["kid": "c", "key_ops": ["sign"]]), key(1, replacing: ["kid": "d", "alg": "ES384"]),
                key(0, replacing: ["kid": "a"]),
            ]
        ])
        func found(_ header: JSONValue) throws -> [String?] {
            try set.candidates(for: JOSEHeader(json: header)).map(\.key.keyID)
        }
        #expect(try found(["alg": "ES256", "kid": "a"]) == ["a"])
        #expect(try found(["alg": "ES256", "kid": "z"]) == [])
        #expect(try found(["alg": "ES256", "kid": "b"]) == [])
        #expect(try found(["alg": "ES256"]) == ["a", nil])
        #expect(try found(["alg": "RS256"]) == ["a"])
        #expect(try found(["alg": "HS256"]) == [])
    }

    @Test func `a point that is not on its curve is refused on first use`() throws {
        let key = try JSONWebKey(
            json: key(1, replacing: ["y": .string(Base64URL.encode(Array(repeating: 7, count: 32)))]))
        let error = #expect(throws: JOSEError.self) {
            try VerificationKey(key).isValid(Array(repeating: 1, count: 64), for: [], algorithm: .es256)
        }
        #expect(error?.code == .malformed)
    }

    @Test func `private numbers are kept for signing, and neither published nor described`() throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256, .es384, .es512, .edDSA, .hs256] {
            let key = try SigningKey.generate(algorithm, keyID: "k").privateKey
            #expect(try JSONWebKey(json: key.privateJSON) == key)
            let secret = try #require((key.privateJSON["d"] ?? key.privateJSON["k"])?.stringValue)
            #expect(key.json["d"] == nil && key.json["k"] == nil && key.json["p"] == nil)
            var dumped = "\(key) \(String(reflecting: key)) "
            dump(key, to: &dumped)
            dump(key.privateMaterial, to: &dumped)
            dump(try SigningKey(key), to: &dumped)
            #expect(!dumped.contains(secret))
            let bytes = try #require(Base64URL.decode(secret))
            #expect(!dumped.contains("\(bytes[0])\n") || !dumped.contains("[\(bytes.count)] elements"))
        }
    }
}

import Testing

@testable import AuthStateJOSE

struct JSONWebTokenTests {
    private let keys: JSONWebKeySet

    init() throws { keys = try JSONWebKeySet(parsing: Fixtures.keySet.utf8) }

    private func token(_ name: String) throws -> JSONWebToken {
        try JSONWebToken(parsing: #require(Fixtures.tokens[name]))
    }

    private func compact(_ header: String, _ payload: String = "{}", signature: String = "AAAA") -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8) + "." + signature
    }

    private func parsingCode(_ text: String) -> JOSEError.Code? {
        do throws(JOSEError) { _ = try JSONWebToken(parsing: text) } catch { return error.code }
        return nil
    }

    private func code(
        _ token: JSONWebToken, keys: JSONWebKeySet? = nil, allowed: Set<SignatureAlgorithm>? = nil
    ) -> JOSEError.Code? {
        do throws(JOSEError) {
            try token.verify(with: keys ?? self.keys, allowed: allowed ?? [token.header.algorithm])
        } catch {
            return error.code
        }
        return nil
    }

    @Test("tokens that another library signed are verified", arguments: Fixtures.tokens.keys.sorted())
    func foreign(_ name: String) throws {
        guard name != "short coordinate" else { return }
        let token = try token(name)
        #expect(token.claims["sub"] == "user-1")
        #expect(code(token) == nil)
    }

    @Test("one changed bit in signature or content is refused", arguments: Fixtures.tokens.keys.sorted())
    func broken(_ name: String) throws {
        guard name != "short coordinate" else { return }
        let parts = try #require(Fixtures.tokens[name]).split(separator: ".").map(String.init)
        var signature = try #require(Base64URL.decode(parts[2]))
        signature[signature.count / 2] ^= 1
        let changed = try JSONWebToken(parsing: "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))")
        #expect(code(changed) == .badSignature)
        let payload = Base64URL.encode(#"{"sub":"user-2"}"#.utf8)
        #expect(code(try JSONWebToken(parsing: "\(parts[0]).\(payload).\(parts[2])")) == .badSignature)
        for wrong in [[], Array(signature.dropLast()), signature + [0]] {
            let text = "\(parts[0]).\(parts[1]).\(Base64URL.encode(wrong))"
            #expect(code(try JSONWebToken(parsing: text)) == .badSignature)
        }
    }

    @Test func `an ECDSA signature of zeros, or in DER, is refused`() throws {
        let parts = try #require(Fixtures.tokens["ES256"]).split(separator: ".").map(String.init)
        let der: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
        for signature in [[UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), der] {
            let text = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
            #expect(code(try JSONWebToken(parsing: text)) == .badSignature)
        }
    }

    @Test func `text that is no token is refused`() throws {
        let good = #"{"alg":"RS256"}"#
        let texts = [
            "", ".", "..", "...", "a.b", "a.b.c.d", compact(good) + ".x", compact(good) + "=", compact(good) + "\n",
            " " + compact(good), compact("[]"), compact("{}"), compact(#"{"alg":5}"#),
            compact(#"{"alg":"RS256","kid":[5]}"#),
            compact(#"{"alg":"RS256","typ":5}"#), compact(#"{"alg":"RS256","alg":"none"}"#), compact(good, "[]"),
            compact(good, "\"x\""), compact(good, #"{"sub":"a","sub":"b"}"#), compact(good, "{}x"), compact(good, ""),
            compact(good, signature: "A"), compact(good, signature: "AB"), compact(good, signature: "A+/="),
        ]
        for text in texts { #expect(parsingCode(text) == .malformed) }
        #expect(parsingCode(compact(good)) == nil)
        #expect(try JSONWebToken(parsing: compact(#"{"alg":"RS256","kid":5,"typ":null}"#)).header.keyID == "5")
        let long = compact(good, "{\"a\":\"" + String(repeating: "x", count: JSONWebToken.maximumLength) + "\"}")
        #expect(parsingCode(long) == .malformed)
    }

    @Test("crit is refused whatever it names", arguments: [#"["b64"]"#, "[]", "null", #"["exp"]"#])
    func crit(_ value: String) {
        #expect(parsingCode(compact(#"{"alg":"RS256","b64":false,"crit":\#(value)}"#)) == .critNotSupported)
    }

    @Test func `an unknown algorithm, and one that the caller does not accept, are told apart`() throws {
        #expect(code(try JSONWebToken(parsing: compact(#"{"alg":"XS256"}"#))) == .unsupportedAlgorithm)
        #expect(code(try JSONWebToken(parsing: compact(#"{"alg":"rs256"}"#))) == .unsupportedAlgorithm)
        #expect(code(try token("RS256"), allowed: [.es256]) == .algorithmNotAllowed)
        #expect(code(try token("RS256"), allowed: []) == .algorithmNotAllowed)
    }

    @Test func `a kid that the set lacks, no fitting key, and a key of the wrong kind are told apart`() throws {
        let token = try token("ES256")
        let nameless = try self.token("ES256 without kid")
        #expect(code(token, keys: JSONWebKeySet(keys: [])) == .noMatchingKey)
        #expect(code(try JSONWebToken(parsing: compact(#"{"alg":"ES256","kid":"zz"}"#))) == .noMatchingKey)
        #expect(code(nameless, keys: JSONWebKeySet(keys: keys.keys.filter { $0.keyType == "RSA" })) == .noMatchingKey)
        for header in [
            #"{"alg":"RS256","kid":"ec256"}"#, #"{"alg":"HS256","kid":"rsa"}"#, #"{"alg":"ES384","kid":"ec256"}"#,
        ] {
            #expect(code(try JSONWebToken(parsing: compact(header))) == .noMatchingKey)
        }
    }

    @Test func `without a kid every fitting key is tried`() throws {
        let decoy = try SigningKey.generate(.es256).publicKey
        let set = JSONWebKeySet(keys: [decoy] + keys.keys)
        #expect(code(try token("ES256 without kid"), keys: set) == nil)
        #expect(code(try token("ES256 without kid"), keys: JSONWebKeySet(keys: [decoy])) == .badSignature)
    }

    @Test func `names from a header or a key are shown without control characters, and cut`() throws {
        let long = String(repeating: "k", count: 5000)
        let token = try JSONWebToken(parsing: compact("{\"alg\":\"n\\u001bne\",\"kid\":\"\\n\(long)\"}"))
        let key = JSONWebKey(.ed25519(x: []), keyID: "\u{1B}" + long, use: "\u{7}", algorithm: "\u{202E}")
        for text in ["\(token)", "\(key)", "\(VerificationKey(key))"] {
            #expect(text.unicodeScalars.count < 500 && text.unicodeScalars.allSatisfy { (" "..."~").contains($0) })
        }
        var dumped = ""
        dump((token, key), to: &dumped)
        #expect(!dumped.contains("\u{1B}") && dumped.utf8.count < 2000)
    }

    @Test func `descriptions, dumps and errors show no claim, signature or key`() throws {
        let token = try token("RS256")
        var text = "\(token) \(String(reflecting: token)) "
        dump(token, to: &text)
        #expect(!text.contains("user-1") && !text.contains("op.example"))
        #expect(text.contains("RS256"))
        let error = JOSEError(.malformed, "m", received: String(repeating: "x\n", count: 200))
        #expect(error.received?.count == 100)
        #expect(error.received?.contains("\n") == false)
    }

    @Test func `one key verifies from many tasks at once, good tokens and bad ones`() async throws {
        let names = ["RS256", "ES256", "PS256", "EdDSA"]
        let good = try names.map { try token($0) }
        let bad = try names.map { name in
            let parts = try #require(Fixtures.tokens[name]).split(separator: ".")
            return try JSONWebToken(parsing: "\(parts[0]).e30.\(parts[2])")
        }
        let keys = self.keys
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var failures = 0
                    for round in 0..<40 {
                        let index = round % names.count
                        let allowed: Set = [good[index].header.algorithm]
                        if (try? good[index].verify(with: keys, allowed: allowed)) == nil { failures += 1 }
                        if (try? bad[index].verify(with: keys, allowed: allowed)) != nil { failures += 1 }
                    }
                    return failures
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }
}

import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct DPoPKeyTests {
    private func reopened(_ key: DPoPKey) throws -> DPoPKey {
        try JSONDecoder().decode(DPoPKey.self, from: JSONEncoder().encode(key))
    }

    private func unread(_ source: DPoPKey.Source) throws -> JSONWebKey {
        Issue.record("read \(source)")
        throw CancellationError()
    }

    @Test func `a key that is kept with the state is archived, and the same afterwards`() throws {
        let key = try DPoPKey.generate()
        #expect(key.algorithm == .es256 && key.source == .state)
        let again = try reopened(key)
        #expect(again == key && again.thumbprint == key.thumbprint)
        let proof = try DPoPProof(method: .get, url: #require(URL(string: "https://a.example/")), issuedAt: Date())
        let token = try JSONWebToken(parsing: proof.signed(with: again.signer(reading: unread)))
        let shown = try JSONWebKey(json: #require(token.header.json["jwk"]))
        #expect(try shown.thumbprintText() == key.thumbprint)
    }

    @Test func `only the place and the thumbprint of a key in a file are archived; it is read once`() throws {
        let material = try SigningKey.generate(.es256).privateKey
        let key = try DPoPKey(material, from: .file("/keys/dpop.pem"), algorithm: nil)
        let archive = String(decoding: try JSONEncoder().encode(key), as: UTF8.self)
        #expect(!archive.contains(#""d""#) && archive.contains("dpop.pem") && archive.contains(key.thumbprint))
        let again = try reopened(key)
        #expect(again == key)
        var reads = 0
        for _ in 0..<3 {
            _ = try again.signer { source in
                #expect(source == .file("/keys/dpop.pem"))
                reads += 1
                return material
            }
        }
        #expect(reads == 1)
        let other = try SigningKey.generate(.es256).privateKey
        let error = #expect(throws: AuthStateError.self) { try reopened(key).signer { _ in other } }
        #expect(error?.code == .credentialUnavailable)
    }

    @Test func `public and symmetric keys are refused`() throws {
        let key = try SigningKey.generate(.es256)
        for unfit in [key.publicKey, JSONWebKey(secret: [UInt8](repeating: 1, count: 32))] {
            let error = #expect(throws: AuthStateError.self) { try DPoPKey(unfit) }
            #expect(error?.code == .credentialUnavailable)
        }
    }

    @Test(
        "an algorithm that the provider does not list is refused, when a key is made and when it is used; else one it lists"
    )
    func algorithms() throws {
        let configuration = try Fixtures.configuration(metadata: [
            "dpop_signing_alg_values_supported": ["ES256", "PS256"]
        ])
        #expect(try DPoPKey.generate(for: configuration).algorithm == .es256)
        #expect(throws: AuthStateError.self) { try DPoPKey.generate(.edDSA, for: configuration) }
        for (listed, expected) in [(["RS256", "EdDSA"], SignatureAlgorithm.edDSA), (["PS256"], .ps256)] {
            let other = try Fixtures.configuration(metadata: [
                "dpop_signing_alg_values_supported": .array(listed.map { .string($0) })
            ])
            #expect(try DPoPKey.generate(for: other).algorithm == expected)
        }
        let unknown = try Fixtures.configuration(metadata: ["dpop_signing_alg_values_supported": ["none"]])
        #expect(throws: AuthStateError.self) { try DPoPKey.generate(for: unknown) }
        let key = try DPoPKey.generate(.edDSA)
        var request = AuthorizationRequest(Client(configuration, id: "client"), scopes: [])
        request.redirectURI = try RedirectURI("https://app.example/callback")
        #expect(try Parameters(of: request.url())["dpop_jkt"] == nil)
        request.dpopKey = key
        let error = #expect(throws: AuthStateError.self) { try request.url() }
        #expect(error?.code == .unsupported && error?.expected == "ES256, PS256")
        request.dpopKey = try DPoPKey.generate()
        #expect(try Parameters(of: request.url())["dpop_jkt"] == request.dpopKey?.thumbprint)
    }

    @Test func `no description shows anything of the private key`() throws {
        let key = try DPoPKey.generate()
        let archive = try JSONValue(parsing: [UInt8](JSONEncoder().encode(key)))
        let secret = try #require(archive["key"]?["d"]?.stringValue)
        var request = try Fixtures.request()
        request.dpopKey = key
        for value in [key, request, request.dpopKey as Any] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(![dumped, "\(value)", String(reflecting: value)].contains { $0.contains(secret) })
        }
    }

    @Test(
        "with a key tokens have to be bound to it, without one they must not be",
        arguments: [
            (true, "DPoP", true), (true, "dpop", true), (true, "Bearer", false), (true, "bearer", false),
            (true, "mac", false), (true, nil, false), (false, "DPoP", false), (false, "Bearer", true),
        ] as [(Bool, String?, Bool)], [false, true])
    func tokenTypes(_ entry: (isBound: Bool, type: String?, isGood: Bool), isTolerant: Bool) throws {
        var configuration = try Fixtures.configuration()
        if isTolerant { configuration.tolerances = [.missingTokenType] }
        var request = TokenRequest(Client(configuration, id: "client"), .refreshToken("SECRET-old"))
        request.dpopKey = entry.isBound ? try DPoPKey.generate() : nil
        let type = entry.type.map { #","token_type":"\#($0)""# } ?? ""
        let answer = TokenAnswer(
            Fixtures.json(#"{"access_token":"SECRET-a","refresh_token":"SECRET-r"\#(type)}"#), to: request,
            sentAt: Fixtures.now)
        switch answer {
        case .tokens: #expect(entry.isGood)
        case .refused(let error, let refreshToken):
            #expect(!entry.isGood && error.code == .unsupportedTokenType && refreshToken == "SECRET-r")
            #expect(error.expected == (entry.isBound ? "DPoP" : "Bearer"))
            #expect(entry.isBound || error.hint?.contains("dpopKey") == true)
        case .error(let error): Issue.record("\(error)")
        }
    }

    @Test("a refused proof points to the clock with a key, and to the missing key without one")
    func refused() throws {
        var request = TokenRequest(Client(try Fixtures.configuration(), id: "client"), .refreshToken("r"))
        for (key, hint) in [(nil, "dpopKey"), (try DPoPKey.generate(), "clock")] {
            request.dpopKey = key
            let answer = TokenAnswer(
                Fixtures.json(#"{"error":"invalid_dpop_proof"}"#, status: 400), to: request, sentAt: Fixtures.now)
            guard case .error(let error) = answer else { throw CancellationError() }
            #expect(error.code == .invalidDPoPProof && error.hint?.contains(hint) == true)
        }
    }
}

extension Parameters {
    fileprivate init(of url: URL) throws {
        self = try #require(Parameters(decoding: String(url.absoluteString.split(separator: "?")[1])))
    }
}

import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

/// A provider that signs in its own way, or does one thing wrong with its ID tokens; the names are those of the OpenID
/// Foundation's tests for relying parties.
struct IDTokenConformanceTests {
    typealias Deviations = OpenIDProvider.Deviations

    /// Logs in at a provider that deviates from the first login on, and once more at one that begins to deviate between
    /// login and renewal: both are refused by the same check, and nothing of what was there before is lost.
    private func expectRefusal(
        by check: String, code: AuthStateError.Code = .invalidIDToken, hybrid: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ deviate: @escaping @Sendable (inout Deviations) -> Void
    ) async throws {
        let fixture = try await ProviderFixture()
        let store = InMemoryAuthStateStore()
        var request = fixture.request()
        if hybrid { request.responseType = .codeIDToken }
        let state = try await AuthState.logIn(.browser(request, DirectUserAgent()), at: fixture.place(store))
        let (before, stored) = (state.record, try await store.load(.default))

        fixture.provider.update { deviate(&$0.deviations) }
        var second = fixture.request()
        second.responseType = request.responseType
        let error = await authError {
            try await AuthState.logIn(.browser(second, DirectUserAgent()), at: fixture.place(store))
        }
        #expect(error?.code == code && error?.kind == .refused, sourceLocation: sourceLocation)
        #expect(error?.message.contains(check) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(try await store.load(.default)?.archive == stored?.archive, sourceLocation: sourceLocation)

        guard !hybrid else { return }
        let renewal = await authError { try await state.refresh() }
        guard check != "nonce" else { return }
        let after = state.record
        #expect(renewal?.code == code && renewal?.message.contains(check) == true, sourceLocation: sourceLocation)
        #expect(after.accessToken == before.accessToken && after.idToken == before.idToken)
        #expect(after.refreshToken != before.refreshToken && after.authorizationError == nil)

        fixture.provider.update { $0.deviations = Deviations() }
    }

    private func editing(
        _ edit: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> @Sendable (inout Deviations) -> Void {
        { deviations in deviations.idToken = { claims, _ in edit(&claims) } }
    }

    @Test("a wrong nonce is refused")
    func rpNonceInvalid() async throws { try await expectRefusal(by: "nonce", editing { $0["nonce"] = "another" }) }

    @Test("hybrid: a nonce is sent, and both ID tokens carry it")
    func rpNonceUnlessCodeFlow() async throws {
        try await expectRefusal(by: "nonce", hybrid: true, editing { $0["nonce"] = nil })
        try await expectRefusal(by: "nonce", hybrid: true, editing { $0["nonce"] = "another" })
    }

    @Test("a wrong or missing audience is refused", arguments: ["another", nil])
    func rpIDTokenAud(_ audience: String?) async throws {
        try await expectRefusal(by: "aud", editing { $0["aud"] = audience.map { .string($0) } })
    }

    @Test("a missing time of issue is refused")
    func rpIDTokenIat() async throws { try await expectRefusal(by: "iat", editing { $0["iat"] = nil }) }

    @Test("a missing subject is refused")
    func rpIDTokenSub() async throws { try await expectRefusal(by: "sub", editing { $0["sub"] = nil }) }

    @Test("a wrong issuer is refused")
    func rpIDTokenIssuerMismatch() async throws {
        try await expectRefusal(by: "iss", editing { $0["iss"] = "https://evil.example" })
    }

    @Test("a wrong at_hash is refused")
    func rpIDTokenBadAtHash() async throws {
        try await expectRefusal(by: "at_hash", editing { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" })
    }

    @Test("hybrid: a wrong c_hash is refused")
    func rpIDTokenBadCHash() async throws {
        try await expectRefusal(
            by: "c_hash", hybrid: true, editing { if $0["c_hash"] != nil { $0["c_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" } })
    }

    @Test("hybrid: a missing c_hash is refused")
    func rpIDTokenMissingCHash() async throws {
        try await expectRefusal(by: "c_hash", hybrid: true, editing { $0["c_hash"] = nil })
    }

    @Test(
        "a missing at_hash is refused where it is required, which the code flow and `code id_token` leave to the policy"
    )
    func rpIDTokenMissingAtHash() async throws {
        let fixture = try await ProviderFixture { $0.deviations.idToken = { claims, _ in claims["at_hash"] = nil } }
        var request = fixture.request()
        _ = try await fixture.logIn(request)
        request = fixture.request()
        request.client.provider.idTokenPolicy.requiresAccessTokenHash = true
        let error = await authError { try await fixture.logIn(request) }
        #expect(error?.code == .invalidIDToken && error?.message.contains("at_hash") == true)
    }

    @Test(
        "a broken signature, or one by another key, is refused", arguments: [Deviations.Signature.broken, .foreignKey])
    func rpIDTokenBadSigES256(_ signature: Deviations.Signature) async throws {
        try await expectRefusal(by: "signature", code: .invalidSignature) { $0.signature = signature }
    }

    @Test("a broken RS256 or HS256 signature is refused", arguments: [SignatureAlgorithm.rs256, .hs256])
    func rpIDTokenBadSig(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try await ProviderFixture {
            $0.signingAlgorithm = algorithm
            $0.deviations.signature = .broken
        }
        let error = await authError { try await logIn(fixture, algorithm) }
        #expect(error?.code == .invalidSignature && error?.kind == .refused)
    }

    @Test(
        "a good signature is accepted", arguments: [SignatureAlgorithm.rs256, .es256, .hs256, .ps256, .edDSA, .es384])
    func rpIDTokenSig(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try await ProviderFixture { $0.signingAlgorithm = algorithm }
        let state = try await logIn(fixture, algorithm)
        #expect(state.record.idTokenTrust == .signature)
        try await state.refresh()
        #expect(state.record.idTokenTrust == .signature)
    }

    @Test("HS256 is refused while the client is not set up for it")
    func rpIDTokenSigHS256Unasked() async throws {
        let fixture = try await ProviderFixture { $0.signingAlgorithm = .hs256 }
        let error = await authError {
            _ = try await fixture.logIn(fixture.request(client: "service"), credential: .secret("service-secret"))
        }
        #expect(error?.code == .invalidSignature && error?.received == "HS256")
    }

    @Test("an unsigned ID token is refused, or marked when it was asked for by name; never taken from the browser")
    func rpIDTokenSigNone() async throws {
        let fixture = try await ProviderFixture { $0.deviations.signature = .missing }
        #expect(await authError { try await fixture.logIn() }?.code == .invalidSignature)
        var request = fixture.request()
        request.client.provider.idTokenPolicy.algorithms.insert(.unsecured)
        let state = try await fixture.logIn(request)
        #expect(state.record.idTokenTrust == .tls && state.tokensIfFresh()?.idTokenTrust == .tls)
        request = fixture.request()
        request.client.provider.idTokenPolicy.algorithms.insert(.unsecured)
        request.responseType = .codeIDToken
        let error = await authError { try await fixture.logIn(request) }
        #expect(error?.code == .invalidSignature && error?.stage == .authorization)
    }

    @Test("without kid the only key is used")
    func rpIDTokenKidAbsentSingleJWKS() async throws {
        let fixture = try await ProviderFixture { $0.deviations.idToken = { _, header in header["kid"] = nil } }
        _ = try await fixture.logIn()
    }

    @Test("without kid all matching keys are tried")
    func rpIDTokenKidAbsentMultipleJWKS() async throws {
        let fixture = try await ProviderFixture { $0.deviations.idToken = { _, header in header["kid"] = nil } }
        try fixture.provider.rotateKeys()
        try fixture.provider.rotateKeys()
        _ = try await fixture.logIn()
        #expect(fixture.provider.keyIDs.count == 3)
    }

    @Test("an unknown kid has the keys fetched once more")
    func rpKeyRotationOPSignKey() async throws {
        let fixture = try await ProviderFixture()
        _ = try await fixture.logIn()
        try fixture.provider.rotateKeys(keepsOld: false)
        let state = try await fixture.logIn()
        #expect(fixture.provider.requestCount(.keySet) == 2)
        try await state.refresh()
        #expect(fixture.provider.requestCount(.keySet) == 2)
    }

    @Test("a key that is replaced by one of another type under the same name is found")
    func otherTypeOfKey() async throws {
        let keys = try [SigningKey.generate(.es256, keyID: "k"), .generate(.es384, keyID: "k")]
        let sets = keys.map { JSONWebKeySet(keys: [$0.publicKey]).json }
        let transport = ScriptedTransport(sets.map { .json(String(decoding: $0.serialized(), as: UTF8.self)) })
        let service = AuthorizationService(transport: transport)
        let configuration = try await ProviderFixture().configuration
        for (number, key) in keys.enumerated() {
            let token = try JSONWebToken(parsing: JSONWebToken.sign(claims: ["iss": "x"], with: key))
            try await service.withKeys(of: configuration, stage: .token) { keys in
                try token.verify(with: keys, allowed: .asymmetric)
            }
            #expect(transport.requests.count == number + 1)
        }
    }

    @Test("new keys between login and renewal are found too")
    func rpKeyRotationOPSignKeyNative() async throws {
        let fixture = try await ProviderFixture()
        let state = try await fixture.logIn()
        try fixture.provider.rotateKeys()
        try await state.refresh()
        #expect(state.record.idTokenTrust == .signature && fixture.provider.requestCount(.keySet) == 2)
    }

    @Test("an encrypted ID token is refused with an error that says so")
    func encryptedIDToken() async throws {
        let fixture = try await ProviderFixture {
            $0.deviations.tokenResponse = { $0["id_token"] = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d" }
        }
        let error = await authError { try await fixture.logIn() }
        #expect(error?.code == .unsupported && error?.message.contains("encrypted") == true)
    }

    @Test("a renewed ID token may leave out the acr that the login had, and may not have another")
    func renewedContextClass() async throws {
        let fixture = try await ProviderFixture { $0.deviations.idToken = { claims, _ in claims["acr"] = "gold" } }
        var request = fixture.request()
        request.client.provider.idTokenPolicy.contextClasses = ["gold"]
        let state = try await fixture.logIn(request)
        for (acr, isRefused) in [(nil, false), (nil, false), ("bronze", true)] as [(JSONValue?, Bool)] {
            fixture.provider.update { $0.deviations.idToken = { claims, _ in claims["acr"] = acr } }
            let error = await authError { try await state.refresh() }
            #expect((error?.code == .invalidIDToken) == isRefused && (error == nil) != isRefused)
        }
    }

    @Test("a required acr is held to, from the policy and from an essential claim (Core 5.5.1.1)")
    func requiredContextClass() async throws {
        let fixture = try await ProviderFixture { $0.deviations.idToken = { claims, _ in claims["acr"] = "gold" } }
        for (wanted, isRefused) in [("gold", false), ("platinum", true)] {
            var request = fixture.request()
            request.client.provider.idTokenPolicy.contextClasses = [wanted]
            let byPolicy = await authError { try await fixture.logIn(request) }
            request = fixture.request()
            request.claims = ["id_token": ["acr": ["essential": true, "values": [.string(wanted)]]]]
            let byClaim = await authError { try await fixture.logIn(request) }
            #expect((byPolicy != nil) == isRefused && (byClaim != nil) == isRefused)
            if isRefused { #expect(byPolicy?.message.contains("acr") == true && byClaim?.received == "gold") }
        }
    }

    private func logIn(_ fixture: ProviderFixture, _ algorithm: SignatureAlgorithm) async throws -> AuthState {
        var request = fixture.request(client: "service")
        if algorithm.isSymmetric { request.client.provider.idTokenPolicy.algorithms = [algorithm] }
        request.client.provider.tolerances = [.shortSecret]
        return try await fixture.logIn(request, credential: .secret("service-secret"))
    }
}

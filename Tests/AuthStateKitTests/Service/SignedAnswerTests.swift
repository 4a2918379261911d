import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

/// Logins with a signed answer (JARM).
@Suite(.timeLimit(.minutes(5))) struct SignedAnswerTests {
    private static let hybrid = AuthorizationRequest.ResponseType.codeIDToken

    private func request(
        _ fixture: ProviderFixture, by mode: AuthorizationRequest.ResponseMode,
        _ type: AuthorizationRequest.ResponseType = .code
    ) -> AuthorizationRequest {
        var request = fixture.request()
        request.responseType = type
        request.responseMode = mode
        return request
    }

    @Test(
        "each response mode brings a login",
        arguments: [
            (.jwt, .code), (.queryJWT, .code), (.fragmentJWT, .code), (.formPostJWT, .code), (.jwt, Self.hybrid),
            (.fragmentJWT, Self.hybrid), (.formPostJWT, Self.hybrid),
        ] as [(AuthorizationRequest.ResponseMode, AuthorizationRequest.ResponseType)],
        [SignatureAlgorithm.es256, .edDSA])
    func modes(
        _ way: (AuthorizationRequest.ResponseMode, AuthorizationRequest.ResponseType), _ algorithm: SignatureAlgorithm
    ) async throws {
        let fixture = try await ProviderFixture { $0.signingAlgorithm = algorithm }
        let state = try await fixture.logIn(request(fixture, by: way.0, way.1))
        #expect(state.isAuthorized && state.record.idToken != nil)
        #expect(fixture.provider.requests(at: .authorization).first?.parameters["response_mode"] == way.0.rawValue)
        let response = try #require(state.record.lastAuthorizationResponse)
        #expect((response.idToken != nil) == (way.1 == Self.hybrid) && response.additionalParameters.isEmpty)
        #expect(try AuthStateArchive(data: AuthStateArchive(state.record).data()).record == state.record)
    }

    @Test func `pushed and signed requests ask for a signed answer too`() async throws {
        let fixture = try await ProviderFixture()
        var request = request(fixture, by: .formPostJWT)
        request.client.id = "service"
        request.isPushed = true
        request.signingCredential = .secret("service-secret")
        request.client.provider.tolerances = [.shortSecret]
        #expect(try await fixture.logIn(request, credential: .secret("service-secret")).isAuthorized)
    }

    @Test(
        "an error inside a signed answer is the provider's own",
        arguments: [.queryJWT, .fragmentJWT, .formPostJWT] as [AuthorizationRequest.ResponseMode])
    func refusal(_ mode: AuthorizationRequest.ResponseMode) async throws {
        let fixture = try await ProviderFixture { $0.login = .denied }
        let error = await authError { try await fixture.logIn(request(fixture, by: mode)) }
        #expect(error?.code == .accessDenied && error?.stage == .authorization)
        #expect(error?.response?.errorDescription?.isEmpty == false)
    }

    @Test("a promised iss has come with the signature (RFC 9207), and the trace says what was checked")
    func issuer() async throws {
        let steps = Lock<[LoginTrace.Entry]>([])
        let trace = LoginTrace { entry in steps.withLock { $0.append(entry) } }
        let fixture = try await ProviderFixture()
        let service = AuthorizationService { $0.trace = trace }
        fixture.provider.update { $0.deviations.authorizationResponse = { $0["iss"] = nil } }
        let state = try await AuthState.logIn(
            .browser(request(fixture, by: .queryJWT), DirectUserAgent()), at: .memory(service: service))
        #expect(state.isAuthorized)
        let told = steps.withLock { $0.map { "\($0)" } }
        #expect(told.contains { $0.contains("signature iss aud exp") })
        #expect(!told.contains { $0.contains("eyJ") })
    }

    @Test(
        "a signature that is broken, foreign or missing is refused",
        arguments: [.broken, .foreignKey, .missing] as [OpenIDProvider.Deviations.Signature])
    func signatures(_ signature: OpenIDProvider.Deviations.Signature) async throws {
        let fixture = try await ProviderFixture { $0.deviations.authorizationResponseSignature = signature }
        let error = await authError { try await fixture.logIn(request(fixture, by: .jwt)) }
        #expect(error?.code == .invalidSignature && error?.stage == .authorization)
        #expect(error?.message.contains("signed answer") == true)
        #expect(fixture.provider.requestCount(.token) == 0)
    }

    @Test(
        "a signed answer that fails a check is refused by name, and the code is not spent",
        arguments: [
            ("iss", "https://evil.example"), ("iss", nil), ("aud", "another"), ("aud", nil), ("exp", 1), ("exp", nil),
            ("nbf", 99_999_999_999),
        ] as [(String, JSONValue?)])
    func refused(_ claim: String, _ value: JSONValue?) async throws {
        let fixture = try await ProviderFixture { $0.deviations.signedAuthorizationResponse = { $0[claim] = value } }
        let error = await authError { try await fixture.logIn(request(fixture, by: .queryJWT)) }
        #expect(error?.code == .invalidAuthorizationResponse && error?.kind == .refused)
        #expect(error?.message.contains(claim) == true && error?.hint != nil)
        #expect(fixture.provider.requestCount(.token) == 0)
    }

    @Test("newer keys are fetched for a signature that none of the known ones made")
    func rotation() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.logIn(request(fixture, by: .queryJWT)).isAuthorized)
        try fixture.provider.rotateKeys()
        #expect(try await fixture.logIn(request(fixture, by: .queryJWT)).isAuthorized)
    }

    @Test("an unsigned answer, and a signed one that was not asked for, are refused with an explanation")
    func otherAnswers() async throws {
        let login = try await SignedLogin()
        let plain = await authError { try await login.believe("?code=c&state=\(login.state)") }
        #expect(plain?.code == .malformedResponse && plain?.message == "The answer is not signed.")
        #expect(plain?.expected == "query.jwt" && plain?.received == "query")
        let denied = await authError { try await login.believe("?error=access_denied&state=\(login.state)") }
        #expect(denied?.code == .malformedResponse && denied?.received?.contains("access_denied") == true)
        let unasked = try await SignedLogin(.query)
        let signed = await authError { try await unasked.believe("?response=\(try unasked.token())") }
        #expect(signed?.code == .malformedResponse && signed?.message.contains("JARM") == true)
    }

    @Test("an encrypted answer, and text that is no JWT, are refused by name")
    func unreadable() async throws {
        let login = try await SignedLogin()
        let encrypted = await authError { try await login.believe("?response=a.b.c.d.e") }
        #expect(encrypted?.code == .unsupported && encrypted?.message.contains("encrypted") == true)
        #expect(encrypted?.hint?.contains("authorization_encrypted_response_alg") == true)
        for compact in ["", "a.b.c", "a.b", "e30.W10.x"] {
            let error = await authError { try await login.believe("?response=\(compact)") }
            #expect(error?.code == .malformedResponse, "\(compact)")
        }
    }

    @Test("an answer with another state fetches no keys, and does not end the login")
    func strangers() async throws {
        let login = try await SignedLogin()
        for _ in 0..<5 {
            let error = await authError { try await login.believe("?response=\(try login.token(["state": "x"]))") }
            #expect(error?.code == .stateMismatch)
        }
        #expect(login.transport.requests.isEmpty)
        let forged = try SigningKey.generate(.es256, keyID: "k")
        let guessed = await authError { try await login.believe("?response=\(try login.token(by: .success(forged)))") }
        #expect(guessed?.code == .invalidSignature)
        #expect(try await login.believe("?response=\(try login.token())").code == "c")
        let again = await authError { try await login.believe("?response=\(try login.token())") }
        #expect(again?.code == .authorizationExpired)
    }

    @Test func `the clocks may differ by the leeway, and aud may be a list`() async throws {
        let changes: [[String: JSONValue]] = [
            ["exp": 1_799_999_941], ["nbf": 1_800_000_060], ["aud": ["other", "app"]], ["exp": 1_800_000_060.5],
        ]
        for change in changes {
            let login = try await SignedLogin(.formPostJWT)
            #expect(try await login.believe("", form: "response=\(try login.token(change))").code == "c")
        }
    }

    @Test("only algorithms that the provider lists, with a public key, are accepted")
    func algorithms() async throws {
        let listed = try await SignedLogin(metadata: ["authorization_signing_alg_values_supported": ["HS256", "PS256"]])
        let error = await authError { try await listed.believe("?response=\(try listed.token())") }
        #expect(error?.code == .invalidSignature && error?.expected?.contains("PS256") == true)
        let secrets = await authError {
            _ = try await SignedLogin(metadata: ["authorization_signing_alg_values_supported": ["HS256", "none"]])
        }
        #expect(secrets?.code == .unsupported && secrets?.received == "HS256 none")
    }

    @Test("unavailable keys are no failed check: the callback can be tried again")
    func keysUnavailable() async throws {
        let login = try await SignedLogin()
        login.transport.enqueue(.json("{}", status: 503))
        let answer = "?response=\(try login.token())"
        #expect(await authError { try await login.believe(answer) }?.kind == .transient)
        #expect(try await login.believe(answer).code == "c")
    }
}

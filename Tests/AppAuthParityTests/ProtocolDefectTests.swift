import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import AuthStateUserAgent
import Foundation
import XCTest

/// AppAuth's defects in what it sends, accepts and shows, which this library must not have.
final class ProtocolDefectTests: XCTestCase {
    private func code(_ url: String, _ request: AuthorizationRequest) -> AuthStateError.Code? {
        do {
            _ = try AuthorizationResponse(callback: AuthorizationCallback(url: url), for: request)
        } catch { return (error as? AuthStateError)?.code }
        return nil
    }

    func testD09_redirectsAreCheckedInErrorTooAndFragmentsAreRead() throws {
        var request = try World().request()
        let base = "https://app.example/cb"
        XCTAssertEqual(code("\(base)?error=access_denied", request), .stateMismatch)
        XCTAssertEqual(code("\(base)?error=access_denied&state=x", request), .stateMismatch)
        XCTAssertEqual(
            code("\(base)?code=c&state=\(request.state)&iss=https://evil.example", request), .issuerParameterMismatch)
        XCTAssertEqual(code("\(base)?state=\(request.state)", request), .malformedResponse)
        XCTAssertEqual(code(base, request), .malformedResponse)
        request.responseType = .codeIDToken
        XCTAssertNil(code("\(base)#code=c&id_token=a.b.c&state=\(request.state)", request))
    }

    /// The error of a code exchange whose ID token is made by this function.
    private func exchange(
        maxAge: Int? = nil, _ make: (TokenMint, Date) throws -> String
    ) async throws -> AuthStateError? {
        let (world, mint) = (try World(), try TokenMint())
        var request = try world.request()
        request.nonce = nil
        request.maxAge = maxAge
        let token = try make(mint, world.clock.date)
        let reply = ScriptedTransport.Reply.grantOrKeys(mint, idToken: token)
        world.transport.enqueue(reply, reply, reply)
        let response = try world.codeResponse(request)
        do { _ = try await world.service.exchange(response) } catch let error as AuthStateError { return error }
        return nil
    }

    func testD11_signatureAlgorithmHashTimesAndSubjectAreChecked() async throws {
        let good = try await exchange { mint, now in try mint.token(at: now) }
        XCTAssertNil(good)
        let foreign = try await exchange { _, now in try TokenMint().token(at: now) }
        XCTAssertEqual(foreign?.code, .invalidSignature)
        let unsigned = try await exchange { mint, now in
            let payload = try mint.token(at: now).split(separator: ".")[1]
            return Base64URL.encode(#"{"alg":"none"}"#.utf8) + ".\(payload)."
        }
        XCTAssertEqual(unsigned?.code, .invalidSignature)
        for (name, value) in [("at_hash", "AAAA"), ("nbf", 1_800_001_000)] as [(String, JSONValue)] {
            let error = try await exchange { mint, now in try mint.token(at: now, [name: value]) }
            XCTAssertEqual(error?.code, .invalidIDToken)
            XCTAssertTrue(error?.message.contains(name) == true)
        }
        let tooOld = try await exchange(maxAge: 60) { mint, now in
            try mint.token(at: now, ["auth_time": 1_799_990_000])
        }
        XCTAssertTrue(tooOld?.message.contains("auth_time") == true)
    }

    func testD11_withoutAnIssuerNoIDTokenIsTaken() async throws {
        var world = try World()
        world.configuration.issuer = nil
        let request = try world.request(scopes: ["api"])
        let token = try TokenMint().token(at: world.clock.date)
        world.transport.enqueue(grant("a1", more: #","id_token":"\#(token)""#))
        let response = try world.codeResponse(request)
        let tokens = try await world.service.exchange(response)
        XCTAssertEqual(tokens.accessToken, "a1")
        XCTAssertNil(tokens.idToken)
        let openID = try world.request()
        let refused = await failure { try openID.url() }
        XCTAssertEqual(refused?.code, .invalidMetadata)
    }

    func testD11_onRefreshTheSubjectContinuesAndTheAgeOfIatDoesNotCount() async throws {
        let (world, mint) = (try World(), try TokenMint())
        let first = try mint.token(at: world.clock.date)
        let old = try mint.token(at: world.clock.date, ["iat": 1_799_000_000])
        let bob = try mint.token(at: world.clock.date, ["sub": "bob"])
        world.transport.enqueue(
            grant("a2", refreshToken: "r2", more: #","id_token":"\#(old)""#), .json(mint.keys),
            grant("a3", refreshToken: "r3", more: #","id_token":"\#(bob)""#))
        let state = world.authorized(idToken: first)
        let tokens = try await state.refresh()
        XCTAssertEqual(tokens.idToken, old)
        let error = await failure { try await state.refresh() }
        XCTAssertEqual(error?.code, .invalidIDToken)
        XCTAssertEqual(state.record.lastTokenResponse?.accessToken, "a2")
        XCTAssertEqual(state.record.refreshToken, "r3")
    }

    func testD11_onRefreshTheNonceIsTheOriginalOneOrAbsent() async throws {
        let (world, mint) = (try World(), try TokenMint())
        var request = try world.request()
        request.nonce = "first"
        let original = try mint.token(at: world.clock.date, ["nonce": "first"])
        let without = try mint.token(at: world.clock.date)
        let other = try mint.token(at: world.clock.date, ["nonce": "other"])
        world.transport.enqueue(
            grant("a2", more: #","id_token":"\#(without)""#), .json(mint.keys),
            grant("a3", more: #","id_token":"\#(original)""#), grant("a4", more: #","id_token":"\#(other)""#))
        let state = world.state()
        try await state.update(with: world.codeResponse(request))
        try await state.update(with: world.tokens("a1", refreshToken: "r1", idToken: original))
        for expected in ["a2", "a3"] {
            let tokens = try await state.refresh()
            XCTAssertEqual(tokens.accessToken, expected)
        }
        let error = await failure { try await state.refresh() }
        XCTAssertEqual(error?.code, .invalidIDToken)
    }

    func testD12_theEndpointsOwnQueryIsExtended() throws {
        var world = try World()
        world.configuration.authorizationEndpoint = try url("https://op.example/authorize?tenant=a%2Fb")
        let sent = try world.request().url().absoluteString
        XCTAssertTrue(sent.hasPrefix("https://op.example/authorize?tenant=a%2Fb&"))
        XCTAssertTrue(sent.contains("&client_id=client"))
    }

    func testD13_discoveryComparesTheIssuerCachesAndRefusesHTTP() async throws {
        let world = try World()
        let document = """
            {"issuer":"https://op.example","authorization_endpoint":"https://op.example/a",
            "token_endpoint":"https://op.example/t","jwks_uri":"https://op.example/k","response_types_supported":["code"],
            "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"],
            "registration_endpoint":"https://op.example/r","revocation_endpoint":"https://op.example/v",
            "introspection_endpoint":"https://op.example/i"}
            """
        world.transport.enqueue(
            .json(document), .json(document),
            .json(document.replacing("https://op.example/t", with: "http://op.example/t")))
        let other = await failure { try await world.service.discoverConfiguration(issuer: "https://op.example/") }
        XCTAssertEqual(other?.code, .issuerMismatch)
        let first = try await world.service.discoverConfiguration(issuer: "https://op.example")
        let second = try await world.service.discoverConfiguration(issuer: "https://op.example")
        XCTAssertEqual(first, second)
        XCTAssertEqual(world.transport.requests.count, 2)
        world.clock.advance(by: .seconds(3600))
        let endpoint = await failure { try await world.service.discoverConfiguration(issuer: "https://op.example") }
        XCTAssertEqual(endpoint?.code, .insecureURL)
        XCTAssertEqual(world.transport.requests.count, 3, "an old document is asked for again")
        let plain = await failure { try await world.service.discoverConfiguration(issuer: "http://op.example") }
        XCTAssertEqual(plain?.code, .insecureURL)
        XCTAssertEqual(world.transport.requests.count, 3)
    }

    func testD14_registrationErrorsAndCancelHaveTheirOwnCodes() async throws {
        let world = try World()
        let codes: [(String, AuthStateError.Code)] = [
            ("invalid_redirect_uri", .registrationRedirectURIRefused),
            ("invalid_client_metadata", .invalidClientMetadata),
        ]
        for (name, code) in codes {
            world.transport.enqueue(refusal(name))
            let request = RegistrationRequest(world.configuration, redirectURIs: [])
            let error = await failure { try await world.service.register(request) }
            XCTAssertEqual(error?.code, code)
        }
        let request = try world.request()
        let agent = GivenUpUserAgent(redirectURI: try RedirectURI("https://app.example/cb"))
        let error = await failure {
            try await AuthState.logIn(.browser(request, agent), at: .memory(service: world.service))
        }
        XCTAssertEqual(error?.code, .cancelled)
        XCTAssertEqual(error?.kind, .cancelled)
    }

    func testD16_nothingPrintsACodeOrAToken() async throws {
        let world = try World()
        let request = try world.request()
        let response = try world.codeResponse(request, extra: "&x=SECRET")
        let tokens = world.tokens("SECRET-a", refreshToken: "SECRET-r", idToken: "SECRET-i")
        let state = world.state()
        try await state.update(with: response)
        try await state.update(with: tokens)
        let fresh = try await state.freshTokens()
        let exchange = TokenRequest(exchanging: response)
        let stored = try await world.store.load(.default)
        let values: [Any] = [response, tokens, fresh, state, state.record, state.status, exchange, stored as Any]
        let secrets = ["SECRET", request.state, request.codeVerifier.rawValue, try XCTUnwrap(request.nonce)]
        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            if !(value is AuthState) { dump(value, to: &text) }
            for secret in secrets { XCTAssertFalse(text.contains(secret), text) }
        }
    }

    func testD16_aRenewalHasADeadline() async throws {
        let world = try World()
        let gate = ScriptedTransport.Gate()
        world.transport.enqueue(.gated(gate, then: grant("a2")))
        let state = world.authorized()
        async let outcome = failure { try await state.refresh() }
        await gate.arrivals()
        await world.clock.sleepers()
        world.clock.advance(by: .seconds(60))
        let error = await outcome
        XCTAssertEqual(error?.code, .timedOut)
        XCTAssertNil(state.authorizationError)
    }

    func testD16_aCallerCanBeCancelledWithoutHarmToTheOthers() async throws {
        let world = try World()
        let gate = ScriptedTransport.Gate()
        world.transport.enqueue(.gated(gate, then: grant("a2")))
        let state = world.authorized()
        world.clock.advance(by: .seconds(3600))
        let first = Task { try await state.freshTokens().accessToken }
        let second = Task { try await state.freshTokens().accessToken }
        await eventually { world.events.waiting == 2 }
        first.cancel()
        do {
            _ = try await first.value
            XCTFail("no error")
        } catch { XCTAssertTrue(error is CancellationError) }
        gate.open()
        let token = try await second.value
        XCTAssertEqual(token, "a2")
        XCTAssertEqual(world.forms.count, 1)
    }

    func testD16_whatIsSafeIsRepeated() async throws {
        let world = try World(waitingBy: ContinuousClock())
        world.transport.enqueue(
            .failure(TransportError(.unreachable, "", requestMayHaveBeenSent: false)),
            .response(TransportResponse(status: 503, headers: ["Retry-After": "0"])), grant("a2"))
        let tokens = try await world.authorized(retries: 2).refresh()
        XCTAssertEqual(tokens.accessToken, "a2")
        XCTAssertEqual(world.forms.map { $0["refresh_token"] }, ["r1", "r1", "r1"])
    }
}

/// A user who closes the browser.
private struct GivenUpUserAgent: ExternalUserAgent, ExternalUserAgentSession {
    let redirectURI: RedirectURI

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession { self }

    func present(_ url: URL) async throws -> AuthorizationCallback {
        throw AuthStateError(.cancelled, stage: .authorization, "The login was given up.")
    }

    func finish(_ outcome: UserAgentOutcome) async {}
}

import AuthStateKit
import AuthStateTesting
import Foundation
import XCTest

/// AppAuth's defects around the state and its renewal, which this library must not have.
final class StateDefectTests: XCTestCase {
    private static let lost = ScriptedTransport.Reply.failure(
        TransportError(.connectionLost, "The connection broke.", requestMayHaveBeenSent: true))

    /// A state whose access token has expired.
    private func stale(_ world: World, idToken: String? = nil) -> AuthState {
        let state = world.authorized(idToken: idToken)
        world.clock.advance(by: .seconds(3600))
        return state
    }

    func testD01_aStateWithoutAnAuthorizationResponseCanBeRefreshed() async throws {
        let world = try World()
        world.transport.enqueue(grant("a2"), grant("m1"), grant("m2"))
        let state = world.state()
        try await state.update(with: world.tokens("a1", refreshToken: "r1"))
        let renewed = try await state.refresh()
        XCTAssertEqual(renewed.accessToken, "a2")
        let machine = try await AuthState.logIn(
            .clientCredentials(Client(world.configuration, id: "machine", credential: .secret("s"))),
            at: .memory(service: world.service))
        world.clock.advance(by: .seconds(3600))
        let again = try await machine.freshTokens()
        XCTAssertEqual(again.accessToken, "m2")
        XCTAssertEqual(world.forms.last?["grant_type"], "client_credentials")
    }

    func testD02_aLateCallerDoesNotStartASecondRefresh() async throws {
        let world = try World()
        world.transport.enqueue(grant("a2", refreshToken: "r2"))
        let state = world.authorized()
        let used = try await state.withFreshToken { tokens -> String in
            if tokens.accessToken == "a1" {
                // A renewal happens while this caller still holds the old token, which is then refused.
                _ = try await state.refresh()
                throw TokenRejected(challenges: [])
            }
            return tokens.accessToken
        }
        XCTAssertEqual(used, "a2")
        XCTAssertEqual(world.forms.count, 1)
    }

    func testD03_tokensOrAnErrorNeverBoth() async throws {
        for seconds in [3550, 3600] {
            let world = try World()
            world.transport.enqueue(Self.lost)
            let state = world.authorized()
            world.clock.advance(by: .seconds(seconds))
            let result: (String?, (any Error)?) = await withCheckedContinuation { continuation in
                state.performAction { accessToken, _, error in continuation.resume(returning: (accessToken, error)) }
            }
            XCTAssertNotEqual(result.0 == nil, result.1 == nil, "\(seconds)")
            XCTAssertEqual(result.0, seconds == 3550 ? "a1" : nil, "a token that still lives is served alone")
        }
    }

    func testD04_onlyInvalidGrantIsFatal() async throws {
        let survivable: [(String, Int)] = [
            ("temporarily_unavailable", 400), ("server_error", 400), ("invalid_client", 401), ("invalid_client", 400),
            ("unauthorized_client", 400), ("unsupported_grant_type", 400), ("invalid_scope", 400),
            ("invalid_request", 400), ("invalid_grant", 429), ("invalid_grant", 503), ("slow_down", 429),
        ]
        for (error, status) in survivable {
            let world = try World()
            world.transport.enqueue(refusal(error, status: status))
            let state = stale(world)
            let thrown = await failure { try await state.freshTokens() }
            XCTAssertNotNil(thrown)
            XCTAssertNil(state.authorizationError, "\(status) \(error)")
            XCTAssertEqual(state.record.refreshToken, "r1", "\(status) \(error)")
        }
        let world = try World()
        world.transport.enqueue(refusal("invalid_grant"))
        let state = stale(world)
        _ = await failure { try await state.freshTokens() }
        XCTAssertEqual(state.authorizationError?.code, .invalidGrant)
        _ = await failure { try await state.freshTokens() }
        XCTAssertEqual(world.forms.count, 1, "in error nothing is sent")
    }

    func testD05_aFailedIDTokenCheckDoesNotLoseTheRotatedRefreshToken() async throws {
        let (world, mint) = (try World(), try TokenMint())
        let other = try TokenMint().token(at: world.clock.date)
        world.transport.enqueue(
            grant("a2", refreshToken: "r2", more: #","id_token":"\#(other)""#), .json(mint.keys), .json(mint.keys))
        let state = stale(world, idToken: try mint.token(at: world.clock.date))
        let error = await failure { try await state.freshTokens() }
        XCTAssertEqual(error?.code, .invalidSignature)
        XCTAssertEqual(state.record.refreshToken, "r2")
        XCTAssertEqual(state.record.lastTokenResponse?.accessToken, "a1", "the unchecked tokens are withheld")
        XCTAssertNil(state.authorizationError)
        let restored = try await AuthState.restore(at: AuthState.Place(world.store, service: world.service))
        XCTAssertEqual(restored.record.refreshToken, "r2")
    }

    func testD06_aRefreshWithoutIDTokenKeepsTheLastOne() async throws {
        let world = try World()
        world.transport.enqueue(grant("a2"))
        let state = stale(world, idToken: "a.b.c")
        let tokens = try await state.freshTokens()
        XCTAssertEqual(tokens.accessToken, "a2")
        XCTAssertEqual(tokens.idToken, "a.b.c")
    }

    func testD07_theArchiveKeepsTheRegistrationAndTheErrorsDetails() async throws {
        let world = try World()
        world.transport.enqueue(refusal("invalid_grant"))
        let state = world.state()
        let body = #"{"client_id":"new","client_secret":"s","client_secret_expires_at":0,"x":[1]}"#
        try await state.update(with: RegistrationResponse(TransportResponse(status: 201, body: Data(body.utf8))))
        try await state.update(with: world.tokens("a1", refreshToken: "r1"))
        _ = await failure { try await state.refresh() }
        let restored = try await AuthState.restore(at: AuthState.Place(world.store, service: world.service))
        XCTAssertEqual(restored.record.lastRegistrationResponse, state.record.lastRegistrationResponse)
        XCTAssertEqual(restored.record.lastRegistrationResponse?.clientSecret, "s")
        let error = try XCTUnwrap(restored.authorizationError)
        XCTAssertEqual(error, state.authorizationError)
        XCTAssertEqual(error.response?.errorDescription, "why")
        XCTAssertEqual(error.response?.errorURI, "https://op.example/why")
        XCTAssertEqual(error.httpStatus, 400)
    }

    func testD08_everyCallersParametersAreSent() async throws {
        let world = try World()
        let gate = ScriptedTransport.Gate()
        world.transport.enqueue(
            .gated(gate, then: grant("for-1", refreshToken: "r2")), grant("for-2", refreshToken: "r3"))
        let state = world.authorized()
        @Sendable func ask(_ audience: String) async throws -> String {
            try await state.freshTokens(RenewalParameters(additionalParameters: ["audience": audience])).accessToken
        }
        async let first = ask("1")
        await gate.arrivals()
        async let second = ask("2")
        await eventually { world.events.waiting == 2 }
        gate.open()
        let tokens = try await [first, second]
        XCTAssertEqual(tokens, ["for-1", "for-2"])
        XCTAssertEqual(world.forms.map { $0["audience"] }, ["1", "2"])
        XCTAssertEqual(world.forms.map { $0["refresh_token"] }, ["r1", "r2"], "none is spent twice")
        XCTAssertEqual(state.tokensIfFresh()?.accessToken, "a1", "the default tokens stay")
    }

    func testD10_emptyErroneousAndOddAnswersAreNoSuccess() async throws {
        for reply in [.json("{}"), .json(#"{"error":"invalid_request","access_token":"a2","token_type":"Bearer"}"#)]
            as [ScriptedTransport.Reply]
        {
            let world = try World()
            world.transport.enqueue(reply)
            let state = stale(world)
            _ = await failure { try await state.freshTokens() }
            XCTAssertEqual(state.record.lastTokenResponse?.accessToken, "a1")
            XCTAssertEqual(state.record.refreshToken, "r1")
            XCTAssertNil(state.authorizationError)
        }
        let world = try World()
        world.transport.enqueue(.json(#"{"access_token":"a2","token_type":"Bearer","expires_in":"3600"}"#))
        let tokens = try await stale(world).freshTokens()
        XCTAssertEqual(tokens.accessTokenExpirationDate, world.clock.date.addingTimeInterval(3600))
    }
}

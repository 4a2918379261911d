import AuthStateKit
import AuthStateTesting
import XCTest

/// When tokens are fresh, and what `performAction` does when they are not.
final class FreshnessTests: XCTestCase {
    /// Returns the values that the closure form calls back with.
    private func action(
        _ state: AuthState, _ parameters: Parameters = [:]
    ) async -> (accessToken: String?, idToken: String?, error: (any Error)?) {
        await withCheckedContinuation { continuation in
            state.performAction(additionalRefreshParameters: parameters) { accessToken, idToken, error in
                continuation.resume(returning: (accessToken, idToken, error))
            }
        }
    }

    func testP11_notFreshWhenARefreshWasAskedFor() async throws {
        let world = try World()
        world.transport.enqueue(grant("a2"))
        let state = world.authorized()
        XCTAssertNotNil(state.tokensIfFresh())
        try await state.setNeedsTokenRefresh()
        XCTAssertNil(state.tokensIfFresh())
        let tokens = try await state.freshTokens()
        XCTAssertEqual(tokens.accessToken, "a2")
    }

    func testP12_withoutExpiryAnAccessTokenIsFreshForEver() throws {
        let world = try World()
        let state = world.authorized(expiresIn: nil)
        world.clock.advance(by: .seconds(10 * 365 * 86400))
        XCTAssertEqual(state.tokensIfFresh()?.accessToken, "a1")
    }

    func testP13_freshWhileMoreThanTheToleranceIsLeft() throws {
        let world = try World()
        let state = world.authorized(expiresIn: 3600)
        world.clock.advance(by: .seconds(3539))
        XCTAssertNotNil(state.tokensIfFresh(), "61 s are left")
        world.clock.advance(by: .seconds(1))
        XCTAssertNil(state.tokensIfFresh(), "exactly 60 s are left")
    }

    func testP14_anIDTokenAloneIsNeverFresh() async throws {
        let world = try World()
        let state = world.state { $0.idToken = "a.b.c" }
        XCTAssertNil(state.tokensIfFresh())
        let error = await failure { try await state.freshTokens() }
        XCTAssertEqual(error?.code, .noRefreshToken)
    }

    func testP15_freshTokensRunTheActionAtOnce() async throws {
        let world = try World()
        let result = await action(world.authorized(idToken: "a.b.c"))
        XCTAssertEqual(result.accessToken, "a1")
        XCTAssertEqual(result.idToken, "a.b.c")
        XCTAssertNil(result.error)
        XCTAssertTrue(world.transport.requests.isEmpty)
    }

    func testP16_notFreshAndNoRefreshTokenIsAnErrorThatChangesNothing() async throws {
        let world = try World()
        let state = world.authorized(refreshToken: nil)
        world.clock.advance(by: .seconds(3600))
        let before = state.record
        let result = await action(state)
        XCTAssertNil(result.accessToken)
        XCTAssertEqual((result.error as? AuthStateError)?.code, .noRefreshToken)
        XCTAssertEqual(state.record, before)
        XCTAssertEqual(world.events.changes, 0)
        XCTAssertTrue(world.transport.requests.isEmpty)
    }

    func testP17_oneRefreshHoweverManyCallersWait() async throws {
        let world = try World()
        let gate = ScriptedTransport.Gate()
        world.transport.enqueue(.gated(gate, then: grant("a2", refreshToken: "r2")))
        let state = world.authorized()
        world.clock.advance(by: .seconds(3600))
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await state.freshTokens().accessToken } }
            await eventually { world.events.waiting == 50 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(results, Array(repeating: "a2", count: 50))
        XCTAssertEqual(world.forms.map { $0["refresh_token"] }, ["r1"])
    }

    func testP18_successClearsTheForcedRefreshMark() async throws {
        let world = try World()
        world.transport.enqueue(.failure(TransportError(.unreachable, "", requestMayHaveBeenSent: false)), grant("a2"))
        let state = world.authorized()
        try await state.setNeedsTokenRefresh()
        _ = await failure { try await state.freshTokens() }
        XCTAssertTrue(state.status.needsTokenRefresh)
        _ = try await state.freshTokens()
        XCTAssertFalse(state.status.needsTokenRefresh)
        let again = try await state.freshTokens()
        XCTAssertEqual(again.accessToken, "a2")
        XCTAssertEqual(world.forms.count, 2)
    }

    func testP19_additionalRefreshParametersAreSent() async throws {
        let world = try World()
        world.transport.enqueue(grant("a2"))
        let state = world.authorized()
        world.clock.advance(by: .seconds(3600))
        let result = await action(state, ["audience": "https://api.example/ü"])
        XCTAssertEqual(result.accessToken, "a2")
        XCTAssertEqual(world.forms.first?["audience"], "https://api.example/ü")
        XCTAssertEqual(world.forms.first?["grant_type"], "refresh_token")
    }

    func testP20_aRefreshWithoutRefreshTokenIsATypedError() async throws {
        let world = try World()
        let states = [
            (world.state(), AuthStateError.Code.notLoggedIn), (world.authorized(refreshToken: nil), .noRefreshToken),
        ]
        for (state, code) in states {
            let error = await failure { try await state.refresh() }
            XCTAssertEqual(error?.code, code)
            XCTAssertEqual(error?.kind, .reauthenticationRequired)
            XCTAssertNil(state.authorizationError)
        }
        XCTAssertTrue(world.transport.requests.isEmpty)
    }
}

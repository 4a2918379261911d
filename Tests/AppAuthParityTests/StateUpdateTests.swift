import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Foundation
import XCTest

/// Updates of the state, as AppAuth's `OIDAuthState` makes them.
final class StateUpdateTests: XCTestCase {
    private func registration() throws -> RegistrationResponse {
        let body = #"{"client_id":"new","client_secret":"s","client_secret_expires_at":0}"#
        return try RegistrationResponse(TransportResponse(status: 201, body: Data(body.utf8)))
    }

    private func error(_ stage: AuthStateError.Stage, oauth: String? = "access_denied") -> AuthStateError {
        AuthStateError(.accessDenied, stage: stage, "No.", response: oauth.map { OAuthErrorResponse(error: $0) })
    }

    func testP01_updateWithRegistrationKeepsItAndClearsTheGrant() async throws {
        let world = try World()
        let state = world.authorized(idToken: "a.b.c")
        try await state.update(with: world.codeResponse())
        try await state.update(with: world.tokens("a2", refreshToken: "r2"))
        try await state.update(authorizationError: error(.resource))
        let changes = world.events.changes
        try await state.update(with: registration())
        let record = state.record
        XCTAssertEqual(record.lastRegistrationResponse, try registration())
        XCTAssertNil(record.refreshToken)
        XCTAssertNil(record.scope)
        XCTAssertNil(record.lastAuthorizationResponse)
        XCTAssertNil(record.lastTokenResponse)
        XCTAssertNil(record.authorizationError)
        XCTAssertFalse(state.isAuthorized)
        XCTAssertEqual(world.events.changes, changes + 1)
    }

    func testP02_updateWithAuthorizationResponseReplacesItAndClearsTheTokens() async throws {
        let world = try World()
        let state = world.authorized()
        try await state.update(authorizationError: error(.resource))
        let changes = world.events.changes
        let response = try world.codeResponse(extra: "&scope=openid")
        try await state.update(with: response)
        XCTAssertEqual(state.record.lastAuthorizationResponse, response)
        XCTAssertNil(state.record.lastTokenResponse)
        XCTAssertNil(state.record.refreshToken)
        XCTAssertNil(state.authorizationError)
        XCTAssertEqual(state.status.scope, "openid")
        XCTAssertEqual(world.events.changes, changes + 1)
        try await state.update(with: world.codeResponse())
        XCTAssertEqual(state.status.scope, "openid profile")
    }

    func testP03_anOAuthAuthorizationErrorMovesIntoErrorAndIgnoresTheResponse() async throws {
        let world = try World()
        let state = world.authorized()
        try await state.update(with: world.codeResponse(), error: error(.authorization))
        XCTAssertEqual(state.authorizationError, error(.authorization))
        XCTAssertNil(state.record.lastAuthorizationResponse)
        XCTAssertEqual(state.record.refreshToken, "r1")
        XCTAssertFalse(state.isAuthorized)
    }

    func testP04_anyOtherAuthorizationErrorWithoutResponseChangesNothing() async throws {
        let world = try World()
        let state = world.authorized()
        let before = state.record
        let errors: [any Error] = [
            CancellationError(), error(.authorization, oauth: nil), error(.token),
            AuthStateError(.unreachable, stage: .authorization, "No network."),
        ]
        for error in errors { try await state.update(with: nil as AuthorizationResponse?, error: error) }
        XCTAssertEqual(state.record, before)
        XCTAssertEqual(world.events.changes, 0)
    }

    func testP05_updateWithTokenResponseReplacesItAndKeepsWhatItDoesNotCarry() async throws {
        let world = try World()
        let state = world.authorized()
        try await state.update(authorizationError: error(.resource))
        let changes = world.events.changes
        try await state.update(with: world.tokens("a2"))
        XCTAssertEqual(state.record.lastTokenResponse?.accessToken, "a2")
        XCTAssertNil(state.authorizationError)
        XCTAssertEqual(state.status.scope, "openid")
        XCTAssertEqual(state.record.refreshToken, "r1")
        XCTAssertEqual(world.events.changes, changes + 1)
        try await state.update(with: world.tokens("a3", refreshToken: "r3", scope: "less"))
        XCTAssertEqual(state.status.scope, "less")
        XCTAssertEqual(state.record.refreshToken, "r3")
    }

    func testP06_anOAuthTokenErrorMovesIntoErrorAndIgnoresTheResponse() async throws {
        for stage in [AuthStateError.Stage.token, .refresh] {
            let world = try World()
            let state = world.authorized()
            try await state.update(with: nil as TokenResponse?, error: CancellationError())
            try await state.update(with: nil as TokenResponse?, error: error(stage, oauth: nil))
            XCTAssertNil(state.authorizationError)
            try await state.update(with: world.tokens("a2"), error: error(stage, oauth: "invalid_grant"))
            XCTAssertEqual(state.authorizationError?.response?.error, "invalid_grant")
            XCTAssertEqual(state.record.lastTokenResponse?.accessToken, "a1")
        }
    }

    func testP07_updateWithAuthorizationErrorTakesAnyErrorAndReportsItEachTime() async throws {
        let world = try World()
        let state = world.authorized()
        try await state.update(with: world.codeResponse())
        try await state.update(with: world.tokens("a2", refreshToken: "r2"))
        let changes = world.events.changes
        struct Own: Error {}
        for count in 1...2 {
            try await state.update(authorizationError: error(.resource))
            XCTAssertEqual(state.authorizationError, error(.resource))
            XCTAssertEqual(world.events.changes, changes + count)
        }
        try await state.update(authorizationError: Own())
        XCTAssertTrue(state.authorizationError?.underlying?.contains("Own") == true)
        XCTAssertNotNil(state.record.lastAuthorizationResponse)
        XCTAssertNotNil(state.record.lastTokenResponse)
        XCTAssertEqual(state.record.refreshToken, "r2")
        XCTAssertFalse(state.isAuthorized)
    }

    func testP08_tokensReadAsNilWhileInError() async throws {
        let world = try World()
        let state = world.authorized(idToken: "a.b.c")
        XCTAssertEqual(state.tokensIfFresh()?.idToken, "a.b.c")
        XCTAssertNotNil(state.status.accessTokenExpirationDate)
        try await state.update(authorizationError: error(.resource))
        XCTAssertNil(state.tokensIfFresh())
        XCTAssertNil(state.record.accessToken)
        XCTAssertNil(state.status.accessTokenExpirationDate)
        let thrown = await failure { try await state.freshTokens() }
        XCTAssertEqual(thrown, error(.resource))
        XCTAssertTrue(world.transport.requests.isEmpty)
    }

    func testP09_isAuthorizedWithoutErrorAndWithAnyToken() async throws {
        let world = try World()
        XCTAssertFalse(world.state().isAuthorized)
        XCTAssertTrue(world.state { $0.lastTokenResponse = world.tokens("a1") }.isAuthorized)
        XCTAssertTrue(world.state { $0.idToken = "a.b.c" }.isAuthorized)
        XCTAssertTrue(world.state { $0.refreshToken = "r1" }.isAuthorized)
        let state = world.authorized(idToken: "a.b.c")
        try await state.update(authorizationError: error(.resource))
        XCTAssertFalse(state.isAuthorized)
    }

    func testP10_theWholeLifecycle() async throws {
        let world = try World()
        let state = world.state()
        world.transport.enqueue(grant("a2"), refusal("invalid_grant"))
        try await state.update(with: world.codeResponse())
        XCTAssertFalse(state.isAuthorized)
        try await state.update(with: world.tokens("a1", refreshToken: "r1"))
        XCTAssertTrue(state.isAuthorized)
        let renewed = try await state.refresh()
        XCTAssertEqual(renewed.accessToken, "a2")
        XCTAssertTrue(state.isAuthorized)
        let refused = await failure { try await state.refresh() }
        XCTAssertEqual(refused?.code, .invalidGrant)
        XCTAssertEqual(state.authorizationError?.code, .invalidGrant)
        XCTAssertFalse(state.isAuthorized)
        try await state.update(with: world.codeResponse())
        XCTAssertNil(state.authorizationError)
        XCTAssertFalse(state.isAuthorized)
        try await state.update(with: world.tokens("a3", refreshToken: "r3"))
        XCTAssertTrue(state.isAuthorized)
    }
}

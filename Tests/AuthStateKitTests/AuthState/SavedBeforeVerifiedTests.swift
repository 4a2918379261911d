import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

struct SavedBeforeVerifiedTests {
    @Test("a rotated refresh token is stored before the provider's keys are asked for")
    func savedBeforeVerified() async throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        let idToken = try JSONWebToken.sign(claims: ["sub": "alice"], with: key)
        let store = InMemoryAuthStateStore()
        let stored = Lock<String?>(nil)
        var fixture = try Fixture(
            then: .dynamic { request in
                guard request.url.path == "/keys" else {
                    let answer: JSONValue = [
                        "access_token": "SECRET-access-1", "token_type": "Bearer",
                        "refresh_token": "SECRET-refresh-1", "id_token": .string(idToken),
                    ]
                    return TransportResponse(status: 200, body: Data(answer.serialized()))
                }
                let archive = try await store.load(.default).map { try AuthStateArchive(data: $0.archive) }
                stored.withLock { $0 = archive?.record.refreshToken }
                return TransportResponse(status: 503)
            })
        fixture.record.client.provider.issuer = try Issuer("https://op.example")
        fixture.record.client.provider.jwksURI = URL(string: "https://op.example/keys")
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        _ = await authError { try await state.freshTokens() }
        #expect(stored.withLock { $0 } == "SECRET-refresh-1")
        #expect(state.record.refreshToken == "SECRET-refresh-1")
        #expect(state.record.lastTokenResponse?.accessToken == "SECRET-access-0")
    }
}

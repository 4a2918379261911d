import AsyncHTTPClient
import AuthStateAsyncHTTPClient
import AuthStateKit
import AuthStateServer
import AuthStateTesting
import NIOCore
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthorizedRequestTests {
    @Test("a request gets the token, and the answer's body is the caller's to read", arguments: [false, true])
    func success(isBound: Bool) async throws {
        let world = try await AuthorizedWorld(isBound: isBound)
        let response = try await world.send()
        #expect(response.status == .ok)
        #expect(String(buffer: try await response.body.collect(upTo: 1 << 16)).contains("Hello"))
        let sent = try #require(world.requests.last)
        let scheme = isBound ? "DPoP" : "Bearer"
        #expect(sent.headers["Authorization"] == "\(scheme) \(world.state.record.accessToken ?? "")")
        #expect((sent.headers["DPoP"] != nil) == isBound)
        await world.stop()
    }

    @Test(
        "after a 401 the tokens are renewed, and a body of bytes is sent again",
        arguments: [
            HTTPClientRequest.Body.bytes(ByteBuffer(string: "a=1")), .bytes(Array("a=1".utf8)),
            .bytes("a=1".utf8, length: .known(Int64(3))),
        ])
    func bytes(body: HTTPClientRequest.Body) async throws {
        let world = try await AuthorizedWorld()
        world.provider.rejectAccessTokens()
        let response = try await world.send(.POST, body: body)
        #expect(response.status == .ok && world.requests.count == 2)
        #expect(world.requests.allSatisfy { String(decoding: $0.body, as: UTF8.self) == "a=1" })
        #expect(world.requests[0].headers["Authorization"] != world.requests[1].headers["Authorization"])
        await world.stop()
    }

    @Test("a body of a stream is sent once: the 401 is returned, and the next request has another token")
    func streams() async throws {
        let world = try await AuthorizedWorld()
        let first = world.state.record.accessToken
        world.provider.rejectAccessTokens()
        let response = try await world.send(.POST, body: stream("a=1"))
        #expect(response.status == .unauthorized && world.requests.count == 1)
        #expect(try await response.body.collect(upTo: 1 << 16).readableBytes > 0)
        #expect(world.state.record.accessToken != first && world.state.isAuthorized)
        #expect(try await world.send(.POST, body: stream("a=1")).status == .ok)
        await world.stop()
    }

    @Test("a stream's 401 is returned when there is nothing to renew with, and the state is in error")
    func endedGrant() async throws {
        let world = try await AuthorizedWorld()
        world.provider.revokeGrants()
        let response = try await world.send(.POST, body: stream("a=1"))
        #expect(response.status == .unauthorized && world.requests.count == 1)
        #expect(world.state.authorizationError?.code == .invalidGrant)
        await world.stop()
    }

    @Test("a second 401 is an error with the beginning of the answer, and without the token")
    func refused() async throws {
        let world = try await AuthorizedWorld()
        world.provider.rejectAccessTokens(times: 2)
        let error = await #expect(throws: AuthStateError.self) { try await world.send() }
        #expect(error?.code == .tokenRejected && world.state.authorizationError?.code == .tokenRejected)
        #expect(error?.responseBody?.contains("invalid_token") == true)
        await world.stop()
    }

    @Test("a nonce that the resource asks for is in the next proof, and the token stays", arguments: [true, false])
    func nonce(canRepeat: Bool) async throws {
        let world = try await AuthorizedWorld(isBound: true) { $0.dpopNonceUses = 1 }
        let token = world.state.record.accessToken
        world.provider.rotateDPoPNonce()
        let response = try await world.send(.POST, body: canRepeat ? .bytes(ByteBuffer(string: "a=1")) : stream("a=1"))
        #expect(response.status == (canRepeat ? .ok : .unauthorized))
        #expect(world.requests.count == (canRepeat ? 2 : 1))
        #expect(world.state.record.accessToken == token)
        await world.stop()
    }

    @Test("an answer that wants more rights is a typed error, and the login stays")
    func scope() async throws {
        let world = try await AuthorizedWorld { $0.protectedResource.scopes = ["api"] }
        let error = await #expect(throws: AuthStateError.self) { try await world.send() }
        #expect(error?.code == .insufficientScope && world.requests.count == 1 && world.state.isAuthorized)
        await world.stop()
    }

    @Test("a pool's state authorizes a request, and is renewed")
    func pool() async throws {
        let world = try await AuthorizedWorld()
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: world.service)
        try await pool.logIn(.browser(AuthorizationRequest(world.state.record.client), DirectUserAgent()), for: "ada")
        world.provider.rejectAccessTokens()
        #expect(try await world.send(by: pool, for: "ada").status == .ok && world.requests.count == 2)
        await world.stop()
    }
}

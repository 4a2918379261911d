import AuthStateHTTPTypes
import AuthStateKit
import AuthStateServer
import AuthStateTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPTypesTests {
    @Test("a request gets the token, and the answer is the caller's", arguments: [false, true])
    func success(isBound: Bool) async throws {
        let world = try await World(isBound: isBound)
        let (response, body) = try await world.state.performAction(world.request(), send: world.send)
        #expect(response.status == .ok && String(decoding: body, as: UTF8.self).contains("Hello"))
        let sent = try #require(world.requests.last)
        let scheme = isBound ? "DPoP" : "Bearer"
        #expect(sent.headers["Authorization"] == "\(scheme) \(world.state.record.accessToken ?? "")")
        #expect((sent.headers["DPoP"] != nil) == isBound)
        await world.provider.stop()
    }

    @Test("a 401 renews once, and the request is sent again with the new token")
    func renewal() async throws {
        let world = try await World()
        world.provider.rejectAccessTokens()
        let (response, _) = try await world.state.performAction(world.request(), send: world.send)
        #expect(response.status == .ok && world.requests.count == 2)
        #expect(world.requests[0].headers["Authorization"] != world.requests[1].headers["Authorization"])
        await world.provider.stop()
    }

    @Test("a second 401 is an error of the request, and of the state")
    func refused() async throws {
        let world = try await World()
        world.provider.rejectAccessTokens(times: 2)
        let error = await #expect(throws: AuthStateError.self) {
            try await world.state.performAction(world.request(), send: world.send)
        }
        #expect(error?.code == .tokenRejected && world.state.authorizationError?.code == .tokenRejected)
        await world.provider.stop()
    }

    @Test("a request that cannot be sent twice returns the 401, and the next one has another token")
    func oneShot() async throws {
        let world = try await World()
        let first = world.state.record.accessToken
        world.provider.rejectAccessTokens()
        let (response, _) = try await world.state.performAction(
            world.request(.post), canRepeat: false, send: world.send)
        #expect(response.status == .unauthorized && world.requests.count == 1)
        #expect(world.state.record.accessToken != first && world.state.isAuthorized)
        await world.provider.stop()
    }

    @Test("a request that cannot be sent twice returns the 401 when there is nothing to renew with, too")
    func oneShotWithoutRenewal() async throws {
        let world = try await World()
        world.provider.revokeGrants()
        let (response, _) = try await world.state.performAction(
            world.request(.post), canRepeat: false, send: world.send)
        #expect(response.status == .unauthorized && world.requests.count == 1)
        #expect(world.state.authorizationError?.code == .invalidGrant)
        await world.provider.stop()
    }

    @Test("a nonce that the resource asks for is in the next proof, and the token stays")
    func nonce() async throws {
        let world = try await World(isBound: true) { $0.dpopNonceUses = 1 }
        let token = world.state.record.accessToken
        world.provider.rotateDPoPNonce()
        let (response, _) = try await world.state.performAction(world.request(), send: world.send)
        #expect(response.status == .ok && world.requests.count == 2)
        #expect(world.requests[0].headers["DPoP"] != world.requests[1].headers["DPoP"])
        #expect(world.state.record.accessToken == token)
        await world.provider.stop()
    }

    @Test("an answer that wants more rights is a typed error, and the login stays", arguments: [true, false])
    func scope(canRepeat: Bool) async throws {
        let world = try await World { $0.protectedResource.scopes = ["api"] }
        let error = await #expect(throws: AuthStateError.self) {
            try await world.state.performAction(world.request(), canRepeat: canRepeat, send: world.send)
        }
        #expect(error?.code == .insufficientScope && error?.challenge?.scope == "api")
        #expect(world.requests.count == 1 && world.state.isAuthorized)
        await world.provider.stop()
    }

    @Test("a token goes neither to a URL without TLS nor to a request without one")
    func targets() async throws {
        let world = try await World()
        let tokens = try await world.state.freshTokens()
        var open = HTTPRequest(method: .get, scheme: "http", authority: "api.example", path: "/")
        let insecure = #expect(throws: AuthStateError.self) { try open.authorize(with: tokens) }
        #expect(insecure?.code == .insecureURL && open.headerFields.isEmpty)
        var relative = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let nowhere = #expect(throws: AuthStateError.self) { try relative.authorize(with: tokens) }
        #expect(nowhere?.code == .invalidArgument)
        await world.provider.stop()
    }

    @Test("errors do not repeat a token that the resource repeats")
    func secrets() async throws {
        let world = try await World()
        let tokens = try await world.state.freshTokens()
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] =
            #"Bearer error="invalid_token", error_description="\#(tokens.accessToken)""#
        let rejection = #expect(throws: TokenRejected.self) {
            try tokens.check(response, to: world.request(), body: Array("no: \(tokens.accessToken)".utf8))
        }
        #expect(rejection?.body?.hasPrefix("no: ") == true && rejection?.url == world.provider.url(of: .resource))
        #expect(!"\(try #require(rejection))".contains(tokens.accessToken))
        await world.provider.stop()
    }

    @Test("a pool's state sends requests the same way")
    func pool() async throws {
        let world = try await World()
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: world.service)
        try await pool.logIn(.browser(AuthorizationRequest(world.state.record.client), DirectUserAgent()), for: "ada")
        world.provider.rejectAccessTokens()
        let (response, _) = try await pool.performAction(world.request(), for: "ada", send: world.send)
        #expect(response.status == .ok && world.requests.count == 2)
        await world.provider.stop()
    }
}

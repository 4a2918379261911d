import AuthStateHTTPTypes
import AuthStateKit
import AuthStateResource
import AuthStateTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResourceAccessTests {
    @Test("the first request logs in, and a 401 renews", arguments: [false, true])
    func login(isBound: Bool) async throws {
        let world = try await World { $0.protectedResource.requiresDPoP = isBound }
        let access = try world.access()
        let (response, body) = try await access.performAction(world.request(), send: world.send)
        #expect(response.status == .ok && String(decoding: body, as: UTF8.self).contains("Hello"))
        let token = try #require(try await access.authState()?.record.accessToken)
        #expect(world.requests.last?.headers["Authorization"] == "\(isBound ? "DPoP" : "Bearer") \(token)")

        world.provider.rejectAccessTokens()
        #expect(try await access.performAction(world.request(), send: world.send).0.status == .ok)
        #expect(try await access.authState()?.record.accessToken != token)
        #expect(world.logins == 2, "the world's own login, and one for the resource")
        await world.provider.stop()
    }

    @Test("a request that needs more rights logs in for them, and is sent again")
    func moreRights() async throws {
        let world = try await World { $0.protectedResource.scopesByMethod = ["POST": ["email"]] }
        let access = try world.access()
        _ = try await access.performAction(world.request(), send: world.send)
        let (response, _) = try await access.performAction(world.request(.post), send: world.send)
        #expect(response.status == .ok && world.logins == 3)
        #expect(try await access.authState()?.record.scope?.contains("email") == true)
        await world.provider.stop()
    }

    @Test("logins for more rights in vain are bounded for a method and a path, regardless of the query")
    func bound() async throws {
        let world = try await World { configuration in
            configuration.protectedResource.scopesByMethod = ["POST": ["email"]]
            configuration.consentedScopes = ["openid"]
        }
        let access = try world.access()
        _ = try await access.performAction(world.request(), send: world.send)
        func refused(_ method: HTTPRequest.Method, query: String = "") async throws -> Int {
            var request = world.request(method)
            request.path? += query
            let error = await #expect(throws: AuthStateError.self) {
                try await access.performAction(request, send: world.send)
            }
            #expect(error?.code == .insufficientScope)
            return world.logins
        }
        #expect(try await refused(.post) == 3)
        world.provider.update { $0.protectedResource.scopesByMethod = ["POST": ["profile"], "PUT": ["profile"]] }
        #expect(try await refused(.post, query: "?page=2") == 4)
        #expect(try await refused(.put) == 4)
        await world.provider.stop()
    }

    @Test("a request that cannot be sent twice is sent once: its 401 is returned, and the next one has another token")
    func oneShot() async throws {
        let world = try await World()
        let access = try world.access()
        _ = try await access.performAction(world.request(), send: world.send)
        let sent = world.requests.count
        world.provider.rejectAccessTokens()
        let (refused, _) = try await access.performAction(world.request(.post), canRepeat: false, send: world.send)
        #expect(refused.status == .unauthorized && world.requests.count == sent + 1)
        let (next, _) = try await access.performAction(world.request(.post), canRepeat: false, send: world.send)
        #expect(next.status == .ok && world.requests.count == sent + 2)
        await world.provider.stop()
    }

    @Test("without a user agent the error says that a login is needed, and nothing is sent")
    func elsewhere() async throws {
        let world = try await World()
        let access = try world.access(login: .elsewhere)
        let error = await #expect(throws: AuthStateError.self) {
            try await access.performAction(world.request(), send: world.send)
        }
        #expect(error?.code == .notLoggedIn && world.logins == 1)
        #expect(world.requests.allSatisfy { $0.headers["Authorization"] == nil })
        await world.provider.stop()
    }

    @Test("a request to another origin than the resource's gets no token")
    func otherOrigin() async throws {
        let world = try await World()
        let access = try world.access()
        var request = world.request()
        request.authority = "localhost:\(world.provider.port)"
        let error = await #expect(throws: AuthStateError.self) {
            try await access.performAction(request) { _ in
                Issue.record("the request was sent")
                return (HTTPResponse(status: .ok), ())
            }
        }
        #expect(error?.stage == .resource)
        await world.provider.stop()
    }
}

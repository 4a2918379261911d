import AsyncHTTPClient
import AuthStateAsyncHTTPClient
import AuthStateKit
import AuthStateResource
import AuthStateTesting
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthorizedAccessTests {
    @Test("the first request logs in, and a 401 renews", arguments: [false, true])
    func login(isBound: Bool) async throws {
        let world = try await AuthorizedWorld { $0.protectedResource.requiresDPoP = isBound }
        let access = try world.access()
        let response = try await world.send(by: access)
        #expect(String(buffer: try await response.body.collect(upTo: 1 << 16)).contains("Hello"))
        let token = try #require(try await access.authState()?.record.accessToken)
        #expect(world.requests.last?.headers["Authorization"] == "\(isBound ? "DPoP" : "Bearer") \(token)")

        world.provider.rejectAccessTokens()
        #expect(try await world.send(by: access, .POST, body: .bytes(ByteBuffer(string: "a=1"))).status == .ok)
        #expect(try await access.authState()?.record.accessToken != token)
        #expect(world.logins == 2, "the world's own login, and one for the resource")
        await world.stop()
    }

    @Test("a request that needs more rights logs in for them, and is sent again")
    func moreRights() async throws {
        let world = try await AuthorizedWorld { $0.protectedResource.scopesByMethod = ["POST": ["email"]] }
        let access = try world.access()
        _ = try await world.send(by: access)
        #expect(try await world.send(by: access, .POST, body: .bytes(ByteBuffer(string: "a=1"))).status == .ok)
        #expect(world.logins == 3)
        #expect(world.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "a=1")
        await world.stop()
    }

    @Test("logins for more rights in vain are bounded for a method and a path, regardless of the query")
    func bound() async throws {
        let world = try await AuthorizedWorld { configuration in
            configuration.protectedResource.scopesByMethod = ["POST": ["email"]]
            configuration.consentedScopes = ["openid"]
        }
        let access = try world.access()
        _ = try await world.send(by: access)
        func refused(_ method: HTTPMethod, query: String = "") async throws -> Int {
            let url = world.provider.url(of: .resource).absoluteString + query
            let error = await #expect(throws: AuthStateError.self) { try await world.send(by: access, method, to: url) }
            #expect(error?.code == .insufficientScope)
            return world.logins
        }
        #expect(try await refused(.POST) == 3)
        world.provider.update { $0.protectedResource.scopesByMethod = ["POST": ["profile"], "PUT": ["profile"]] }
        #expect(try await refused(.POST, query: "?page=2") == 4)
        #expect(try await refused(.PUT) == 4)
        await world.stop()
    }

    @Test("a body of a stream is sent once: its 401 is returned, and the next request has another token")
    func streams() async throws {
        let world = try await AuthorizedWorld()
        let access = try world.access()
        _ = try await world.send(by: access)
        let sent = world.requests.count
        world.provider.rejectAccessTokens()
        #expect(try await world.send(by: access, .POST, body: stream("a=1")).status == .unauthorized)
        #expect(world.requests.count == sent + 1)
        #expect(try await world.send(by: access, .POST, body: stream("a=1")).status == .ok)
        #expect(world.requests.count == sent + 2)
        await world.stop()
    }

    @Test("without a user agent the error says that a login is needed, and nothing is sent")
    func elsewhere() async throws {
        let world = try await AuthorizedWorld()
        let access = try world.access(login: .elsewhere)
        let error = await #expect(throws: AuthStateError.self) { try await world.send(by: access) }
        #expect(error?.code == .notLoggedIn && world.logins == 1)
        #expect(world.requests.allSatisfy { $0.headers["Authorization"] == nil })
        await world.stop()
    }

    @Test("a request to another origin than the resource's gets no token")
    func otherOrigin() async throws {
        let world = try await AuthorizedWorld()
        let access = try world.access()
        let other = try await OpenIDProvider()
        let error = await #expect(throws: AuthStateError.self) {
            try await world.send(by: access, to: other.url(of: .resource).absoluteString)
        }
        #expect(error?.stage == .resource && other.requests(at: .resource).isEmpty)
        await other.stop()
        await world.stop()
    }
}

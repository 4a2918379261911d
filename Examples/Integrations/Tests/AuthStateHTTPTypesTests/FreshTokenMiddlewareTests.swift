import AuthStateHTTPTypes
import AuthStateKit
import AuthStateTesting
import Foundation
import HTTPTypes
import Testing

/// The interface of swift-openapi-runtime 1, as its documentation has it: the package cannot be had here.
protocol ClientMiddleware: Sendable {
    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @escaping @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?)
}

/// In place of the runtime's body.
final class HTTPBody: Sendable {
    let data: Data
    let isRepeatable: Bool
    init(_ data: Data, isRepeatable: Bool = true) { (self.data, self.isRepeatable) = (data, isRepeatable) }
}

extension FreshTokenMiddleware: ClientMiddleware {}

@Suite(.timeLimit(.minutes(5)))
struct FreshTokenMiddlewareTests {
    /// Calls an operation as a generated client does.
    private func call(
        _ world: World, _ middleware: any ClientMiddleware, _ method: HTTPRequest.Method = .get, _ body: HTTPBody? = nil
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let base = try #require(URL(string: "http://127.0.0.1:\(world.provider.port)/"))
        let path = world.provider.url(of: .resource).path()
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
        return try await middleware.intercept(request, body: body, baseURL: base, operationID: "hello") {
            request, _, base in
            var sent = request
            (sent.scheme, sent.authority) = ("http", "127.0.0.1:\(world.provider.port)")
            #expect(base.port == Int(world.provider.port) && request.path == path)
            let (response, data) = try await world.send(sent)
            return (response, HTTPBody(data))
        }
    }

    private func middleware(_ state: AuthState) -> FreshTokenMiddleware {
        FreshTokenMiddleware(state) { ($0 as? HTTPBody)?.isRepeatable == true }
    }

    @Test("a request has a fresh token, and a 401 renews; so it does with a DPoP proof", arguments: [false, true])
    func renewal(isBound: Bool) async throws {
        let world = try await World(isBound: isBound) { $0.protectedResource.requiresDPoP = isBound }
        let (response, body) = try await call(world, middleware(world.state))
        #expect(
            response.status == .ok && body.map { String(decoding: $0.data, as: UTF8.self).contains("Hello") } == true)
        world.provider.rejectAccessTokens()
        let again = try await call(world, middleware(world.state), .post, HTTPBody(Data("{}".utf8)))
        #expect(again.0.status == .ok)
        await world.provider.stop()
    }

    @Test("a body that can be read once is not sent again: its 401 is returned")
    func oneShot() async throws {
        let world = try await World()
        world.provider.rejectAccessTokens()
        let sent = world.requests.count
        let body = HTTPBody(Data("{}".utf8), isRepeatable: false)
        #expect(try await call(world, middleware(world.state), .post, body).0.status == .unauthorized)
        #expect(world.requests.count == sent + 1)
        #expect(try await call(world, middleware(world.state), .post, body).0.status == .ok)
        await world.provider.stop()
    }

    @Test("an access logs in for the first request")
    func access() async throws {
        let world = try await World()
        #expect(try await call(world, FreshTokenMiddleware(world.access())).0.status == .ok && world.logins == 2)
        await world.provider.stop()
    }
}

import AuthStateKit
import AuthStateMCP
import AuthStateResource
import AuthStateTesting
import Foundation
import Testing

/// The interface of the Swift SDK of the Model Context Protocol, 0.12, as its documentation has it: the package cannot be had here.
protocol HTTPClientAuthorizer: AnyObject, Sendable {
    var maxAuthorizationAttempts: Int { get }
    func validateEndpointSecurity(for endpoint: URL) throws
    func authorizationHeader(for endpoint: URL) -> String?
    func handleChallenge(
        statusCode: Int, headers: [String: String], endpoint: URL, operationKey: String?, session: Session
    ) async throws -> Bool
    func prepareAuthorization(for endpoint: URL, session: Session) async throws
}

/// In place of URLSession, which is in another module on Linux.
final class Session: Sendable {}

extension ResourceAuthorizer: HTTPClientAuthorizer {}

@Suite(.timeLimit(.minutes(5)))
struct ResourceAuthorizerTests {
    /// Sends requests in the order of the SDK's transport: prepare, header, challenge, again.
    private struct Transport {
        let authorizer: ResourceAuthorizer
        let url: URL

        /// What the program's `requestModifier` does, before the SDK sets its own field or after it.
        private func modify(_ request: inout TransportRequest) {
            for (name, value) in authorizer.proof(method: request.method.rawValue, url: url) {
                request.headers[name] = value
            }
        }

        func send(_ method: TransportRequest.Method = .post) async throws -> Int {
            var attempts = 0
            while true {
                try await authorizer.prepareAuthorization(for: url, session: Session())
                var request = TransportRequest(method: method, url: url)
                modify(&request)
                request.headers["Authorization"] = authorizer.authorizationHeader(for: url)
                if attempts > 0 { modify(&request) }
                let answer = try await SystemTransport.shared.send(request)
                guard [401, 403].contains(answer.status), attempts < authorizer.maxAuthorizationAttempts else {
                    return answer.status
                }
                attempts += 1
                let headers = Dictionary(answer.headers.map { ($0.name, $0.value) }) { first, _ in first }
                guard
                    try await authorizer.handleChallenge(
                        statusCode: answer.status, headers: headers, endpoint: url, operationKey: "tools/call",
                        session: Session())
                else { return answer.status }
            }
        }
    }

    private struct World {
        let provider: OpenIDProvider
        let store = InMemoryAuthStateStore()

        init(_ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
            var configuration = OpenIDProvider.Configuration()
            change(&configuration)
            provider = try await OpenIDProvider(configuration: configuration)
        }

        func transport() throws -> Transport {
            var metadata = ClientMetadata()
            metadata.clientName = "Tests"
            let url = provider.url(of: .resource)
            let access = try ResourceAccess(
                url.absoluteString, clients: [.registering(metadata)], login: .presenting(DirectUserAgent()),
                store: store)
            return Transport(authorizer: ResourceAuthorizer(access), url: url)
        }

        var logins: Int { provider.requests(at: .authorization).count }
    }

    @Test("the first challenge logs in, a 401 renews, and one for more rights logs in for them")
    func challenges() async throws {
        let world = try await World { $0.protectedResource.scopesByMethod = ["PUT": ["email"]] }
        let transport = try world.transport()
        #expect(transport.authorizer.authorizationHeader(for: transport.url) == nil)
        #expect(try await transport.send() == 200 && world.logins == 1)
        world.provider.rejectAccessTokens()
        #expect(try await transport.send() == 200 && world.logins == 1)
        #expect(try await transport.send(.put) == 200 && world.logins == 2)
        await world.provider.stop()
    }

    @Test("a token that is bound to a key is sent with a proof for each request, also where each proof needs a nonce")
    func bound() async throws {
        let world = try await World {
            $0.protectedResource.requiresDPoP = true
            $0.dpopNonceUses = 1
        }
        let transport = try world.transport()
        let other = try #require(URL(string: "https://other.example/mcp"))
        for _ in 1...3 { #expect(try await transport.send() == 200) }
        #expect(world.logins == 1 && world.provider.statistics.refreshRequests == 0)
        #expect(transport.authorizer.authorizationHeader(for: transport.url)?.hasPrefix("DPoP ") == true)
        #expect(transport.authorizer.proof(method: "POST", url: other).isEmpty)
        let proofs = world.provider.requests(at: .resource).compactMap { $0.headers["DPoP"] }
        #expect(proofs.count >= 3 && Set(proofs).count == proofs.count)
        await world.provider.stop()
    }

    @Test("transports share one login, also when all of them are challenged at once")
    func shared() async throws {
        let world = try await World()
        let transports = try (0..<5).map { _ in try world.transport() }
        let first = try await transports[0].send()
        let others = try await withThrowingTaskGroup(of: Int.self) { group in
            for transport in transports { group.addTask { try await transport.send() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(first == 200 && others == Array(repeating: 200, count: 5) && world.logins == 1)
        await world.provider.stop()
    }

    @Test("another server gets no token, and its challenge leads to no login")
    func otherServer() async throws {
        let world = try await World()
        let transport = try world.transport()
        _ = try await transport.send()
        let other = try #require(URL(string: "https://other.example/mcp"))
        #expect(transport.authorizer.authorizationHeader(for: other) == nil)
        await #expect(throws: AuthStateError.self) {
            try await transport.authorizer.handleChallenge(
                statusCode: 401, headers: ["WWW-Authenticate": "Bearer"], endpoint: other, operationKey: nil,
                session: Session())
        }
        #expect(world.logins == 1)
        await world.provider.stop()
    }

    @Test("a 403 that asks for nothing is the caller's")
    func forbidden() async throws {
        let world = try await World()
        let transport = try world.transport()
        _ = try await transport.send()
        world.provider.inject(.text("{}", status: 403), at: .resource)
        #expect(try await transport.send() == 403 && world.logins == 1)
        await world.provider.stop()
    }
}

import AuthStateGRPC
import AuthStateKit
import AuthStateServer
import AuthStateTesting
import Foundation
import GRPCCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct InterceptorTests {
    @Test("a call has the token, and its answer arrives")
    func success() async throws {
        let world = try await World()
        try await world.withClient { client in
            let answers = try await [client.echo("one"), client.stream(["one", "two"])]
            #expect(answers == ["one", "one,two"])
        }
        let token = world.state.record.accessToken ?? ""
        #expect(world.log.authorizations == ["Bearer \(token)", "Bearer \(token)"])
    }

    @Test("a call that is refused is made once more, with a renewed token", arguments: [false, true])
    func renewal(streams: Bool) async throws {
        let world = try await World()
        world.log.refuse(1)
        try await world.withClient { client in
            let answer = try await streams ? client.stream(["one", "two"]) : client.echo("one,two")
            #expect(answer == "one,two")
        }
        let seen = world.log.authorizations
        #expect(seen.count == 2 && seen[0] != seen[1])
        #expect(seen.last == "Bearer \(world.state.record.accessToken ?? "")")
    }

    @Test("without the policy a call is made once, and the next one has another token")
    func once() async throws {
        let world = try await World()
        world.log.refuse(1)
        try await world.withClient(repeats: false) { client in
            let error = await #expect(throws: RPCError.self) { try await client.stream(["one", "two"]) }
            #expect(error?.code == .unauthenticated && error?.message == "The token is refused.")
            #expect(world.log.authorizations.count == 1)
            let answer = try await client.stream(["one", "two"])
            #expect(answer == "one,two")
        }
        let seen = world.log.authorizations
        #expect(seen.count == 2 && seen[0] != seen[1] && world.state.isAuthorized)
    }

    @Test("a token that the server has accepted is renewed again when it is refused later")
    func later() async throws {
        let world = try await World()
        try await world.withClient { client in
            for _ in 0..<3 {
                world.log.refuse(1)
                _ = try await client.echo("one")
            }
        }
        #expect(world.log.authorizations.count == 6 && world.state.isAuthorized)
        #expect(world.provider.requests(at: .token).count == 4)
    }

    @Test("a call that is refused twice fails, and the state is in error")
    func refused() async throws {
        let world = try await World()
        world.log.refuse(2)
        try await world.withClient { client in
            let error = await #expect(throws: RPCError.self) { try await client.echo("one") }
            #expect(error?.code == .unauthenticated)
            #expect((error?.cause as? AuthStateError)?.code == .tokenRejected)
            // Without a call: the state has no tokens.
            await #expect(throws: RPCError.self) { try await client.echo("two") }
        }
        #expect(world.log.authorizations.count == 2)
        #expect(world.state.authorizationError?.code == .tokenRejected)
    }

    @Test(
        "an error of the state has a code that says what to do",
        arguments: [("invalid_grant", RPCError.Code.unauthenticated), ("temporarily_unavailable", .unavailable)])
    func errors(answer: String, code: RPCError.Code) async throws {
        let world = try await World()
        world.log.refuse(1)
        world.provider.injectFaults(at: .token) { _ in .oauthError(answer) }
        try await world.withClient { client in
            let error = await #expect(throws: RPCError.self) { try await client.echo("one") }
            #expect(error?.code == code && error?.cause is AuthStateError)
        }
        #expect(world.log.authorizations.count == 1)
    }

    @Test("the state of a call is the pool's for the caller's key")
    func pool() async throws {
        let world = try await World()
        let pool = AuthStatePool(store: InMemoryAuthStateStore(), service: world.service)
        let state = try await pool.logIn(
            .browser(AuthorizationRequest(world.state.record.client), DirectUserAgent()), for: "ada")
        try await world.withClient({ url in
            AuthorizationInterceptor(pool, server: url) { _ in Caller.key }
        }) { client in
            let answer = try await Caller.$key.withValue("ada") { try await client.echo("one") }
            #expect(answer == "one")
            let error = await #expect(throws: RPCError.self) { try await client.echo("one") }
            #expect(error?.code == .unauthenticated)
        }
        #expect(world.log.authorizations == ["Bearer \(state.record.accessToken ?? "")"])
    }

    @Test("no token goes to a server without TLS that is not on this machine")
    func insecure() async throws {
        let world = try await World()
        try await world.withClient({ _ in
            AuthorizationInterceptor(world.state, server: URL(string: "http://api.example") ?? URL(filePath: "/"))
        }) { client in
            let error = await #expect(throws: RPCError.self) { try await client.echo("one") }
            #expect((error?.cause as? AuthStateError)?.code == .insecureURL)
        }
        #expect(world.log.authorizations.isEmpty)
    }

    private enum Caller {
        @TaskLocal static var key: AuthStateKey = "unknown"
    }
}

import ArgumentParser
import AuthStateKit
import AuthStateResource
import Foundation
import Synchronization
import Testing

@testable import AuthStateProgram

/// Logins that the bridge has other processes make.
@Suite(.timeLimit(.minutes(1))) struct BridgeLinkTests {
    /// A server that takes no token until it is told to.
    private final class Server: HTTPTransport {
        let accepts = Mutex(false)

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            accepts.withLock { $0 }
                ? TransportResponse(status: 200)
                : TransportResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
        }
    }

    /// A user who is shown a code, and decides when the test says so.
    private final class User: Sendable {
        let logins = Mutex(0)
        let decisions = AsyncStream<AuthStateError?>.makeStream()
        let time = Mutex(ContinuousClock.now)

        static let code = AuthStateError(.authorizationPending, stage: .authorization, "Enter the code BCDF.")

        @Sendable func logIn(_: BridgeLogin.Reason, _ tell: @escaping BridgeLink.Telling) async throws {
            logins.withLock { $0 += 1 }
            tell(Self.code)
            for await error in decisions.stream {
                if let error { throw error }
                return
            }
        }
    }

    private let server = Server()
    private let user = User()
    private let link: BridgeLink
    private let request: TransportRequest

    init() throws {
        request = TransportRequest(url: try #require(URL(string: "https://mcp.example/mcp")))
        let options = try CommonOptions.parse(["--profile", "bridge-link"])
        link = BridgeLink(
            { [server] in
                let session = try await Session(
                    options, timeLimit: 10, console: Console(isJSON: false, isServing: true),
                    keys: SealingKeys(limit: .seconds(1)), trace: nil, sealing: .unopened)
                let access = try ResourceAccess(
                    "https://mcp.example/mcp", clients: [], store: InMemoryAuthStateStore(),
                    service: AuthorizationService(transport: server))
                return (session, access)
            }, now: { [user] in user.time.withLock { $0 } }, logIn: user.logIn)
    }

    /// The error of a call; nil for none.
    private func call() async -> AuthStateError? {
        do { _ = try await link.stream(request, operation: "call") } catch { return error as? AuthStateError }
        return nil
    }

    /// Has the user decide; returns the error of the first call that does not show the code.
    private func decide(_ error: AuthStateError? = nil) async throws -> AuthStateError? {
        user.decisions.continuation.yield(error)
        for _ in 0..<100_000 {
            let next = await call()
            if next?.code != .authorizationPending { return next }
            await Task.yield()
        }
        throw CancellationError()
    }

    private var logins: Int { user.logins.withLock { $0 } }

    private func advance(by seconds: Int) { user.time.withLock { $0 += .seconds(seconds) } }

    @Test("the end of a login on another device is told to the next call once, however late it comes")
    func untoldEnd() async throws {
        #expect(await call()?.code == .authorizationPending)
        let ended = AuthStateError(.deviceCodeExpired, stage: .token, "The code has expired.")
        user.decisions.continuation.yield(ended)
        try await settle()
        advance(by: 3600)
        #expect(await call()?.code == .deviceCodeExpired && logins == 1)
        #expect(await call()?.code == .authorizationPending && logins == 2)
    }

    @Test("a server that refuses the token of a login that no call waited for leads to no further code")
    func unprovenLogin() async throws {
        #expect(await call()?.code == .authorizationPending)
        #expect(try await decide()?.code == .tokenRejected)
        advance(by: 3600)
        #expect(await call()?.code == .tokenRejected && logins == 1)
        // A server that has accepted a request has a login of its own again.
        server.accepts.withLock { $0 = true }
        #expect(await call() == nil)
        server.accepts.withLock { $0 = false }
        #expect(await call()?.code == .authorizationPending && logins == 2)
    }

    @Test func `a refusal long after such a login is that of an ended grant, and leads to a code`() async throws {
        #expect(await call()?.code == .authorizationPending)
        user.decisions.continuation.yield(nil)
        try await settle()
        advance(by: 3600)
        #expect(await call()?.code == .authorizationPending && logins == 2)
    }

    /// Waits until the bridge knows how the login has ended.
    private func settle() async throws {
        for _ in 0..<100_000 {
            guard await link.isLoggingIn else { return }
            await Task.yield()
        }
        throw CancellationError()
    }
}

import ArgumentParser
import AuthStateKit
import AuthStateResource
import AuthStateStorage
import Foundation
import Synchronization
import Testing

@testable import AuthStateProgram

/// Logins that the bridge has other processes make.
@Suite(.timeLimit(.minutes(1))) struct BridgeLinkTests {
    /// A server that takes no token until it is told to, but for that of another bridge's login.
    private final class Server: HTTPTransport {
        let accepts = Mutex(false)

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            accepts.withLock { $0 } || request.headers["Authorization"] == "Bearer \(RacedStore.token)"
                ? TransportResponse(status: 200)
                : TransportResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
        }
    }

    /// A user who is shown a code, and decides when the test says so.
    private final class User: Sendable {
        let reasons = Mutex<[AuthStateError]>([])
        let decisions = AsyncStream<AuthStateError?>.makeStream()
        let time = Mutex(ContinuousClock.now)

        static let code = AuthStateError(.authorizationPending, stage: .authorization, "Enter the code BCDF.")

        @Sendable func logIn(_ reason: AuthStateError, _ tell: @escaping BridgeLink.Telling) async throws {
            reasons.withLock { $0.append(reason) }
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
        request = TransportRequest(url: try #require(URL(string: RacedStore.resource)))
        link = try Self.link(InMemoryAuthStateStore(), server, user)
    }

    private static func link(_ store: any AuthStateStore, _ server: Server, _ user: User) throws -> BridgeLink {
        let options = try CommonOptions.parse(["--profile", "bridge-link"])
        return BridgeLink(
            {
                let session = try await Session(
                    options, timeLimit: 10, console: Console(isJSON: false, isServing: true),
                    keys: SealingKeys(limit: .seconds(1)), trace: nil, sealing: .unopened)
                let access = try ResourceAccess(
                    RacedStore.resource, clients: [], store: store, service: AuthorizationService(transport: server))
                return (session, access)
            }, now: { user.time.withLock { $0 } }, logIn: user.logIn)
    }

    /// The error of a call; nil for none.
    private func call(_ link: BridgeLink? = nil) async -> AuthStateError? {
        let link = link ?? self.link
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

    private var logins: Int { user.reasons.withLock { $0.count } }

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

    @Test(
        "a login that another bridge has made meanwhile is not taken for the one that does not serve",
        arguments: 1...12, [false, true])
    func otherLogin(reading: Int, hasEnded: Bool) async throws {
        let store = try RacedStore(before: reading, hasEnded: hasEnded)
        let link = try Self.link(store, server, user)
        let error = await call(link)
        let reasons = user.reasons.withLock { $0 }
        #expect(reasons.allSatisfy { $0.grantID == store.first?.grantID }, "\(reasons)")
        // A call that did not begin a login was made with the other bridge's.
        #expect((error == nil) == reasons.isEmpty && (error == nil || error?.code == .authorizationPending))
        #expect(reading > 1 || reasons.isEmpty)
        #expect(reading < 12 || reasons.count == 1, "\(store.readings.withLock { $0 }) readings")
    }

    /// A store to which another bridge's login comes right before one of its readings.
    private final class RacedStore: AuthStateStore {
        static let resource = "https://mcp.example/mcp"
        static let token = "other"

        private let stored = InMemoryAuthStateStore()
        /// The login before, whose grant has ended; nil for none.
        let first: AuthState.Record?
        private let reading: Int
        let readings = Mutex(0)

        init(before reading: Int, hasEnded: Bool) throws {
            self.reading = reading
            var first = try Self.record("first")
            first.authorizationError = AuthStateError(.invalidGrant, stage: .token, "The grant has ended.")
            self.first = hasEnded ? first : nil
        }

        private static func record(_ name: String) throws -> AuthState.Record {
            let provider = ProviderConfiguration(
                issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
                tokenEndpoint: try #require(URL(string: "https://op.example/token")))
            var record = AuthState.Record(Client(provider, id: "client"))
            record.lastTokenResponse = TokenResponse(
                accessToken: name, issuedAt: .now, accessTokenExpirationDate: .distantFuture, refreshToken: name)
            record.grantID = name
            record.annotations = ["resource": resource]
            return record
        }

        func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
            let number = readings.withLock {
                $0 += 1; return $0
            }
            if number == 1, let first { try await save(first, at: key) }
            if number == reading { try await save(Self.record(Self.token), at: key) }
            return try await stored.load(key)
        }

        func save(_ record: AuthState.Record, at key: AuthStateKey) async throws {
            try await stored.withLease(key, deadline: .seconds(1)) { lease in
                _ = try await lease.save(AuthStateArchive(record).data(), expecting: await lease.load()?.version)
            }
        }

        nonisolated(nonsending) func withLease<R>(
            _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
            _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
        ) async throws -> R {
            try await stored.withLease(key, deadline: deadline, whileWaiting: look, body)
        }
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

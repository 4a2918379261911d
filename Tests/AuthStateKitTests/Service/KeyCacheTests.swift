import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit

final class KeyCacheTests: Sendable {
    private let cache = KeyCache()
    private let source: KeyCache.Source
    private let fetches = Lock(0)

    init() throws {
        let url = try #require(URL(string: "https://op.example/keys"))
        source = KeyCache.Source(issuer: try Issuer("https://op.example"), url: url)
    }

    /// Asks for keys; each fetch brings other ones.
    private func keys(
        at now: Double, insteadOf stale: JSONWebKeySet? = nil, lifetime: Double? = nil,
        stage: AuthStateError.Stage = .token
    ) async throws -> JSONWebKeySet {
        try await cache.keys(of: source, insteadOf: stale, now: now, stage: stage) {
            let count = self.fetches.withLock { count in
                count += 1
                return count
            }
            let key = JSONWebKey(secret: [UInt8(count)])
            return KeyCache.Answer(keys: JSONWebKeySet(keys: [key]), lifetime: lifetime)
        }
    }

    private var count: Int { fetches.withLock { $0 } }

    @Test func `keys are used for ten minutes when the provider says nothing`() async throws {
        _ = try await keys(at: 0)
        _ = try await keys(at: 599)
        #expect(count == 1)
        _ = try await keys(at: 600)
        #expect(count == 2)
    }

    @Test("the provider's max-age counts, up to a day", arguments: [(60.0, 60.0), (7200, 7200), (1e9, 86400)])
    func maximumAge(_ lifetime: Double, _ effective: Double) async throws {
        _ = try await keys(at: 0, lifetime: lifetime)
        _ = try await keys(at: effective - 1)
        #expect(count == 1)
        _ = try await keys(at: effective)
        #expect(count == 2)
    }

    @Test func `a clock that was set back has the keys fetched again`() async throws {
        _ = try await keys(at: 1000)
        _ = try await keys(at: 999)
        #expect(count == 2)
    }

    @Test("keys that do not fit a token are fetched again three times at once, then once a minute; more is transient")
    func budget() async throws {
        var known = try await keys(at: 0)
        for expected in 2...4 {
            known = try await keys(at: 1, insteadOf: known)
            #expect(count == expected)
        }
        let error = await authError { try await keys(at: 2, insteadOf: known) }
        #expect(error?.code == .temporarilyUnavailable && error?.kind == .transient && count == 4)
        // The keys themselves stay available to every other caller.
        #expect(try await keys(at: 3) == known)
        known = try await keys(at: 61, insteadOf: known)
        #expect(count == 5)
        await #expect(throws: AuthStateError.self) { try await keys(at: 62, insteadOf: known) }
    }

    @Test(
        "anonymous requests spend a budget of their own: for logout tokens and for answers by a browser",
        arguments: [AuthStateError.Stage.logout, .authorization])
    func strangers(_ stage: AuthStateError.Stage) async throws {
        var known = try await keys(at: 0)
        for _ in 0..<3 { known = try await keys(at: 1, insteadOf: known, stage: stage) }
        let error = await authError { try await keys(at: 2, insteadOf: known, stage: stage) }
        #expect(error?.code == .temporarilyUnavailable && error?.stage == stage)
        // The provider changes its keys: logins and renewals have them fetched.
        for stage in [AuthStateError.Stage.token, .refresh, .userinfo] {
            known = try await keys(at: 2, insteadOf: known, stage: stage)
        }
        #expect(count == 7)
    }

    @Test func `a caller with keys that were replaced already gets the newer ones without a fetch`() async throws {
        let old = try await keys(at: 0)
        let newer = try await keys(at: 1, insteadOf: old)
        for _ in 0..<10 { #expect(try await keys(at: 2, insteadOf: old) == newer) }
        #expect(count == 2)
    }

    @Test func `the budget outlives the keys`() async throws {
        var known = try await keys(at: 0, lifetime: 10)
        for _ in 0..<3 { known = try await keys(at: 1, insteadOf: known, lifetime: 10) }
        known = try await keys(at: 12, lifetime: 10)
        await #expect(throws: AuthStateError.self) { try await keys(at: 13, insteadOf: known) }
    }

    @Test("concurrent callers share one fetch, and a cancelled caller does not end it for the others")
    func oneFlight() async throws {
        let gate = ScriptedTransport.Gate()
        @Sendable func ask() async throws -> JSONWebKeySet {
            try await cache.keys(of: source, now: 0, stage: .token) {
                self.fetches.withLock { $0 += 1 }
                try await gate.pass()
                return KeyCache.Answer(keys: JSONWebKeySet(keys: []))
            }
        }
        let first = Task { try await ask() }
        await gate.arrivals()
        let others = (0..<8).map { _ in Task { try await ask() } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        for other in others { _ = try await other.value }
        #expect(count == 1)
    }

    @Test func `a failed fetch is not remembered`() async throws {
        struct Lost: Error {}
        await #expect(throws: Lost.self) { try await cache.keys(of: source, now: 0, stage: .token) { throw Lost() } }
        _ = try await keys(at: 0)
        #expect(count == 1)
    }

    @Test func `of the keys whose fetch failed, strangers' alone are remembered, at most 256`() async {
        struct Lost: Error {}
        let cache = AnswerCache<Int, Int>()
        for (sender, most) in [(RefetchBudget.Sender.provider, 0), (.stranger, 256)] {
            for key in 0..<1000 {
                await #expect(throws: Lost.self) {
                    try await cache.value(of: key, from: sender, now: 0) { throw Lost() }
                }
            }
            #expect(await cache.failed.count <= most)
        }
    }

    @Test func `one address under two issuers is kept apart`() async throws {
        _ = try await keys(at: 0)
        let other = KeyCache.Source(issuer: try Issuer("https://other.example"), url: source.url)
        let found = try await cache.keys(of: other, now: 0, stage: .token) {
            KeyCache.Answer(keys: JSONWebKeySet(keys: []))
        }
        #expect(found.keys.isEmpty)
    }
}

/// How long an answer may be kept (RFC 9111).
struct FreshnessLifetimeTests {
    @Test(
        "max-age less Age, and nothing where nothing sensible is said",
        arguments: [
            ("max-age=300", nil, 300), ("public, Max-Age=300", nil, 300), ("max-age=\"300\"", nil, 300),
            ("max-age=300", "100", 200), ("max-age=300", "300", nil), ("max-age=0", nil, nil),
            ("no-store, max-age=300", nil, nil), ("no-cache", nil, nil), ("max-age=-1", nil, nil),
            ("max-age=x", nil, nil), ("max-age", nil, nil), ("s-maxage=300", nil, nil), ("", nil, nil),
        ] as [(String, String?, Double?)])
    func lifetime(_ control: String, _ age: String?, _ expected: Double?) {
        var headers: TransportHeaders = ["Cache-Control": control]
        if let age { headers["Age"] = age }
        #expect(headers.freshnessLifetime == expected)
    }
}

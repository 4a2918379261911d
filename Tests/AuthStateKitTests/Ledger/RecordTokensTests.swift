import AuthStateFoundation
import Testing

@testable import AuthStateKit

/// What a record says of its tokens when a renewal failed, and what a refusal does to it: without an actor.
struct RecordTokensTests {
    private static let now = Date(timeIntervalSince1970: 10_000)

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var code = AuthStateError.Code.connectionLost
        var reason = AuthState.Flight.Reason.stale
        /// The seconds that the access token is still valid.
        var left: Double? = 30
        var isMachine = false
        var event: AuthState.Event?
        var testDescription: String { name }
    }

    private static func live(_ row: Row) throws -> TokenResponse? {
        let endpoint = try #require(URL(string: "https://op.example/token"))
        let client = Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: endpoint), id: "client")
        let tokens = TokenResponse(
            accessToken: "access", issuedAt: now.addingTimeInterval(-3600),
            accessTokenExpirationDate: row.left.map { now.addingTimeInterval($0) }, refreshToken: "refresh")
        var record = AuthState.Record(client).applying(.loggedIn(nil, tokens))
        if row.isMachine { record.machineGrant = .clientCredentials(AuthState.ClientCredentialsGrant()) }
        if let event = row.event { record = record.applying(event) }
        return try record.liveTokens(
            insteadOf: AuthStateError(row.code, stage: .refresh, "Failed."), row.reason, at: now)
    }

    @Test(
        "tokens that have not expired serve where the provider or the store does not",
        arguments: [
            Row(name: "no answer"), Row(name: "busy", code: .temporarilyUnavailable),
            Row(name: "the store", code: .storeUnreadable), Row(name: "no reason", code: .refusedWithoutReason),
            Row(name: "long enough", reason: .shortLived(20)),
            Row(name: "a page in place of a program's tokens", code: .malformedResponse, isMachine: true),
        ])
    func live(_ row: Row) throws { #expect(try Self.live(row) != nil) }

    @Test(
        "they do not serve in any other case",
        arguments: [
            Row(name: "the grant is gone", code: .invalidGrant), Row(name: "the client is wrong", code: .invalidClient),
            Row(name: "no tokens in the answer", code: .malformedResponse), Row(name: "expired", left: -1),
            Row(name: "of unknown expiry", left: nil),
            Row(name: "too short", reason: .shortLived(40)), Row(name: "refused", reason: .rejected("access")),
            Row(name: "others were asked for", reason: .explicit),
            Row(name: "in error", event: .failed(AuthStateError(.invalidGrant, stage: .refresh, "Refused."))),
            Row(name: "to be renewed", event: .refreshRequested),
        ])
    func notLive(_ row: Row) throws { #expect(try Self.live(row) == nil) }

    @Test func `after a logout no user is logged in`() {
        #expect(throws: AuthStateError.noUserIsLoggedIn) { try Self.live(Row(name: "", event: .loggedOut)) }
    }

    @Test(
        "a policy says what a refusal that no renewal mends does",
        arguments: [
            (.renewOnce, [.endsLogin, .none, .remembersToken, .none]),
            (.renewOnceForRequest, [.remembersToken, .remembersToken, .remembersToken, .remembersToken]),
            (.fail, [.endsLogin, .endsLogin, .none, .none]), (.failRequestOnly, [.none, .none, .none, .none]),
        ] as [(UnauthorizedPolicy, [UnauthorizedPolicy.Effect])])
    func effects(_ policy: UnauthorizedPolicy, _ effects: [UnauthorizedPolicy.Effect]) {
        let all = [false, true].flatMap { isSide in
            [false, true].map { policy.effect(isMachine: $0, isSide: isSide) }
        }
        #expect(all == effects)
    }
}

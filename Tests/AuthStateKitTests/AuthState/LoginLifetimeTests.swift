import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct LoginLifetimeTests {
    private static let lost = ScriptedTransport.Reply.failure(
        TransportError(.connectionLost, "reset", requestMayHaveBeenSent: true))

    /// A state whose token has expired, at a provider that accepts a refresh token once more for a while.
    private func graced(_ replies: ScriptedTransport.Reply...) throws -> Fixture {
        var fixture = try Fixture(replies)
        fixture.record.client.provider.tolerances = [.refreshTokenGrace]
        fixture.clock.advance(by: .seconds(4000))
        return fixture
    }

    @Test(
        "a renewal whose answer was lost is sent once more at once where the provider allows it",
        arguments: [
            lost, .json("", status: 502), .failure(TransportError(.timedOut, "slow", requestMayHaveBeenSent: true)),
        ])
    func askedAgain(_ failure: ScriptedTransport.Reply) async throws {
        let fixture = try graced(failure, Fixture.tokens(1))
        let state = fixture.state()
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-0"])
        #expect(state.record.unconfirmedRenewal == nil && state.isAuthorized)
    }

    @Test("it is sent no third time, and the loss is recorded before the second")
    func notAThirdTime() async throws {
        let store = InMemoryAuthStateStore()
        let fixture = try graced(Self.lost)
        fixture.transport.enqueue(
            .dynamic { _ in
                let stored = try await store.record()
                #expect(stored?.unconfirmedRenewal != nil)
                throw TransportError(.connectionLost, "reset", requestMayHaveBeenSent: true)
            })
        let state = fixture.state(store: store)
        #expect(await authError { try await state.freshTokens() }?.code == .connectionLost)
        #expect(fixture.spent.count == 2 && state.isAuthorized)
    }

    @Test func `a provider that asks to wait is not asked again at once`() async throws {
        let busy = TransportResponse(status: 502, headers: ["Retry-After": "5"])
        let fixture = try graced(.response(busy), Fixture.tokens(1))
        let state = fixture.state()
        #expect(await authError { try await state.freshTokens() }?.retryAfter == .seconds(5))
        #expect(fixture.spent.count == 1)
    }

    @Test("a provider that refuses the second use ends the grant, and the error says why")
    func refused() async throws {
        let fixture = try graced(Self.lost, Fixture.error("invalid_grant"))
        let state = fixture.state()
        let error = await authError { try await state.freshTokens() }
        #expect(error?.code == .invalidGrant && error?.message.contains("lost on its way") == true)
    }

    @Test("at any other provider, and for the client's own grant, a lost answer is not asked for again")
    func elsewhere() async throws {
        let fixture = try Fixture([Self.lost, Fixture.tokens(1)])
        fixture.clock.advance(by: .seconds(4000))
        let state = fixture.state()
        #expect(await authError { try await state.freshTokens() }?.code == .connectionLost)
        #expect(fixture.spent.count == 1)
    }

    private func renewal(_ n: Int, _ members: String) -> ScriptedTransport.Reply {
        .json(
            #"{"access_token":"SECRET-\#(n)","token_type":"Bearer","expires_in":3600,"refresh_token":"SECRET-r\#(n)"\#(members)}"#
        )
    }

    @Test(
        "the end of a login is known where the provider tells it",
        arguments: [
            (#","refresh_token_timeout":604800"#, 604_800), (#","refresh_token_expires_in":"15811200""#, 15_811_200),
            (#","refresh_expires_in":1800"#, 1800), (#","x_refresh_token_expires_in":8726400"#, 8_726_400),
            (#","refresh_token_timeout":604800,"authorization_expires_in":86400"#, 86400),
            (#","refresh_expires_in":0"#, nil), (#","refresh_token_expires_in":null"#, nil), ("", nil),
            (#","refresh_token_expires_in":"soon""#, nil), (#","authorization_expires_in":-5"#, nil),
        ] as [(String, Int?)])
    func end(_ members: String, _ seconds: Int?) async throws {
        let fixture = try Fixture([renewal(1, members)])
        let state = fixture.state()
        _ = try await state.refresh()
        let end = state.status.loginExpirationDate
        #expect(end == seconds.map { fixture.clock.date.addingTimeInterval(Double($0)) })
        #expect(try AuthStateArchive(data: AuthStateArchive(state.record).data()).record.loginExpirationDate == end)
    }

    @Test("a refresh token that a renewal with parameters brought has no end that is known")
    func rotatedBeside() async throws {
        let fixture = try Fixture([renewal(1, #","refresh_token_expires_in":86400"#), Fixture.tokens(2)])
        let state = fixture.state()
        _ = try await state.refresh()
        fixture.clock.advance(by: .seconds(1))
        _ = try await state.freshTokens(RenewalParameters(scopes: ["mail"]))
        #expect(state.record.refreshToken == "SECRET-refresh-2")
        #expect(state.status.loginExpirationDate == nil)
    }

    @Test("a renewal that does not move a near end reports it; one that moves it, or a far end, does not")
    func notice() async throws {
        let day = 86400
        var fixture = try Fixture([
            renewal(1, #","authorization_expires_in":\#(8 * day)"#),
            renewal(2, #","authorization_expires_in":\#(6 * day)"#),
            renewal(3, #","authorization_expires_in":\#(9 * day)"#),
        ])
        let log = EventLog()
        fixture.options.observer = log
        let state = fixture.state()
        func reported() -> [Date] {
            log.events.compactMap { if case .loginExpiring(let date) = $0 { date } else { nil } }
        }
        _ = try await state.refresh()
        #expect(reported() == [])
        fixture.clock.advance(by: .seconds(2 * day))
        _ = try await state.refresh()
        #expect(reported() == [fixture.clock.date.addingTimeInterval(Double(6 * day))])
        _ = try await state.refresh()
        #expect(reported().count == 1)
    }

    @Test("a client assertion says in its header what it is, unless the provider accepts JWT alone")
    func assertionType() async throws {
        var fixture = try Fixture(then: Fixture.tokens(1))
        fixture.record.client.provider.issuer = try Issuer("https://op.example")
        fixture.record.client.credential = .secret(String(repeating: "SECRET-", count: 8), method: .clientSecretJWT)
        for (tolerances, type) in [([], "client-authentication+jwt"), ([.plainAssertionType], "JWT")]
            as [(Set<Tolerance>, String)]
        {
            fixture.record.client.provider.tolerances = tolerances
            _ = try await fixture.state().refresh()
            let body = try #require(fixture.transport.requests.last?.body)
            let form = try #require(Parameters(decoding: String(decoding: body, as: UTF8.self)))
            let assertion = try JSONWebToken(parsing: #require(form["client_assertion"]))
            #expect(assertion.header.type == type)
        }
    }
}

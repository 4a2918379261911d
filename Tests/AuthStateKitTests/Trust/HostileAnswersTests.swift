import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostileAnswersTests {
    private static let base = "https://op.example"

    private func error(_ answer: HostileAnswer, at endpoint: HostileEndpoint) async -> AuthStateError? {
        let response = answer.response(endpoint.honestBody(Self.base))
        let transport = ScriptedTransport([], then: .response(response))
        var limits = AuthorizationService.Configuration()
        limits.clock = WallClock { ManualClock().date }
        do {
            try await endpoint.ask(transport, at: Self.base, limits: limits)
            return nil
        } catch {
            #expect(error is AuthStateError && !"\(error)".contains("SECRET"))
            // Where there is no document, the other well-known place is asked too.
            let found = error as? AuthStateError
            let isPlace = found?.code == .discoveryFailed || found?.code == .invalidMetadata
            let isElsewhere = isPlace && (200...499).contains(found?.httpStatus ?? 0)
            #expect(transport.requests.count == (isElsewhere ? 2 : 1))
            return found
        }
    }

    @Test("an honest answer under another media type is read", arguments: HostileEndpoint.allCases)
    func mediaTypes(_ endpoint: HostileEndpoint) async {
        for answer in HostileAnswer.mediaTypes { #expect(await error(answer, at: endpoint) == nil) }
    }

    @Test(
        "a body that is not what it should be is one typed error, or tolerated by the table",
        arguments: HostileEndpoint.allCases, HostileAnswer.bodies)
    func bodies(_ endpoint: HostileEndpoint, _ answer: HostileAnswer) async {
        #expect(await error(answer, at: endpoint)?.code == answer.errors[endpoint])
    }

    @Test(
        "an honest body under another status is not believed", arguments: HostileEndpoint.allCases,
        HostileAnswer.statuses)
    func statuses(_ endpoint: HostileEndpoint, _ answer: HostileAnswer) async throws {
        let error = await error(answer, at: endpoint)
        #expect(error?.code == answer.errors[endpoint])
        if (300...399).contains(answer.status) {
            #expect(error?.received?.hasPrefix("\(answer.status) to https://evil.example/x") == true)
        }
        if error?.code == .temporarilyUnavailable { #expect(error?.retryAfter == .seconds(45)) }
    }
}

import AuthStateFoundation
import AuthStateOAuth
import Testing

/// When to ask for the tokens of a login that is confirmed elsewhere (RFC 8628, section 3.5; CIBA Core, section 11).
struct TokenPollingTests {
    typealias Code = AuthStateError.Code

    private func polling(interval: Double = 5, lifetime: Double = 1800) -> TokenPolling {
        TokenPolling(interval: .seconds(interval), expiresAt: Fixtures.now.addingTimeInterval(lifetime))
    }

    private static func error(_ code: Code, retryAfter: Double? = nil) -> AuthStateError {
        AuthStateError(code, stage: .token, "No tokens.", retryAfter: retryAfter.map(Duration.seconds))
    }

    @Test(
        "each answer leads to the next pause",
        arguments: [
            ([], [5]),
            ([.authorizationPending, .authorizationPending], [5, 5, 5]),
            // For this and all that follow, and 5 seconds more each time.
            ([.slowDown, .authorizationPending, .slowDown], [5, 10, 10, 15]),
            ([.timedOut, .timedOut, .timedOut, .timedOut, .timedOut], [5, 10, 20, 40, 60, 60]),
            ([.timedOut, .unreachable, .authorizationPending], [5, 10, 20, 5]),
            ([.connectionLost, .slowDown, .serverError], [5, 10, 10, 20]),
        ] as [([Code], [Double])])
    func pauses(_ answers: [Code], _ expected: [Double]) throws {
        var polling = polling()
        var pauses = [try polling.wait(at: Fixtures.now)]
        for answer in answers {
            try polling.note(Self.error(answer))
            pauses.append(try polling.wait(at: Fixtures.now))
        }
        #expect(pauses == expected.map(Duration.seconds))
    }

    @Test func `a longer interval of the provider is kept, and a failure never shortens it`() throws {
        var polling = polling(interval: 90)
        try polling.note(Self.error(.timedOut))
        #expect(polling.pause == .seconds(90))
    }

    @Test func `Retry-After is waited for, once`() throws {
        var polling = polling()
        try polling.note(Self.error(.temporarilyUnavailable, retryAfter: 120))
        #expect(polling.pause == .seconds(120))
        try polling.note(Self.error(.authorizationPending))
        #expect(polling.pause == .seconds(5))
    }

    @Test(
        "an error that polling cannot mend ends the login",
        arguments: [
            Code.accessDenied, .deviceCodeExpired, .transactionFailed, .invalidGrant, .invalidClient,
            .unauthorizedClient, .invalidRequest,
            .malformedResponse, .redirected, .insecureConnection, .providerError,
        ])
    func ends(_ code: Code) {
        var polling = polling()
        #expect(refusal { try polling.note(Self.error(code)) }?.code == code)
    }

    @Test("codes expire here when the provider does not say so", arguments: [(0.0, true), (1794, true), (1795, false)])
    func expiry(_ elapsed: Double, _ isInTime: Bool) {
        let now = Fixtures.now.addingTimeInterval(elapsed)
        if isInTime {
            #expect((try? polling().wait(at: now)) == .seconds(5))
        } else {
            let error = refusal { try polling().wait(at: now) }
            #expect(error?.code == .deviceCodeExpired && error?.kind == .reauthenticationRequired)
        }
    }

    @Test(
        "backing off does not miss the last question that fits in",
        arguments: [(50.0, 45.0), (64, 59), (66, 60), (8, 5)])
    func lastQuestion(_ left: Double, _ expected: Double) throws {
        var polling = polling(lifetime: 1000)
        for _ in 0..<5 { try polling.note(Self.error(.unreachable)) }
        #expect(try polling.wait(at: Fixtures.now.addingTimeInterval(1000 - left)) == .seconds(expected))
        #expect(polling.pause == .seconds(60))
        try polling.note(Self.error(.temporarilyUnavailable, retryAfter: 55))
        let last = refusal { try polling.wait(at: Fixtures.now.addingTimeInterval(1000 - 50)) }
        #expect(last?.code == .deviceCodeExpired, "the provider itself asked for a longer pause")
    }

    @Test("a provider that was away at the end is told from a user who did nothing")
    func awayAtTheEnd() throws {
        var polling = polling()
        let end = Fixtures.now.addingTimeInterval(1800)
        #expect(refusal { try polling.wait(at: end) }?.message == "The user did not confirm the login in time.")
        try polling.note(Self.error(.unreachable))
        let error = refusal { try polling.wait(at: end) }
        #expect(error?.code == .deviceCodeExpired && error?.message.contains("could not be asked") == true)
        #expect(error?.underlying?.contains("No tokens.") == true)
        try polling.note(Self.error(.authorizationPending))
        #expect(refusal { try polling.wait(at: end) }?.underlying == nil)
    }
}

import AuthStateOAuth
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("When a device asks for its tokens (RFC 8628, section 3.5)")
struct DevicePollingTests {
    typealias Code = AuthStateError.Code

    private func polling(interval: Double = 5, lifetime: Double = 1800) -> DevicePolling {
        DevicePolling(interval: interval, expiresAt: Fixtures.now.addingTimeInterval(lifetime))
    }

    private static func error(_ code: Code, retryAfter: Double? = nil) -> AuthStateError {
        AuthStateError(code, stage: .token, "No tokens.", retryAfter: retryAfter)
    }

    @Test(
        "each answer, and the pauses that follow",
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
        #expect(pauses == expected)
    }

    @Test("a longer interval of the provider is kept, and a failure never shortens it")
    func longInterval() throws {
        var polling = polling(interval: 90)
        try polling.note(Self.error(.timedOut))
        #expect(polling.pause == 90)
    }

    @Test("Retry-After is waited for, once")
    func retryAfter() throws {
        var polling = polling()
        try polling.note(Self.error(.temporarilyUnavailable, retryAfter: 120))
        #expect(polling.pause == 120)
        try polling.note(Self.error(.authorizationPending))
        #expect(polling.pause == 5)
    }

    @Test(
        "what ends the login",
        arguments: [
            Code.accessDenied, .deviceCodeExpired, .invalidGrant, .invalidClient, .unauthorizedClient, .invalidRequest,
            .malformedResponse, .redirected, .insecureConnection, .providerError,
        ])
    func ends(_ code: Code) {
        var polling = polling()
        #expect(refusal { try polling.note(Self.error(code)) }?.code == code)
    }

    @Test(
        "the codes end here when the provider does not say so", arguments: [(0.0, true), (1794, true), (1795, false)])
    func expiry(_ elapsed: Double, _ isInTime: Bool) {
        let now = Fixtures.now.addingTimeInterval(elapsed)
        if isInTime {
            #expect((try? polling().wait(at: now)) == 5)
        } else {
            let error = refusal { try polling().wait(at: now) }
            #expect(error?.code == .deviceCodeExpired && error?.kind == .reauthenticationRequired)
        }
    }
}

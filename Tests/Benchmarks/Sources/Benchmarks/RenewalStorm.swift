import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Foundation

/// Many callers at once find an expired token: one renewal serves them all.
enum RenewalStorm {
    static let callers = 1_000

    static let benchmark = Benchmark(name: "renewal-storm") { rounds in
        var times: [Double] = []
        var renewals = 0
        for _ in 0..<rounds {
            let transport = ScriptedTransport(then: .json(answer))
            let state = endedState(transport)
            let elapsed = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            let token = try await state.withFreshToken { $0.accessToken }
                            precondition(token == "new")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            times.append(elapsed / .nanoseconds(1))
            renewals = max(renewals, transport.requests.count)
        }
        let all = Spread(times)
        let each = Spread(times.map { $0 / Double(callers) })
        return table(
            ["callers", "time until all have tokens", "per caller", "requests to the provider"],
            [["\(callers)", all.text(duration), each.text(duration), "\(renewals)"]])
    }

    private static let answer = """
        {"access_token":"new","token_type":"Bearer","expires_in":3600,"refresh_token":"next"}
        """

    private static func endedState(_ transport: ScriptedTransport) -> AuthState {
        let now = Date()
        var record = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!),
                id: "benchmark"))
        record.lastTokenResponse = TokenResponse(
            accessToken: "old", issuedAt: now.addingTimeInterval(-7_200),
            accessTokenExpirationDate: now.addingTimeInterval(-3_600), refreshToken: "first")
        record.refreshToken = "first"
        return AuthState(record, service: AuthorizationService(transport: transport))
    }
}

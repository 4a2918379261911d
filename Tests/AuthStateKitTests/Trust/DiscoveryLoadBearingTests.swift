import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import Testing

@Suite("Discovery and userinfo checks bear load")
struct DiscoveryLoadBearingTests {
    @Test("each attack is stopped by its own check alone")
    func matrix() async throws {
        for (index, attack) in (Attack.discovery + Attack.userInfo).enumerated() {
            for check in [nil] + TrustCheck.allCases.map(Optional.some) {
                let error: (any Error)? = await TrustCheck.$turnedOff.withValue(check) {
                    do {
                        try await attack.offer()
                        return nil
                    } catch { return error }
                }
                #expect(
                    (error == nil) == (check == attack.check),
                    "\(index) \(attack.check) with \(check.map(\.rawValue) ?? "all on"): \(error.map { "\($0)" } ?? "believed")"
                )
                if let error { #expect(error is AuthStateError, "\(error)") }
            }
        }
    }
}

import AuthStateJOSE
import Testing

@Suite("Attacks by token responses")
struct TokenResponseAttackTests {
    @Test("each attack is stopped by its own check and by no other", arguments: Attack.tokenResponse.indices)
    func loadBearing(_ index: Int) async throws {
        let attack = Attack.tokenResponse[index]
        for check in TrustCheck.allCases {
            let isBelieved = await TrustCheck.$turnedOff.withValue(check) {
                do { try await attack.offer() } catch { return false }
                return true
            }
            #expect(isBelieved == (check == attack.check), "\(attack.check) with \(check) turned off")
        }
    }
}

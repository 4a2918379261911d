import AuthStateJOSE
import AuthStateOAuth
import Testing

// Only debug builds can turn a check off.
#if DEBUG
    /// A check that can be removed without anything being believed that should not be is no check.
    ///
    /// One at a time: thousands of attacks at once would leave other tests no room.
    @Suite("Every check is load-bearing", .serialized)
    struct LoadBearingTests {
        @Test("every check has an attack that it stops")
        func everyCheckHasAnAttack() {
            let missing = Set(TrustCheck.allCases).subtracting(Attack.all.map(\.check))
            #expect(missing.isEmpty)
        }

        @Test("with every check made, an attack ends in an error of the library", arguments: Attack.all)
        func everyAttackIsRefused(_ attack: Attack) async {
            do {
                try await attack.offer()
                Issue.record("believed")
            } catch {
                #expect(error is AuthStateError || error is JOSEError, "\(error)")
            }
        }

        @Test("with one check turned off exactly its attacks are believed", arguments: TrustCheck.allCases)
        func exactlyItsAttacksSucceed(_ check: TrustCheck) async {
            await TrustCheck.$turnedOff.withValue(check) {
                for attack in Attack.all {
                    await Task.yield()
                    do {
                        try await attack.offer()
                        #expect(attack.check == check, "an attack on \(attack.check) was believed")
                    } catch {
                        #expect(attack.check != check, "still refused: \(error)")
                    }
                }
            }
        }
    }
#endif
